"""What the MFU calculator's report says: one line of news, the facts with their basis, the rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from peakwise.calculators.check import Checked
from peakwise.calculators.mfu_work import Work
from peakwise.core.bands import next_edge
from peakwise.core.calculation import Fact, Report
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent, to_tera

if TYPE_CHECKING:
    from peakwise.core.quantity import Basis

RULE = "MFU = work per token × rate ÷ (peak × accelerators)"


def write_report(work: Work, checked: Checked) -> Report:
    """The report of one calculation; numbers in the units that people read."""
    done, can = format_fixed(to_tera(work.flop_per_s), 1), format_fixed(to_tera(work.peak_flop_per_s), 0)
    over = work.mfu > 1
    return Report(
        headline=f"{done} TFLOP/s on hardware that can do {can}" if over else f"{done} of {can} TFLOP/s",
        facts=tuple(_facts(work, checked)),
        rule=(RULE, _counts(work, checked)),
        band_note=f"No band: they were written for dense training, and {work.no_band}." if work.no_band else "",
        gauge="mfu",
    )


def _facts(work: Work, checked: Checked) -> Iterator[Fact]:
    yield _work_fact(work, checked)
    yield from _rate_facts(work, checked)
    peak = checked.inputs["peak_tflops"]
    source = f"{peak.source}, dense" if work.peak_typed else peak.source
    yield Fact(
        label="peak",
        value=to_tera(work.peak_per_device),
        decimals=None,
        unit="TFLOP/s",
        basis=peak.basis,
        source=source,
    )
    devices = checked.inputs["accelerators"]
    name = devices.source if checked.stated("accelerators") else "--devices"
    yield Fact(label="accelerators", value=work.devices, decimals=0, unit="", basis=devices.basis, source=name)
    yield from _more(work)
    edge = next_edge(work.mfu)
    if edge is not None:
        label = f"rate at {format_plain(to_percent(edge[0]))} %"
        yield _token_fact(label, work.rate_at(edge[0]), f"band {edge[1]} begins")
    yield _token_fact("rate at the peak", work.rate_at(1), "")


def _token_fact(label: str, value: float, source: str, basis: Basis = "derived") -> Fact:
    return Fact(label=label, value=value, decimals=0, unit="token/s", basis=basis, source=source)


def _work_fact(work: Work, checked: Checked) -> Fact:
    basis: Basis = "derived"
    if work.stated_work:
        basis, source = "stated", checked.inputs["flop_per_token"].source
    else:
        assert work.factor is not None  # required where the work of a token was not stated
        used = checked.number("active_params_b") or checked.number("params_b")
        assert used is not None  # one of the group is required
        source = f"{format_plain(work.factor)} × {format_plain(used)} ×10⁹"
        source += " active" if work.n_active is not None else ""
        source += f" + {work.attention} attention" if work.attention != "none" else ""
    value = to_giga(work.flop_per_token)
    return Fact(label="work per token", value=value, decimals=2, unit="GFLOP", basis=basis, source=source)


def _rate_facts(work: Work, checked: Checked) -> Iterator[Fact]:
    if work.rate_key == "tokens_per_s":
        yield _token_fact("rate", work.tokens_per_s, checked.inputs["tokens_per_s"].source, "stated")
    elif work.rate_key == "tokens_per_s_per_device":
        each = checked.number("tokens_per_s_per_device") or 0
        source = checked.inputs["tokens_per_s_per_device"].source
        yield _token_fact("rate per accelerator", each, source, "stated")
        yield _token_fact("rate", work.tokens_per_s, f"× {work.devices:,} accelerators")
    else:
        step_s, batch, seq_len = (checked.number(key) or 0 for key in ("step_s", "global_batch", "seq_len"))
        yield _token_fact("rate", work.tokens_per_s, f"{batch:,} × {seq_len:,} ÷ {format_plain(step_s)} s")


def _more(work: Work) -> Iterator[Fact]:
    """Utilizations of another kind, where they say more than the hero line."""
    if work.hfu is not None:
        yield _percent_fact(
            "HFU", work.hfu, f"recompute of {format_plain(to_percent(work.recompute or 0))} % of blocks"
        )
    if work.lost:
        lost = format_plain(to_percent(work.lost))
        yield _percent_fact("MFU of the whole run", work.mfu * (1 - work.lost), f"{lost} % of the time lost")
    if work.mfu_math_peak is not None and work.mfu_math_peak != work.mfu:
        yield _percent_fact(f"MFU over {work.precision}", work.mfu_math_peak, "peak of what ran")


def _percent_fact(label: str, value: float, source: str) -> Fact:
    return Fact(label=label, value=to_percent(value), decimals=1, unit="%", basis="derived", source=source)


def _counts(work: Work, checked: Checked) -> str:
    """What the count holds and leaves out, and the rule set."""
    what = "every active parameter" if work.n_active is not None else "every parameter"
    if work.stated_work:
        counted, attention = "work per token as stated", ""
    elif work.workload == "inference" and not work.factor_stated:
        counted, attention = f"counts {what} once, forward", _attention(work, checked)
    elif work.workload == "training" and not work.factor_stated:
        counted, attention = f"counts {what} once forward, twice backward", _attention(work, checked)
    else:
        factor = format_plain(work.factor or 0)
        counted, attention = f"counts {factor} FLOP for {what}", _attention(work, checked)
    return f"{counted}{attention}; rule set 2026-11"


def _attention(work: Work, checked: Checked) -> str:
    if work.attention == "none":
        return "; attention left out"
    pairs = f", {checked.text('pairs')} pairs" if work.attention == "causal" else ""
    return f"; {work.attention} attention{pairs}"
