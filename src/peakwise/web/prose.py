"""Written texts as blocks: paragraphs, lists, numbered lists, with code between backticks."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

_BULLET = "- "


class Span(NamedTuple):
    """A run of words; `code`: set in the mono face."""

    text: str
    code: bool


class Block(NamedTuple):
    """One block: `p`, `ul` or `ol`, and its lines."""

    tag: str
    lines: tuple[tuple[Span, ...], ...]


class Explained(NamedTuple):
    """A written part: its heading and its blocks."""

    title: str
    blocks: tuple[Block, ...]
    anchor: str


@cache
def read_prose(text: str) -> tuple[Block, ...]:
    """The blocks of a text, parted by empty lines."""
    return tuple(_block(part.strip().split("\n")) for part in text.split("\n\n") if part.strip())


def _block(lines: list[str]) -> Block:
    if all(line.startswith(_BULLET) for line in lines):
        return Block("ul", tuple(_spans(line.removeprefix(_BULLET)) for line in lines))
    if all(line.partition(". ")[0].isdigit() for line in lines):
        return Block("ol", tuple(_spans(line.partition(". ")[2]) for line in lines))
    return Block("p", (_spans(" ".join(lines)),))


def _spans(line: str) -> tuple[Span, ...]:
    return tuple(Span(text, bool(place % 2)) for place, text in enumerate(line.split("`")) if text)
