"""What the MFU/HFU page draws: both against the share of blocks that run again, and the way down from the peak."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.hfu_work import Work
from peakwise.core.chart import Axis, Bar, BarChart, Chart, Column, Line, LineChart, Mark, Rule, Twin
from peakwise.core.declaration import Display

_PERCENT = Display(form="percent", decimals=1)
_SHARE = Display(form="percent", decimals=0)
STEPS = 4  # quarters of the blocks in the table


def draw_charts(work: Work) -> tuple[Chart, ...]:
    """The charts of one calculation, the main one first; without an MFU there is nothing to draw."""
    if work.mfu is None:
        return ()
    waterfall = _waterfall(work, work.mfu)
    return (waterfall,) if work.full is None else (_recompute(work, work.mfu, work.full), waterfall)


def _recompute(work: Work, mfu: float, full: float) -> LineChart:
    """MFU and HFU against the share of blocks whose forward runs again."""
    shares: list[float] = [step / STEPS for step in range(STEPS + 1)]
    here = None if work.again is None or work.again > full else work.again / full
    rows = sorted({*shares} if here is None else {*shares, here})
    now = () if here is None else (Mark("now", here, mfu * (1 + here * full), "now"),)
    return LineChart(
        name="recompute",
        x=Axis("recompute_fraction", _SHARE, high=1),
        y=Axis("hfu", _PERCENT),
        lines=(
            Line("hfu", tuple((share, mfu * (1 + share * full)) for share in shares)),
            Line("mfu", tuple((share, mfu) for share in shares), "second"),
        ),
        marks=now,
        rules=(Rule("peak", "y", 1),) if mfu * (1 + full) > 1 else (),
        twin=Twin(
            columns=(Column("recompute_fraction", _SHARE), Column("mfu", _PERCENT), Column("hfu", _PERCENT)),
            rows=tuple((share, mfu, mfu * (1 + share * full)) for share in rows),
            current=None if here is None else rows.index(here),
        ),
    )


def _waterfall(work: Work, mfu: float) -> BarChart:
    """From the peak down to the MFU: the bubble, recompute, and what nobody stated."""
    return BarChart(name="waterfall", axis=Axis("share_of_peak", _PERCENT, high=1), bars=tuple(_bars(work, mfu)))


def _bars(work: Work, mfu: float) -> Iterator[Bar]:
    """Each loss hangs from what is left above it; where stated losses pass the peak, what is left is not known."""
    yield Bar("peak", 1, style="whole")
    recompute = None if work.hfu is None else work.hfu - mfu
    other = 1 - work.bubble - (recompute or 0) - mfu
    left = 1.0
    if work.bubble:
        left -= work.bubble
        yield Bar("bubble", work.bubble, left, "modelled")
    yield Bar("recompute", recompute, mfu, "modelled" if recompute is not None else "unknown")
    yield Bar("not_attributed", other if other >= 0 else None, mfu + (recompute or 0), "unknown")
    yield Bar("mfu", mfu, style="ours")
