"""A chart of horizontal bars, or of two marks in each row, as an Altair specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from peakwise.core.chart import Axis, Bar, BarChart, DotChart
from peakwise.core.units import S_PER_HOUR
from peakwise.report.charts.library import alt
from peakwise.report.charts.style import (
    ACCENT,
    EDGE,
    GRID,
    INK,
    INK_2,
    INK_3,
    LABEL,
    MEASURED,
    MODELLED,
    PAPER,
    SECOND,
    TICK,
    UNKNOWN,
    WHOLE,
    Size,
)
from peakwise.report.locale import show_value

Words = Callable[[str], str]

_FILLS = {
    "ours": ACCENT,
    "second": SECOND,
    "measured": MEASURED,
    "modelled": MODELLED,
    "unknown": UNKNOWN,
    "whole": WHOLE,
}
_ROW, _NARROW_ROW = 36, 52  # px
_MANY, _LOW_ROW = 10, 24  # above so many rows they stand closer, px
_NAMES = 200  # px kept for the names of rows on wide paper


def draw_bars(chart: BarChart, words: Words, locale: str, size: Size) -> Any:
    """The specification of a chart of bars, a row each, with its value beside it."""
    rows = [_bar_row(place, bar, chart.axis, words, locale) for place, bar in enumerate(chart.bars)]
    ends = [row["end"] for row in rows]
    scale = _scale(chart.axis, ends)
    y = _rows(len(rows))
    bars = alt.Chart(alt.Data(values=rows)).mark_bar(height=16, stroke=EDGE, strokeWidth=0.5)
    fill = alt.Color("fill:N", scale=None)
    layers = [
        bars.encode(_x("start", scale, chart.axis, words, size), alt.X2("end:Q"), y, fill),
        _text(rows, "shown", {"align": "left", "dx": 6, "fontWeight": 600, "color": INK}).encode(
            alt.X("end:Q", scale=scale), y
        ),
        *_row_names(rows, y, size),
    ]
    return alt.layer(*layers).properties(width=_inner(size), height=_height(len(rows), size))


def draw_dots(chart: DotChart, words: Words, locale: str, size: Size) -> Any:
    """The specification of a chart of two marks in each row."""
    rows: list[dict[str, Any]] = []
    for place, pair in enumerate(chart.rows):
        row: dict[str, Any] = {"row": place, "name": words(pair.key)}
        for side, value in (("a", pair.a), ("b", pair.b)):
            if value is not None:
                row[side] = value * _factor(chart.axis)
                row[f"{side}_shown"] = show_value(value, chart.axis.display, locale)
        rows.append(row)
    values = [row[side] for row in rows for side in ("a", "b") if side in row]
    scale, y = _scale(chart.axis, values), _rows(len(rows))
    both = [row for row in rows if "a" in row and "b" in row]
    joint = alt.Chart(alt.Data(values=both)).mark_rule(color=ACCENT if chart.joined else MEASURED, strokeWidth=2)
    layers: list[Any] = [
        joint.encode(_x("a", scale, chart.axis, words, size), alt.X2("b:Q"), y),
        *_side(chart, rows, "a", scale, y),
        *_side(chart, rows, "b", scale, y),
        *_row_names(rows, y, size),
        *_heads(chart, rows, words, scale, y),
    ]
    return alt.layer(*layers).properties(width=_inner(size), height=_height(len(rows), size))


def _bar_row(place: int, bar: Bar, axis: Axis, words: Words, locale: str) -> dict[str, Any]:
    factor = _factor(axis)
    start = bar.start * factor
    return {
        "row": place,
        "name": words(bar.key),
        "start": start,
        "end": start + (bar.value or 0) * factor,
        "fill": _FILLS[bar.style],
        "shown": show_value(bar.value, axis.display, locale),
    }


def _side(chart: DotChart, rows: list[dict[str, Any]], side: str, scale: Any, y: Any) -> list[Any]:
    """The marks of one run with their values, outside of the pair."""
    found = [row for row in rows if side in row]
    left = [row for row in found if row[side] <= row.get("b" if side == "a" else "a", float("inf"))]
    right = [row for row in found if row not in left]
    first = side == "a"
    fill = ACCENT if first or chart.joined else SECOND
    mark = alt.Chart(alt.Data(values=found)).mark_point(
        shape="circle" if first or chart.joined else "square",
        filled=True,
        fill=PAPER if chart.joined and first else fill,
        stroke=fill,
        strokeWidth=2,
        size=130,
        opacity=1,
    )
    x = alt.X(f"{side}:Q", scale=scale)
    layers = [mark.encode(x, y)]
    for group, align, dx in ((left, "right", -11), (right, "left", 11)):
        if group:
            layers.append(_text(group, f"{side}_shown", {"align": align, "dx": dx, "color": INK}).encode(x, y))
    return layers


def _heads(chart: DotChart, rows: list[dict[str, Any]], words: Words, scale: Any, y: Any) -> list[Any]:
    """The two names once, above the first row that has both."""
    first = next((row for row in rows if "a" in row and "b" in row), None)
    if first is None:
        return []
    layers: list[Any] = []
    ahead = first["a"] <= first["b"]
    for side, name in (("a", chart.a), ("b", chart.b)):
        colour = ACCENT if side == "a" or chart.joined else SECOND
        # Each name leans away from the other, so that close marks keep both readable.
        left = (side == "a") == ahead
        style = {"dy": -16, "align": "right" if left else "left", "dx": 12 if left else -12, "fontWeight": 600}
        text = _text([{**first, "head": words(name)}], "head", {**style, "color": colour})
        layers.append(text.encode(alt.X(f"{side}:Q", scale=scale), y))
    return layers


def _factor(axis: Axis) -> float:
    """What a base value is multiplied by before it is drawn; a duration is drawn in hours."""
    if axis.display.form == "duration":
        return 1 / S_PER_HOUR
    return 1 if axis.display.form == "percent" else 1 / axis.display.scale


def _scale(axis: Axis, ends: list[float]) -> Any:
    high = max([*ends, 0]) if axis.high is None else axis.high * _factor(axis)
    return alt.Scale(domain=[(axis.low or 0) * _factor(axis), high or 1], nice=axis.high is None)


def _x(field: str, scale: Any, axis: Axis, words: Words, size: Size) -> Any:
    percent = axis.display.form == "percent"
    look = alt.Axis(
        title=f"{words(axis.key)}, h" if axis.display.form == "duration" else words(axis.key),
        titleColor=INK_2,
        titleFontSize=TICK,
        titleFontWeight="normal",
        titleAnchor="end",
        labelColor=INK_2,
        labelFontSize=TICK,
        format=".0%" if percent else ",~r",
        tickCount=3 if size.narrow else 6,
        gridColor=GRID,
        domainColor=EDGE,
        tickColor=EDGE,
    )
    return alt.X(f"{field}:Q", scale=scale, axis=look)


def _rows(count: int) -> Any:
    return alt.Y("row:O", axis=None, scale=alt.Scale(domain=list(range(count)), paddingInner=0.2))


def _text(rows: list[dict[str, Any]], field: str, style: dict[str, Any]) -> Any:
    return alt.Chart(alt.Data(values=rows)).mark_text(fontSize=LABEL, **style).encode(alt.Text(f"{field}:N"))


def _row_names(rows: list[dict[str, Any]], y: Any, size: Size) -> list[Any]:
    """The names of the rows: left of the axis, or above the bar on narrow paper."""
    if size.narrow:
        style = {"align": "left", "dy": -17, "color": INK_3}
        return [_text(rows, "name", style).encode(alt.XValue(0), y)]
    style = {"align": "left", "color": INK, "limit": _NAMES - 10}
    return [_text(rows, "name", style).encode(alt.XValue(-_NAMES), y)]


def _inner(size: Size) -> int:
    """The width of the plot itself; names and values take the rest."""
    return size.width - 60 if size.narrow else size.width - _NAMES - 70


def _height(count: int, size: Size) -> int:
    if size.narrow:
        return count * _NARROW_ROW
    return count * (_LOW_ROW if count > _MANY else _ROW)
