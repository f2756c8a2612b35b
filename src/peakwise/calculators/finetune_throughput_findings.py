"""What cannot be right, or is rarely so, in the inputs of a fine-tuning throughput."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.efficiency import find_efficiency
from peakwise.calculators.finetune_throughput_work import Points, Work
from peakwise.core.calculation import Cause
from peakwise.core.finding import Finding
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_percent

HIGH = 0.65  # W_HIGH: what trainings reach, by the product's rules for findings
MEASURE = "--rate-at-1 R --devices-at-n N --rate-at-n R"  # in place of a typed efficiency
FROZEN = 4  # FLOPs per parameter and token where the weights are frozen: forward and input gradient


def find_causes(work: Work) -> tuple[Cause, ...]:
    """Why the MFU is above the peak, likeliest first; empty at or below it."""
    mfu = work.mfu
    return tuple(_causes(work, mfu)) if mfu is not None and mfu > 1 else ()


def _causes(work: Work, mfu: float) -> Iterator[Cause]:
    rate = work.rate_per_device
    if work.devices > 1 and rate is not None and mfu / work.devices <= 1:
        repair = () if work.points else (("tokens_per_s_per_device", rate / work.devices),)
        fix = f"--rate-per-device {format_plain(rate / work.devices)}" if repair else "--rate-lo R --rate-hi R"
        text = "the rate is the whole run's, not one accelerator's"
        yield Cause(text=text, value=mfu / work.devices, fix=fix, id="whole_rate", repair=repair)
    if work.factor is not None and work.flop_per_token is not None:
        flop = work.flop_per_token * FROZEN / work.factor
        if mfu * FROZEN / work.factor <= 1:
            yield Cause(
                text=f"weights are frozen: {FROZEN}N per token, not {work.factor}N",
                value=mfu * FROZEN / work.factor,
                fix=f"--flops-per-token {format_plain(flop)}",
                id="frozen",
                values=(("factor", FROZEN), ("given", work.factor)),
                repair=(("flop_per_token", flop),),
            )
        text = "a mixture of experts: only the parameters used per token count"
        yield Cause(text=text, value=None, fix="--params N", id="experts")
    yield Cause(text="the peak belongs to a faster chip or type", value=None, fix='--peak "N TFLOP/s"', id="peak")


def find_warnings(work: Work, causes: tuple[Cause, ...]) -> Iterator[Finding]:
    """The findings of one calculation, the gravest first."""
    mfu = work.mfu
    if causes and mfu is not None:
        yield _over(mfu, causes)
    elif mfu is not None and round(mfu, 12) > HIGH:
        yield _high(work, mfu)
    if work.points is not None and not work.points.is_inside:
        yield _outside(work.points)
    key = "efficiency_pct" if work.scaling_c is None else "rate_at_n"
    fix = MEASURE if work.scaling_c is None else "--rate-at-n R"
    yield from find_efficiency(work.efficiency, work.devices, key, fraction_noted=work.fraction_noted, fix=fix)


def _percent(fraction: float) -> str:
    return format_fixed(to_percent(fraction), 1) + " %"


def _over(mfu: float, causes: tuple[Cause, ...]) -> Finding:
    likely = "; ".join(cause.text + ("" if cause.value is None else f" ({_percent(cause.value)})") for cause in causes)
    return Finding(
        code="E_OVER",
        message=f"MFU is {_percent(mfu)}, above the peak, so one input is likely wrong: {likely}",
        input="tokens_per_s_per_device",
        fix=causes[0].fix,
        values=(("case", "mfu"), ("value", mfu)),
        repair=causes[0].repair,
    )


def _high(work: Work, mfu: float) -> Finding:
    whole = work.devices > 1 and work.points is None and work.rate_per_device is not None
    rate = (work.rate_per_device or 0) / work.devices
    return Finding(
        code="W_HIGH",
        message=f"an MFU of {_percent(mfu)} is more than trainings reach; the likely cause is that the rate is the "
        "whole run's and not one accelerator's",
        input="tokens_per_s_per_device",
        fix=f"--rate-per-device {format_plain(rate)}" if whole else "",
        values=(("case", "rate"), ("value", mfu)),
        repair=(("tokens_per_s_per_device", rate),) if whole else (),
    )


def _outside(points: Points) -> Finding:
    low, high = points.low[0], points.high[0]
    nearest = low if points.batch < low else high
    return Finding(
        code="W_OUTSIDE",
        message=f"a batch of {format_plain(points.batch)} lies outside the measured {format_plain(low)} to "
        f"{format_plain(high)}, so there is no rate; beyond them it is not known",
        input="batch",
        fix=f"--batch {format_plain(nearest)}",
        values=(("batch", points.batch), ("low", low), ("high", high)),
        repair=(("batch", nearest),),
    )
