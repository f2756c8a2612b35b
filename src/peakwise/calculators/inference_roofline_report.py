"""What the roofline's report says: one line of news, the facts with their basis, the rule, the steps."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.check import Checked
from peakwise.calculators.inference_roofline_work import Work
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.calculation import Fact, Report
from peakwise.core.declaration import Step
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent, to_tera

RULE = "rate ≤ min(batch × bandwidth ÷ (weights + batch × KV cache), peak ÷ 2 per active parameter)"
LEFT_OUT = f"attention's FLOPs, activations, collectives and launches are left out; rule set {RULE_SET}"

_LABELS = {"tokens_per_s_ceiling": "At most", "mbu": "MBU", "mfu": "MFU"}


def write_report(work: Work, checked: Checked) -> Report:
    """The report of one calculation; numbers in the units that people read."""
    ceiling = work.ceiling(work.batch)
    rate = format_fixed(ceiling, 2 if ceiling < 1000 else 0)
    return Report(
        headline=f"at most {rate} token/s at batch {work.batch:,}, bound by {work.bound}",
        facts=tuple(_facts(work, checked)),
        rule=(RULE, LEFT_OUT),
        hero=_hero(work),
        label=_LABELS[_hero(work)],
    )


def _hero(work: Work) -> str:
    """The result to show large: the ceiling, or the share that a measured rate has above 1."""
    if not work.over:
        return "tokens_per_s_ceiling"
    return "mbu" if work.mbu >= work.mfu else "mfu"


def write_steps(work: Work) -> tuple[Step, ...]:
    """How the main results are computed, for a model whose weights are read whole."""
    if work.is_mixture:
        return (Step("latency_s_per_token", "{batch}", "{tokens_per_s_ceiling}"),)
    return (
        Step("weight_bytes", "{params_b} × {bytes_per_param}"),
        Step("single_stream_tokens_per_s", "{bandwidth_gb_s} × {accelerators}", "{weight_bytes} + {kv_bytes}")
        if work.batch == 1 and work.reached == 1
        else Step("latency_s_per_token", "{batch}", "{tokens_per_s_ceiling}"),
        Step("ridge_flop_per_byte", "{peak_tflops}", "{bandwidth_gb_s}")
        if work.reached == 1
        else Step("ridge_flop_per_byte", "{peak_tflops}", "{bandwidth_gb_s} × {bandwidth_pct}"),
    )


def _facts(work: Work, checked: Checked) -> Iterator[Fact]:
    weights = work.weight_bytes(work.batch)
    yield Fact("weights read per step", to_giga(weights), 1, "GB", "derived", _reads(work))
    if work.kv_bytes_each:
        source = f"{work.batch:,} × {work.context:,} tokens × {format_plain(work.kv_bytes_per_token)} byte"
        yield Fact("KV cache read per step", to_giga(work.batch * work.kv_bytes_each), 1, "GB", "derived", source)
    bandwidth, peak = checked.inputs["bandwidth_gb_s"], checked.inputs["peak_tflops"]
    yield Fact("bandwidth", to_giga(work.bandwidth_per_device), None, "GB/s", bandwidth.basis, bandwidth.source)
    source = peak.source if "dense" in peak.source else f"{peak.source}, dense"
    yield Fact("peak", to_tera(work.peak_per_device), None, "TFLOP/s", peak.basis, source)
    devices = checked.inputs["accelerators"]
    yield Fact("accelerators", work.devices, 0, "", devices.basis, devices.source)
    if work.ridge_batch is not None:
        yield Fact("batch at the ridge", work.ridge_batch, 1, "", "derived", "compute takes over from memory")
    at = "the measured rate" if work.rate is not None else "the ceiling"
    yield Fact("MBU", to_percent(work.mbu), 1, "%", "derived", f"at {at}")
    yield Fact("MFU", to_percent(work.mfu), 1, "%", "derived", f"at {at}")
    if work.max_batch is not None:
        yield Fact("batch that fits", work.max_batch, 0, "", "derived", "memory left beside the weights")
    if work.streams_needed is not None:
        source = f"for {format_plain(work.target or 0)} token/s"
        yield Fact("streams needed", work.streams_needed, 0, "", "derived", source)


def _reads(work: Work) -> str:
    if work.experts_known:
        return f"expected of {work.n_experts:,} experts, {work.top_k:,} a token"
    if work.reads_bounded:
        return "at most: every token meets other experts"
    return f"{format_plain(to_giga(work.n_params))} ×10⁹ × {format_plain(work.bytes_per_param)} byte"
