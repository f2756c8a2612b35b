"""A chart of lines as an Altair specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from peakwise.core.bands import EDGES
from peakwise.core.chart import Axis, LineChart, Mark
from peakwise.report.charts.library import alt
from peakwise.report.charts.style import ABOVE, ACCENT, EDGE, GRID, INK, INK_2, INK_3, LABEL, PAPER, SECOND, TICK, Size
from peakwise.report.locale import show_value

Words = Callable[[str], str]

_COLOURS = {"main": ACCENT, "second": SECOND, "roof": INK}
_HEIGHT, _NARROW_HEIGHT = 280, 220  # px
_TENS = [float(f"1e{power}") for power in range(-6, 19)]  # what a logarithmic axis names
_LABEL_GAP = 10  # px between a mark and its words


def draw_lines(chart: LineChart, words: Words, locale: str, size: Size) -> Any:
    """The specification of a chart of lines, with its words and numbers for one reader."""
    x, y = _scale(chart.x, _values(chart, 0)), _scale(chart.y, _values(chart, 1))
    layers = [
        *_grounds(chart, x, y),
        *_rules(chart, words, x, y),
        *(_line(chart, place, x, y) for place in range(len(chart.lines))),
        *_names(chart, words, x, y),
        *_marks(chart, words, locale, x, y),
    ]
    axes = (
        alt.X("x:Q", scale=x, axis=_axis(chart.x, words, size, "x")),
        alt.Y("y:Q", scale=y, axis=_axis(chart.y, words, size, "y", bands=chart.bands)),
    )
    base = alt.Chart(alt.Data(values=[{"x": 0, "y": 0}])).mark_point(opacity=0).encode(*axes)
    height = _NARROW_HEIGHT if size.narrow else _HEIGHT
    return alt.layer(base, *layers).properties(width=size.width, height=height)


def _values(chart: LineChart, place: int) -> list[float]:
    """Every value of one axis, lines and marks and rules."""
    axis = "xy"[place]
    found = [point[place] for line in chart.lines for point in line.points]
    found += [mark.x if axis == "x" else mark.y for mark in chart.marks]
    return found + [rule.at for rule in chart.rules if rule.axis == axis]


def _scale(axis: Axis, values: list[float]) -> Any:
    """From 0 to the largest value, or between the ends of a logarithmic axis."""
    factor = _factor(axis)
    low = min(values) * factor if axis.low is None and axis.log else (axis.low or 0) * factor
    high = (max(values) if axis.high is None else axis.high) * factor
    if axis.log:
        return alt.Scale(type="log", domain=[low, high], nice=False)
    return alt.Scale(domain=[low, high], nice=axis.high is None)


def _factor(axis: Axis) -> float:
    """What a base value is multiplied by before it is drawn."""
    return 1 if axis.display.form == "percent" else 1 / axis.display.scale


def _axis(axis: Axis, words: Words, size: Size, side: str, *, bands: bool = False) -> Any:
    percent = axis.display.form == "percent"
    options: dict[str, Any] = {
        "title": words(axis.key),
        "titleColor": INK_2,
        "titleFontSize": TICK,
        "titleFontWeight": "normal",
        "labelColor": INK_2,
        "labelFontSize": TICK,
        "grid": side == "y",
        "gridColor": GRID,
        "domain": side == "x",
        "domainColor": EDGE,
        "ticks": side == "x",
        "tickColor": EDGE,
        "format": ".0%" if percent else ",~r",
        "tickCount": 4 if size.narrow else 6,
    }
    if bands:
        options["values"] = [0, *(edge for edge, _ in EDGES), 1]
    if axis.log:
        options["values"] = _TENS
    if side == "x":
        options |= {"titleAlign": "right", "titleAnchor": "end", "labelOverlap": True}
    else:
        options |= {"titleAngle": 0, "titleAlign": "right", "titleX": -6, "titleY": -14, "titleBaseline": "bottom"}
    return alt.Axis(**options)


def _data(chart: LineChart, points: list[tuple[float, float]]) -> Any:
    fx, fy = _factor(chart.x), _factor(chart.y)
    return alt.Data(values=[{"x": x * fx, "y": y * fy} for x, y in points])


def _grounds(chart: LineChart, x: Any, y: Any) -> list[Any]:
    """The ground above the roofs, hatched."""
    if not chart.hatched:
        return []
    points = [point for line in chart.lines if line.style == "roof" for point in line.points]
    top = max(_values(chart, 1))
    fx, fy = _factor(chart.x), _factor(chart.y)
    values = [{"x": px * fx, "y": py * fy, "top": max(top, py) * fy} for px, py in sorted(points)]
    area = alt.Chart(alt.Data(values=values)).mark_area(color=ABOVE, opacity=1)
    return [area.encode(alt.X("x:Q", scale=x), alt.Y("y:Q", scale=y), alt.Y2("top:Q"))]


def _rules(chart: LineChart, words: Words, x: Any, y: Any) -> list[Any]:
    layers: list[Any] = []
    for rule in chart.rules:
        across = rule.axis == "y"
        value = rule.at * _factor(chart.y if across else chart.x)
        data = alt.Data(values=[{rule.axis: value, "words": words(rule.key)}])
        place = alt.Y("y:Q", scale=y) if across else alt.X("x:Q", scale=x)
        layers.append(alt.Chart(data).mark_rule(color=INK, strokeWidth=2).encode(place))
        text = {"align": "left", "dx": 6, "dy": -8} if across else {"align": "left", "dx": 6, "baseline": "top"}
        other = alt.XValue(0) if across else alt.YValue(0)
        layers.append(
            alt.Chart(data).mark_text(color=INK_2, fontSize=TICK, **text).encode(place, other, alt.Text("words:N"))
        )
    return layers


def _line(chart: LineChart, place: int, x: Any, y: Any) -> Any:
    line = chart.lines[place]
    mark = alt.Chart(_data(chart, list(line.points))).mark_line(
        color=_COLOURS[line.style], strokeWidth=2.5, strokeJoin="round"
    )
    return mark.encode(alt.X("x:Q", scale=x, sort=None), alt.Y("y:Q", scale=y), order=alt.Order("x:Q"))


def _names(chart: LineChart, words: Words, x: Any, y: Any) -> list[Any]:
    """The name of each line, where there is more than one: a rising roof's below its middle, else at the right end."""
    layers: list[Any] = []
    for line in chart.lines if len(chart.lines) > 1 else ():
        first, last = min(line.points), max(line.points)
        rising = line.style == "roof" and last[1] > first[1]
        at = _between(chart.x, first[0], last[0]), _between(chart.y, first[1], last[1])
        place = at if rising else last
        data = alt.Data(
            values=[{"x": place[0] * _factor(chart.x), "y": place[1] * _factor(chart.y), "words": words(line.key)}]
        )
        side = {"align": "left", "dx": 12, "dy": 10} if rising else {"align": "right", "dy": -9}
        for options in ({"color": PAPER, "stroke": PAPER, "strokeWidth": 5}, {"color": _COLOURS[line.style]}):
            text = alt.Chart(data).mark_text(fontSize=TICK, **side, **options)
            layers.append(text.encode(alt.X("x:Q", scale=x), alt.Y("y:Q", scale=y), alt.Text("words:N")))
    return layers


