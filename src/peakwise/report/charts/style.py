"""How charts look: one fixed colour for each role, sizes, the reader's signs for numbers.

A picture is drawn in the light colours; `chart.css` gives each role its dark colour and its pattern, so that one file
serves both themes.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from peakwise.core.number_locale import find_locale

HERE = Path(__file__).parent

# Roles (the light tokens): what a chart may be drawn in.
INK, INK_2, INK_3 = "#17191c", "#4b5157", "#666c72"
GRID, EDGE, PAPER = "#e1e1da", "#83878b", "#fdfdfb"
ACCENT, SECOND, ERROR = "#0a5c7f", "#b4591d", "#a01f1b"
MEASURED, MODELLED, UNKNOWN = "#8b9197", "#9aa0a5", "#c3c7ca"
WHOLE, ABOVE = "#ecece7", "#e6e6e0"

FONT = (
    "-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Noto Sans, Liberation Sans, Helvetica Neue, Arial, sans-serif"
)
LABEL, TICK = 13, 12  # px
NARROW_UNTIL = 400  # px: below this a picture is drawn for a narrow screen


class Size(NamedTuple):
    """The picture's width in px, and whether it is drawn for a narrow screen."""

    width: int

    @property
    def narrow(self) -> bool:
        """Whether labels stand above their rows and ticks are few."""
        return self.width < NARROW_UNTIL


def signs(locale: str) -> dict[str, object]:
    """The reader's signs for numbers, as the drawing library takes them."""
    found = find_locale(locale)
    return {
        "decimal": found.decimal,
        "thousands": found.group,
        "grouping": [3],
        "currency": ["", ""],
        "percent": found.percent,
        "minus": "−",
    }


def css() -> str:
    """The style sheet that gives a picture both themes."""
    return (HERE / "chart.css").read_text(encoding="utf-8")


def patterns() -> str:
    """The hatchings that the style sheet refers to, as SVG definitions."""
    return (HERE / "patterns.svg").read_text(encoding="utf-8")
