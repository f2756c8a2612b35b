"""What cannot be right, or is rarely so, in a reported utilization: each with its likely cause and a repair."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.hfu_work import Work
from peakwise.core.calculation import Cause
from peakwise.core.finding import Finding
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_percent

HIGH = 0.65  # W_HIGH: what trainings rarely pass (the product's table of warnings)


def _percent(fraction: float) -> str:
    return format_fixed(to_percent(fraction), 1) + " %"


def find_causes(work: Work) -> tuple[Cause, ...]:
    """Why a utilization is above the peak, likeliest first, with the MFU it would be; empty at or below the peak."""
    return tuple(_causes(work)) if _over(work) else ()


def _over(work: Work) -> str:
    """The key of the utilization that is above the peak, or an empty text."""
    if work.mfu is not None and work.mfu > 1:
        return "mfu"
    return "hfu" if work.hfu is not None and work.hfu > 1 else ""


def _causes(work: Work) -> Iterator[Cause]:
    if _over(work) == "hfu" and work.kind == "model":
        yield Cause(
            text="less is recomputed than stated",
            value=work.mfu,
            fix="--recompute none",
            id="recompute",
            repair=(("recompute", "none"), ("recompute_fraction", None), ("flash_backward", False)),
        )
    if work.key == "achieved_tflops":
        yield Cause(
            text="the achieved rate is that of several accelerators",
            value=None,
            fix="--achieved N",
            id="achieved_of_several",
        )
    if work.kind == "model" and work.again:
        yield _hardware(work)
    yield Cause(text="the peak belongs to a faster chip or type", value=None, fix="--peak N", id="peak")


def _hardware(work: Work) -> Cause:
    """Recompute is in the figure already."""
    assert work.again is not None  # asked for only where it is known
    value = work.reported / (1 + work.again)
    if work.key == "achieved_tflops":
        fix, repair = "--flops-kind hardware", (("flops_kind", "hardware"),)
    else:
        fix, repair = f"--mfu {format_fixed(to_percent(value), 1)}", (("mfu_pct", to_percent(value)),)
    text = "the figure is HFU: recompute is in it already"
    return Cause(text=text, value=value, fix=fix, id="hardware_flops", repair=repair)


def find_warnings(work: Work, causes: tuple[Cause, ...]) -> Iterator[Finding]:
    """The findings of one calculation, the gravest first."""
    if causes:
        yield _above(work, causes)
    elif work.mfu is not None and round(work.mfu, 12) > HIGH:
        yield Finding(
            code="W_HIGH",
            message=f"{_percent(work.mfu)} is more than trainings reach; the likely cause is that recompute is in the "
            "figure, or that it belongs to another peak",
            input=work.key,
            values=(("variant", "reported"), ("value", work.mfu), ("mfu", work.mfu)),
        )


def _above(work: Work, causes: tuple[Cause, ...]) -> Finding:
    key = _over(work)
    value = work.mfu if key == "mfu" else work.hfu
    assert value is not None  # it is above the peak
    likely = "; ".join(cause.text + ("" if cause.value is None else f" ({_percent(cause.value)})") for cause in causes)
    what = "" if key == "mfu" else f"HFU is {_percent(value)}, "
    return Finding(
        code="E_OVER",
        message=f"{what}above the peak, so one input is likely wrong: {likely}",
        input=work.key if key == "mfu" else "recompute",
        fix=next((cause.fix for cause in causes if cause.fix), ""),
        values=(("variant", key), ("value", value)),
    )