def _between(axis: Axis, low: float, high: float) -> float:
    """The middle of an axis between two values, as it is drawn; a third of the way where it is logarithmic."""
    if axis.log and low > 0:
        return low * (high / low) ** (1 / 3)
    return (low + high) / 2


def _marks(chart: LineChart, words: Words, locale: str, x: Any, y: Any) -> list[Any]:
    layers: list[Any] = []
    for mark in chart.marks:
        now = mark.style == "now"
        data = _data(chart, [(mark.x, mark.y)])
        place = (alt.X("x:Q", scale=x), alt.Y("y:Q", scale=y))
        if now:
            drop = alt.Chart(data).mark_rule(color=ACCENT, strokeDash=[2, 3], strokeWidth=1.5)
            layers.append(drop.encode(place[0], place[1]))
        point = alt.Chart(data).mark_point(
            shape="circle",
            filled=True,
            size=150 if now else 80,
            fill=ACCENT if now else PAPER,
            stroke=PAPER if now else INK,
            strokeWidth=2,
            opacity=1,
        )
        layers.append(point.encode(*place))
        layers += _mark_words(chart, mark, words, locale, place)
    return layers


def _mark_words(chart: LineChart, mark: Mark, words: Words, locale: str, place: tuple[Any, Any]) -> list[Any]:
    """A mark's words beside it, on the side where there is room, over a halo of paper."""
    xs = _values(chart, 0)
    low, high = min(xs), max(xs)
    middle = (low * high) ** 0.5 if chart.x.log and low > 0 else (low + high) / 2
    right = mark.x > middle
    values = {"x": (mark.x, chart.x), "y": (mark.y, chart.y)}
    number = "" if not mark.shown else show_value(values[mark.shown][0], values[mark.shown][1].display, locale)
    text = f"{words(mark.key)} {number}".strip()
    fx, fy = _factor(chart.x), _factor(chart.y)
    data = alt.Data(values=[{"x": mark.x * fx, "y": mark.y * fy, "words": text}])
    style: dict[str, Any] = {
        "align": "right" if right else "left",
        "dx": -_LABEL_GAP if right else _LABEL_GAP,
        "dy": (14 if right else 10) if mark.style == "now" else -12,
        "fontSize": LABEL,
        "fontWeight": 600 if mark.style == "now" else "normal",
        "color": ACCENT if mark.style == "now" else INK_3,
    }
    halo = alt.Chart(data).mark_text(**{**style, "color": PAPER}, stroke=PAPER, strokeWidth=5)
    return [layer.encode(*place, alt.Text("words:N")) for layer in (halo, alt.Chart(data).mark_text(**style))]
