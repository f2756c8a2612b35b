"""A chart as numbers: what is drawn and what its table says, without colours, words or sizes.

Every `key` names a word that the reader's language gives: a result, an input, or a word of the chart itself. A chart
without a `twin` is its own table: its marks, its bars or its rows. A key after `=` is a proper name, alike in every
language.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from peakwise.core.declaration import Display


class Axis(NamedTuple):
    """One axis: what it measures, how its numbers are written, and whether it is logarithmic.

    An axis begins at 0 unless it is logarithmic; `low` and `high` set its ends where the data should not.
    """

    key: str
    display: Display
    log: bool = False
    low: float | None = None
    high: float | None = None


class Column(NamedTuple):
    """One column of a table: what it holds, and how its numbers are written."""

    key: str
    display: Display


class Twin(NamedTuple):
    """The table that says what a chart draws; a text in a row is a word's key. `current`: the reader's own row.

    `displays`: how the numbers of each row are written, where rows differ; the last column keeps its own.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[float | str | None, ...], ...]
    current: int | None = None
    displays: tuple[Display, ...] = ()


class Line(NamedTuple):
    """A line through points (x, y). `main` is our data, `second` another run's, `roof` a limit of the hardware."""

    key: str
    points: tuple[tuple[float, float], ...]
    style: Literal["main", "second", "roof"] = "main"


class Mark(NamedTuple):
    """One point that matters: `now` is where the reader is; an `open` one is a landmark. `shown`: the number beside
    its word.
    """

    key: str
    x: float
    y: float
    style: Literal["now", "open"] = "open"
    shown: Literal["x", "y", ""] = "y"


class Rule(NamedTuple):
    """A line across the chart at one value of an axis: the wall at 100 %, the share of 10 %."""

    key: str
    axis: Literal["x", "y"]
    at: float


class LineChart(NamedTuple):
    """Lines over two axes. `bands`: the vertical axis is a utilization, with the bands' edges as its grid.

    `hatched`: the ground above the `roof` lines cannot be reached.
    """

    name: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...] = ()
    rules: tuple[Rule, ...] = ()
    bands: bool = False
    hatched: bool = False
    twin: Twin | None = None


class Bar(NamedTuple):
    """One row: from `start` for `value` along the axis. None is not known, and its row says so.

    `ours` is the answer, `measured`, `modelled` and `unknown` say how a part is known, `whole` is what the parts
    sum to, `second` another run.
    """

    key: str
    value: float | None
    start: float = 0
    style: Literal["ours", "measured", "modelled", "unknown", "whole", "second"] = "measured"


class BarChart(NamedTuple):
    """Rows of bars on one axis, in the order to read them."""

    name: str
    axis: Axis
    bars: tuple[Bar, ...]
    twin: Twin | None = None


class Pair(NamedTuple):
    """One row of two marks: `a` and `b`, either of which may not be known."""

    key: str
    a: float | None
    b: float | None


class DotChart(NamedTuple):
    """Two runs or two states side by side, a row each; `a` and `b` name the marks.

    `joined`: the two are states of one thing (first, tuned), in one colour, open and filled.
    """

    name: str
    axis: Axis
    a: str
    b: str
    rows: tuple[Pair, ...]
    joined: bool = False
    twin: Twin | None = None


class Listing(NamedTuple):
    """A table that no picture says better."""

    name: str
    twin: Twin


Picture = LineChart | BarChart | DotChart
Chart = Picture | Listing
