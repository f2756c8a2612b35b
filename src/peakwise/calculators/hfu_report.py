"""What the report of MFU and HFU says: one line of news, and the rule."""

from __future__ import annotations

from peakwise.calculators.hfu_work import Work
from peakwise.core.calculation import Report
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_percent

RULE = "HFU = MFU × (model + recomputed FLOPs) ÷ model FLOPs"


def write_report(work: Work) -> Report:
    """The report of one calculation; numbers in the units that people read."""
    known = work.hfu is not None
    return Report(
        headline=_headline(work),
        facts=(),
        rule=(RULE, "MFU counts forward and backward; recompute changes HFU alone"),
        band_note="No band: they were written for dense training, and this is a mixture of experts."
        if work.mixture
        else "",
        hero="hfu" if known else "mfu",
        label="HFU" if known else "MFU",
        gauge="mfu" if work.mfu is not None else "",
    )


def _headline(work: Work) -> str:
    if work.mfu is None:
        return "hardware FLOPs give an MFU once it is stated what is recomputed"
    mfu = format_fixed(to_percent(work.mfu), 1)
    if work.again is None:
        return "no HFU: what is recomputed is not " + ("known without the shapes" if work.stated else "stated")
    more = format_plain(round(to_percent(work.again), 1))
    return f"MFU {mfu} %; {more} % of the model's FLOPs run twice"
