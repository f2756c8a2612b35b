"""The gauge: a ruler from 0 to 100 % of the peak, in character cells."""

from __future__ import annotations

from peakwise.core.units import PERCENT
from peakwise.report.blocks import Gauge
from peakwise.report.paper import Paper

MOST_CELLS, LEAST_CELLS = 100, 40
MARGIN = 8  # indent, wall and the space right of it
EDGES = (25, 40, 55)  # per cent where the bands average, good and excellent begin (DESIGN, Bands)
NAMES = ("poor", "average", "good", "excellent")
EIGHTHS = "▏▎▍▌▋▊▉"


def n_cells(columns: int) -> int:
    """How many cells the ruler has on so many columns; 0 where the shortest ruler does not fit."""
    if columns < LEAST_CELLS + 4:  # indent, and `100 %` reaching two cells past the ruler
        return 0
    return max(LEAST_CELLS, min(MOST_CELLS, columns - MARGIN))


def ruler(gauge: Gauge, paper: Paper) -> tuple[str, str]:
    """The bar and what stands right of it on the ruler, up to the wall at 100 %."""
    size = n_cells(paper.columns)
    eighths = round(max(0.0, min(1.0, gauge.fraction)) * size * 8)
    full, part = divmod(eighths, 8)
    bar = "█" * full + (EIGHTHS[part - 1] if part else "")
    if paper.plain:
        bar = "#" * full + ("#" if part >= 4 else "")
    marks = {round(edge / PERCENT * size) for edge in EDGES}
    tick, dot, wall = ("|", ".", "|") if paper.plain else ("│", "·", "▏")
    rest = "".join(tick if cell in marks else dot for cell in range(len(bar), size))
    return bar, rest + wall


def ticks(gauge: Gauge, paper: Paper) -> str:
    """The line under the ruler: the edges, with the names of the bands where they apply and there is room."""
    size = n_cells(paper.columns)
    named = gauge.applies and paper.columns >= 80
    line = ""
    for edge, name in zip((0, *EDGES), NAMES, strict=True):
        line = line.ljust(round(edge / PERCENT * size)) + (f"{edge} {name}" if named else str(edge))
    return line.ljust(size - 3) + "100 %"
