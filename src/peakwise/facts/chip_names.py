"""A chip's name as ordered tokens: what identifies the part, and what only describes it."""

from __future__ import annotations

import csv
import functools
import re
from dataclasses import dataclass
from pathlib import Path

_TRADEMARKS = re.compile(r"\((?:r|tm|c)\)")
# A capacity stands alone ("80GB", "144G"), so the letter before the digits of "A10G" keeps it from being one.
_CAPACITY = re.compile(r"(?<![^\W_])(\d+)\s*g(?:i?b)?(?![^\W_])")
_FORM = re.compile(r"(?<![^\W_])(sxm\d?|pcie|oam)(?![^\W_])")
_MEMORY = re.compile(r"(?<![^\W_])((?:hbm|gddr|lpddr)\d\w?)(?![^\W_])")
# Letters and digits apart, so that "RTX 3090 Ti", "rtx-3090ti" and "RTX3090Ti" are one name.
TOKEN = re.compile(r"[^\W\d_]+|\d+")

Mark = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipName:
    """One name, split. `core` identifies the part, in order; the rest must agree with the chip's row.

    `brands` are the vendors that brand words name; `marks` are (kind, value): a capacity, a form factor, a memory type.
    """

    core: tuple[str, ...]
    brands: frozenset[str]
    marks: frozenset[Mark]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of marks that the name states."""
        return frozenset(kind for kind, _ in self.marks)

    def values(self, kind: str) -> frozenset[str]:
        """What the name states of one kind."""
        return frozenset(value for found, value in self.marks if found == kind)


def parse_name(text: str) -> ChipName:
    """A name as a person, a driver or a framework writes it, split.

    **Example**
    >>> parse_name("NVIDIA H100 80GB HBM3").core
    ('h', '100')
    >>> parse_name("NVIDIA A10G").core
    ('a', '10', 'g')
    """
    words = _words()
    marks: set[Mark] = set()
    left = _TRADEMARKS.sub(" ", text.lower())
    for kind, pattern in (("capacity", _CAPACITY), ("form", _FORM), ("memory", _MEMORY)):
        marks.update((kind, found) for found in pattern.findall(left))
        left = pattern.sub(" ", left)
    tokens = TOKEN.findall(left)
    return ChipName(
        core=tuple(token for token in tokens if token not in words),
        brands=frozenset(vendor for token in tokens if (vendor := words.get(token))),
        marks=frozenset(marks),
    )


def plain_tokens(text: str) -> tuple[str, ...]:
    """Every token of a text, brand words and capacities among them; for searching."""
    return tuple(TOKEN.findall(_TRADEMARKS.sub(" ", text.lower())))


def is_run(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether `part` stands in `whole` in this order, other tokens between allowed."""
    rest = iter(whole)
    return bool(part) and all(token in rest for token in part)


@functools.cache
def _words() -> dict[str, str]:
    """Words that identify no part: their vendor, or an empty text where they name none."""
    with Path(__file__).with_name("chip_words.csv").open(encoding="utf-8", newline="") as file:
        return {row["word"]: row["vendor"] for row in csv.DictReader(file)}
