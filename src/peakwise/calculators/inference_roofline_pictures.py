"""The roofline's chart data as pictures: the roofs with their points, and the rate against the batch."""

from __future__ import annotations

from peakwise.calculators.inference_roofline_chart import Point, RooflineChart, draw_roofline
from peakwise.calculators.inference_roofline_work import Work
from peakwise.core.chart import Axis, Chart, Column, Line, LineChart, Mark, Twin
from peakwise.core.declaration import Display
from peakwise.core.units import TERA

_WHOLE = Display(form="number", decimals=0)
_RATE = Display(form="number", decimals=0, more_below=1000)
_ONE = Display(form="number", decimals=1)
_TFLOPS = Display(form="number", unit="TFLOP/s", scale=TERA, decimals=1)
_WORD = Display(form="text")
_BEYOND = 8  # the flat roof runs on for so many times the ridge


def draw_charts(work: Work) -> tuple[Chart, ...]:
    """The charts of one calculation, the roofline first."""
    data = draw_roofline(work)
    return _roofline(data), _batches(data)


def _roofline(data: RooflineChart) -> LineChart:
    roof = data.roof
    low = min(point.intensity for point in data.points)
    low = min(low, roof.ridge)
    high = max(roof.ridge * _BEYOND, *(point.intensity for point in data.points))
    lines = (
        Line("memory_roof", ((low, low * roof.bandwidth), (roof.ridge, roof.peak)), "roof"),
        Line("compute_roof", ((roof.ridge, roof.peak), (high, roof.peak)), "roof"),
    )
    return LineChart(
        name="roofline",
        x=Axis("ridge_flop_per_byte", _WHOLE, log=True),
        y=Axis("flop_per_s", _TFLOPS, log=True),
        lines=lines,
        marks=tuple(_mark(point) for point in _apart(data.points)),
        hatched=True,
        twin=_table(data),
    )


def _apart(points: tuple[Point, ...]) -> list[Point]:
    """The points without a landmark that lies under the reader's own."""
    yours = next(point for point in points if point.id == "yours")
    return [point for point in points if point.id == "yours" or point.intensity != yours.intensity]


def _mark(point: Point) -> Mark:
    style = "now" if point.id == "yours" else "open"
    return Mark(f"{point.id}_mark", point.intensity, point.flop_per_s, style, shown="")


def _table(data: RooflineChart) -> Twin:
    rows = tuple(
        (point.id, point.batch, point.tokens_per_s, point.intensity, point.flop_per_s) for point in data.points
    )
    columns = (
        Column("point", _WORD),
        Column("batch", _WHOLE),
        Column("tokens_per_s_ceiling", _RATE),
        Column("ridge_flop_per_byte", _ONE),
        Column("flop_per_s", _TFLOPS),
    )
    current = next(place for place, point in enumerate(data.points) if point.id == "yours")
    return Twin(columns, rows, current)


def _batches(data: RooflineChart) -> LineChart:
    yours = next(point for point in data.points if point.id == "yours")
    return LineChart(
        name="batch",
        x=Axis("batch", _WHOLE, log=True),
        y=Axis("tokens_per_s_ceiling", _RATE),
        lines=(Line("tokens_per_s_ceiling", tuple((at.batch, at.tokens_per_s) for at in data.curve)),),
        marks=(Mark("yours", yours.batch, yours.tokens_per_s, "now"),),
        twin=Twin(
            (Column("batch", _WHOLE), Column("tokens_per_s_ceiling", _RATE), Column("bound", _WORD)),
            tuple((float(at.batch), at.tokens_per_s, at.bound) for at in data.curve),
            next((place for place, at in enumerate(data.curve) if at.batch == yours.batch), None),
        ),
    )
