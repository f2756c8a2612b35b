"""What the fine-tuning throughput page draws: examples a second against their length, and efficiency against size."""

from __future__ import annotations

from peakwise.calculators.efficiency import scaled_efficiency, scaling_constant
from peakwise.calculators.finetune_throughput_work import MARKS, Work
from peakwise.calculators.spread import quantile
from peakwise.core.chart import Axis, Chart, Column, Line, LineChart, Mark, Twin
from peakwise.core.declaration import Display
from peakwise.core.units import to_percent

_COUNT = Display(form="number", decimals=0)
_TWO = Display(form="number", decimals=2)
_PERCENT = Display(form="percent", decimals=1)
_WORD = Display(form="text")
_SPAN = 4  # the curve runs from a quarter of the shortest mark to four times the longest
_POINTS = 49  # of a smooth curve
_SIZES = 64  # accelerators that the scaling curve shows at least


def draw_charts(work: Work) -> tuple[Chart, ...]:
    """The charts of one calculation, the main one first; none without a rate."""
    if not work.tokens_per_s:
        return ()
    scaling = _scaling(work)
    return (_length(work, work.tokens_per_s),) if scaling is None else (_length(work, work.tokens_per_s), scaling)


def _length(work: Work, rate: float) -> LineChart:
    """Examples a second, were every example so long: a hyperbola, with the mean and the quantiles on it."""
    mean = work.tokens_per_example
    named = [(f"p{round(to_percent(mark))}", quantile(work.lengths, mark)) for mark in MARKS if work.lengths]
    shown = sorted([("now", mean), *named], key=lambda mark: mark[1])
    low, high = shown[0][1] / _SPAN, shown[-1][1] * _SPAN
    tokens = [low * (high / low) ** (place / (_POINTS - 1)) for place in range(_POINTS)]
    return LineChart(
        name="length",
        x=Axis("tokens_per_example_used", _COUNT, log=True),
        y=Axis("examples_per_s", _TWO),
        lines=(Line("examples_per_s", tuple((each, rate / each) for each in tokens)),),
        marks=tuple(Mark(name, each, rate / each, "now" if name == "now" else "open") for name, each in shown),
        twin=Twin(
            columns=(Column("at", _WORD), Column("tokens_per_example_used", _COUNT), Column("examples_per_s", _TWO)),
            rows=tuple((name, each, rate / each) for name, each in shown),
            current=[name for name, _ in shown].index("now"),
        ),
    )


def _scaling(work: Work) -> LineChart | None:
    """Efficiency against accelerators, through 100 % at one and the known efficiency; None where only one is known."""
    if work.scaling_c is None and work.devices == 1:
        return None
    constant = scaling_constant(work.efficiency, work.devices) if work.scaling_c is None else work.scaling_c
    each = work.rate_per_device or 0
    most = max(_SIZES, 4 * work.devices)
    sizes = sorted({1 << power for power in range((most - 1).bit_length() + 1)} | {work.devices})
    points = tuple((float(size), scaled_efficiency(constant, size)) for size in sizes)
    return LineChart(
        name="scaling",
        x=Axis("accelerators", _COUNT, log=True),
        y=Axis("efficiency_used", _PERCENT, high=1),
        lines=(Line("efficiency_used", points),),
        marks=(Mark("now", work.devices, work.efficiency, "now"),),
        twin=Twin(
            columns=(
                Column("accelerators", _COUNT),
                Column("efficiency_used", _PERCENT),
                Column("tokens_per_s", _COUNT),
            ),
            rows=tuple((size, eta, size * eta * each) for size, eta in points),
            current=sizes.index(work.devices),
        ),
    )
