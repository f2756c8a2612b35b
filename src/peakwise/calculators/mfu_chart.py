"""What the MFU page draws: the MFU against the rate, and what a tenth more or less of each input does."""

from __future__ import annotations

from peakwise.calculators.mfu_work import Work
from peakwise.core.bands import EDGES, find_band
from peakwise.core.chart import Axis, Chart, Column, DotChart, Line, LineChart, Mark, Pair, Rule, Twin
from peakwise.core.declaration import Display

_PERCENT = Display(form="percent", decimals=1)
_TOKENS = Display(form="number", decimals=0)
_WORD = Display(form="text")
TENTH = 0.1  # the change of the second chart


def draw_charts(work: Work) -> tuple[Chart, ...]:
    """The charts of one calculation, the main one first."""
    return _sensitivity(work), _tenths(work)


def _sensitivity(work: Work) -> LineChart:
    """The MFU against the token rate: a straight line from 0 to the rate that would be the peak."""
    peak = work.rate_at(1)
    reached = work.mfu <= 1
    now = (Mark("now", work.tokens_per_s, work.mfu, "now"),) if reached else ()
    return LineChart(
        name="rate",
        x=Axis("tokens_per_s", _TOKENS),
        y=Axis("mfu", _PERCENT, high=1),
        lines=(Line("mfu", ((0, 0), (peak, 1))),),
        marks=(*now, Mark("peak_at", peak, 1, shown="x")),
        rules=(Rule("peak", "y", 1),),
        bands=True,
        twin=_table(work),
    )


def _table(work: Work) -> Twin:
    """The rates at which bands begin, half the rate, the rate itself and the peak, in order."""
    edges = [edge for edge, _ in EDGES if edge != work.mfu]
    shares = sorted({work.mfu / 2, work.mfu, *edges, 1} if work.mfu else {*edges, 1})
    rows = tuple((work.rate_at(share), share, "at_peak" if share == 1 else _band(share)) for share in shares)
    current = shares.index(work.mfu) if work.mfu in shares else None
    columns = (Column("tokens_per_s", _TOKENS), Column("mfu", _PERCENT), Column("band", _WORD))
    return Twin(columns=columns, rows=rows, current=current)


def _band(share: float) -> str:
    return find_band(share) if share < 1 else "above_peak"


def _tenths(work: Work) -> DotChart:
    """The MFU with a tenth less and a tenth more of each input; a divisor moves it the other way."""
    less, more = work.mfu * (1 - TENTH), work.mfu * (1 + TENTH)
    size = "flop_per_token" if work.stated_work else "active_params_b" if work.n_active is not None else "params_b"
    # Attention does not grow with the parameters, so only their own share of the work moves.
    part = 1.0
    if size != "flop_per_token" and work.factor is not None and work.flop_per_token:
        used = work.n_active if work.n_active is not None else work.n_params
        part = work.factor * (used or 0) / work.flop_per_token
    rows = (
        Pair(work.rate_key, less, more),
        Pair(size, work.mfu * (1 - TENTH * part), work.mfu * (1 + TENTH * part)),
        Pair("peak_tflops", work.mfu / (1 - TENTH), work.mfu / (1 + TENTH)),
        Pair("accelerators", work.mfu / (1 - TENTH), work.mfu / (1 + TENTH)),
    )
    # A step time divides; a rate per accelerator is multiplied by their number, which then cancels.
    if work.rate_key == "step_s":
        rows = (Pair("step_s", work.mfu / (1 - TENTH), work.mfu / (1 + TENTH)), *rows[1:])
    if work.rate_key == "tokens_per_s_per_device":
        rows = (*rows[:3], Pair("accelerators", work.mfu, work.mfu))
    return DotChart(name="tenth", axis=Axis("mfu", _PERCENT), a="less", b="more", rows=rows)
