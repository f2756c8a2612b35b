"""What a report is written on: how many columns, which colours, which characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Ink = Literal["plain", "bold", "dim", "cyan", "yellow", "red"]

# Eight-colour names only, so that the user's theme decides (ECMA-48, SGR).
_SGR: dict[str, str] = {"bold": "1", "dim": "2", "cyan": "36", "yellow": "33", "red": "31"}

WIDEST = 120  # lines are laid out for at most this
PIPE = 80  # columns where the output is not a terminal

# Every character that reports are drawn with; an encoding that lacks one of them gets the plain set.
GLYPHS = "█▏▎▍▌▋▊▉▒░·│━╸─—−×÷→"
_PLAIN = {
    **dict.fromkeys("█▏▎▍▌▋▊▉", "#"),
    "▒": "%",
    "░": ":",
    "·": ".",
    "│": "|",
    "━": "=",
    "╸": "=",
    "─": "-",
    "—": "-",
    "–": "-",
    "−": "-",
    "×": "x",
    "÷": "/",
    "→": "->",
    "…": "...",
    "⁹": "^9",
    "’": "'",
    "\u00a0": " ",
}
_PLAIN_TABLE = str.maketrans(_PLAIN)


class Paper(NamedTuple):
    """Columns, colour and characters of one output. `plain`: its encoding cannot carry the glyphs."""

    width: int = PIPE
    colour: bool = False
    plain: bool = False

    @property
    def columns(self) -> int:
        """Columns that lines are laid out for."""
        return min(self.width, WIDEST)

    @property
    def ellipsis(self) -> str:
        """What stands at the end of words that were cut."""
        return "..." if self.plain else "…"

    def spell(self, text: str) -> str:
        """The text in the characters that this paper can carry, without control characters."""
        clean = text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)
        return clean.translate(_PLAIN_TABLE) if self.plain else clean

    def cut(self, text: str, width: int) -> str:
        """Words cut at the end so that they fit in so many columns."""
        if cells(text) <= width:
            return text
        room = max(0, width - len(self.ellipsis))
        while cells(text) > room:
            text = text[:-1]
        return (text.rstrip() + self.ellipsis)[: max(0, width)]

    def ink(self, text: str, ink: Ink) -> str:
        """The text in one ink; as it is where colour is off."""
        if not self.colour or ink == "plain" or not text.strip():
            return text
        bare = text.strip()
        left = text.index(bare)
        return f"{text[:left]}\x1b[{_SGR[ink]}m{bare}\x1b[0m{text[left + len(bare) :]}"


def _escaped(character: str) -> str:
    return " " if character in "\n\t\r\u00a0" else ascii(character)[1:-1]


def cells(text: str) -> int:
    """Columns that a text takes on a terminal: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def can_carry(encoding: str | None) -> bool:
    """Whether an output encoding has every glyph."""
    try:
        GLYPHS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def choose_paper(*, encoding: str | None, is_terminal: bool, columns: int, environ: Mapping[str, str]) -> Paper:
    """The paper of an output: 80 columns and no colour off a terminal, the user's variables on top.

    `NO_COLOR` and `TERM=dumb` turn colour off, `FORCE_COLOR` turns it on; an empty variable says nothing.
    """
    colour = is_terminal and environ.get("TERM") != "dumb"
    if environ.get("FORCE_COLOR"):
        colour = True
    if environ.get("NO_COLOR"):
        colour = False
    width = columns if is_terminal and columns > 0 else PIPE
    return Paper(width=width, colour=colour, plain=not can_carry(encoding))
