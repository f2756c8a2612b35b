"""MFU from a person's numbers: model, rate and hardware."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

from peakwise.calculators.attention import Attention, Pairs, forward_flop, mean_keys
from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.link import make_link
from peakwise.calculators.mfu_fields import DECLARATION
from peakwise.calculators.mfu_findings import find_causes, find_warnings, matching_mixture
from peakwise.calculators.mfu_report import write_report
from peakwise.calculators.mfu_work import Work
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.bands import find_band, next_edge
from peakwise.core.calculation import Calculation, Input, Lack
from peakwise.core.catalogue import Catalogue
from peakwise.core.chip import BITS, Chip, Precision
from peakwise.core.declaration import Display, Step, Value
from peakwise.core.units import from_giga, from_percent, from_tera, to_giga, to_tera
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate"]

# FLOPs per parameter and token: multiply and add forward, and twice that backward (activations, weights).
FACTORS: Mapping[str, int] = {"inference": 2, "training": 6}


FACTOR = Display(form="number", decimals=0)


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """The MFU of a run, fraction, with what else follows from the same inputs.

    **Formula** mfu = FLOPs per token × token/s ÷ (peak × accelerators); FLOPs per token = k·N plus, where shapes are
    given, k/2 forward attentions. hfu = mfu·(1 + recompute/3): a third of training's FLOPs is forward.

    **Raises** InputError where the named chip has no peak for this run, or more parameters are active than there are.
    """
    given = _with_id(checked, catalogue.chip)
    checked = _with_chip(given, catalogue.chip)
    work = _resolve(checked, catalogue)
    causes = find_causes(work)
    return Calculation(
        name=DECLARATION.id,
        inputs=checked.inputs,
        results=_results(work),
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": work.attention, "denominator": "dense"},
        report=write_report(work, checked),
        link=make_link(DECLARATION, given),
        version=VERSION,
        warnings=(*find_warnings(work, causes), *checked.notes),
        missing=_missing(work),
        causes=causes,
        working=_steps(work),
        charts=partial(_charts, work),
        symbols={"factor": (work.factor or 0, FACTOR)},
    )


def _charts(work: Work) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.mfu_chart import draw_charts

    return draw_charts(work)


def _steps(work: Work) -> tuple[Step, ...]:
    """How the main results follow from the inputs, for people."""
    if work.stated_work:
        per_token = ()
    else:
        used = "active_params_b" if work.n_active is not None else "params_b"
        per_token = (Step("flop_per_token", f"{{factor}} × {{{used}}}"),) if work.attention == "none" else ()
    return (
        *per_token,
        Step("flop_per_s", "{flop_per_token} × {tokens_per_s_total}"),
        Step("mfu", "{flop_per_s}", "{peak_flop_per_s}"),
    )


def _results(work: Work) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    edge = next_edge(work.mfu)
    return {
        "flop_per_s": work.flop_per_s,
        "flop_per_s_per_device": work.flop_per_s / work.devices,
        "mfu": work.mfu,
        "mfu_math_peak": work.mfu_math_peak,
        "peak_flop_per_s": work.peak_flop_per_s,
        "band": find_band(work.mfu),
        "band_applies": not work.no_band,
        "flop_per_token": work.flop_per_token,
        "tokens_per_s_total": work.tokens_per_s,
        "tokens_per_s_per_device_used": work.tokens_per_s / work.devices,
        "tokens_per_s_next_band": None if edge is None else work.rate_at(edge[0]),
        "tokens_per_s_at_peak": work.rate_at(1),
        "hfu": work.hfu,
        "mfu_wall": work.mfu * (1 - work.lost),
    }


def _with_id(checked: Checked, chip: Chip | None) -> Checked:
    """The inputs with the catalogue's id in place of the name that was typed for the chip."""
    if chip is None:
        return checked
    return checked._replace(inputs={**checked.inputs, "chip": checked.inputs["chip"]._replace(value=chip.id)})


def _with_chip(checked: Checked, chip: Chip | None) -> Checked:
    """The inputs with what the named chip gives: its peak and memory, where they were not typed."""
    if chip is None:
        return checked
    inputs = dict(checked.inputs)
    if not checked.stated("peak_tflops"):
        precision = _denominator(checked, chip)
        peak = chip.peak_flop_per_s(precision)
        assert peak is not None  # _denominator refuses a type that the chip has no figure for
        source = f"{chip.id}, dense {precision}"
        inputs["peak_tflops"] = _filled("peak_tflops", to_tera(peak), source)
    if not checked.stated("memory_gb") and chip.memory_bytes is not None:
        inputs["memory_gb"] = _filled("memory_gb", to_giga(chip.memory_bytes), chip.id)
    order = [field.key for field in DECLARATION.fields if field.key in inputs]
    return checked._replace(inputs={key: inputs[key] for key in order})


def _filled(key: str, value: float, source: str) -> Input:
    short = int(value) if value == int(value) else value
    return Input(value=short, unit=DECLARATION.field(key).unit, basis="stated", source=source)


def _denominator(checked: Checked, chip: Chip) -> Precision:
    """The type whose peak divides: the stated denominator, else the chip's rule for the precision that ran."""
    stated = checked.text("denominator")
    precision = cast(Precision, stated or checked.text("precision"))
    found = precision if stated else chip.denominator(precision)
    if found is not None and chip.peak_flop_per_s(found) is not None:
        return found
    has = ", ".join(peak.precision for peak in chip.peaks) or "none"
    problem = Problem(
        field="denominator" if stated else "peak_tflops",
        code="E_CHOICE" if stated else "E_REQ",
        message=f"the catalogue has no dense {precision} peak for {chip.id}",
        got=precision,
        expected=f"a type it has a peak for ({has}), or the peak itself",
        hint='--peak "N TFLOP/s"',
    )
    raise refuse([problem], DECLARATION, checked.face)


def _resolve(checked: Checked, catalogue: Catalogue) -> Work:
    """The inputs in base units, and the work of one token."""
    params, active = checked.number("params_b"), checked.number("active_params_b")
    if params is not None and active is not None and active > params:
        raise refuse([_more_active(active, params)], DECLARATION, checked.face)
    peak, memory = checked.number("peak_tflops"), checked.number("memory_gb")
    devices = checked.number("accelerators")
    assert peak is not None  # required, or filled from the chip
    assert devices is not None  # it has a default
    lost, recompute = checked.number("lost_pct"), checked.number("recompute_fraction")
    factor = checked.number("flops_per_param") or FACTORS.get(checked.text("workload") or "")
    n_params = None if params is None else from_giga(params)
    work = Work(
        workload=checked.text("workload") or "",
        factor=factor,
        n_params=n_params,
        n_active=None if active is None else from_giga(active),
        attention=checked.text("attention") or "none",
        flop_per_token=_flop_per_token(checked, factor),
        tokens_per_s=_rate(checked, devices),
        rate_key=next(
            key for key in ("tokens_per_s", "tokens_per_s_per_device", "step_s") if checked.number(key) is not None
        ),
        devices=int(devices),
        peak_per_device=_peak(checked, catalogue, from_tera(peak)),
        peak_typed=checked.inputs["peak_tflops"].source != _chip_source(checked, catalogue),
        precision=cast(Precision, checked.text("precision")),
        denominator=cast(Precision | None, checked.text("denominator")),
        memory_bytes=None if memory is None else from_giga(memory),
        recompute=recompute,
        lost=from_percent(lost or 0),
        stated_work=checked.stated("flop_per_token"),
        factor_stated=checked.stated("flops_per_param"),
        chip=catalogue.chip,
        near=catalogue.near,
    )
    return work._replace(mixture=matching_mixture(work, catalogue.mixtures))


def _chip_source(checked: Checked, catalogue: Catalogue) -> str:
    source = checked.inputs["peak_tflops"].source
    return source if catalogue.chip is not None and source.startswith(f"{catalogue.chip.id}, ") else ""


def _peak(checked: Checked, catalogue: Catalogue, typed: float) -> float:
    """The peak of one device, FLOP/s: the chip's own figure where it filled the field, without a detour by 10¹²."""
    source = _chip_source(checked, catalogue)
    if not source or catalogue.chip is None:
        return typed
    return catalogue.chip.peak_flop_per_s(_denominator(checked, catalogue.chip)) or typed


def _more_active(active: float, params: float) -> Problem:
    return Problem(
        field="active_params_b",
        code="E_RANGE",
        message=f"{active} ×10⁹ active parameters are more than the {params} ×10⁹ there are",
        got=str(active),
        expected=f"at most {params}",
        hint="--active-params N",
    )


def _flop_per_token(checked: Checked, factor: float | None) -> float:
    """FLOPs of one token: as stated, or k·N and k/2 forward attentions."""
    stated = checked.number("flop_per_token")
    if stated is not None:
        return float(stated)
    used = checked.number("active_params_b") or checked.number("params_b")
    assert used is not None  # one of the group is required
    assert factor is not None  # a custom one is required
    flop = factor * from_giga(used)
    attention = checked.text("attention")
    if attention == "none":
        return float(flop)
    layers, d_q, seq_len = (checked.number(key) for key in ("n_layers", "d_q", "seq_len"))
    assert layers is not None and d_q is not None and seq_len is not None  # noqa: PT018  required beside attention
    window = checked.number("window")
    keys = mean_keys(
        int(seq_len),
        cast(Attention, attention),
        cast(Pairs, checked.text("pairs")),
        None if window is None else int(window),
    )
    return flop + factor / 2 * forward_flop(int(layers), int(d_q), keys)


def _rate(checked: Checked, devices: float) -> float:
    """Tokens per second of the whole run, from whichever of the three ways was given."""
    total, each = checked.number("tokens_per_s"), checked.number("tokens_per_s_per_device")
    if total is not None:
        return total
    if each is not None:
        return each * devices
    step_s, batch, seq_len = (checked.number(key) for key in ("step_s", "global_batch", "seq_len"))
    assert step_s is not None and batch is not None and seq_len is not None  # noqa: PT018  required beside a step time
    return batch * seq_len / step_s


def _missing(work: Work) -> tuple[Lack, ...]:
    """Inputs that a null result lacks; results that do not apply to this workload lack nothing."""
    lacks: list[Lack] = []
    if work.workload == "training" and work.recompute is None:
        lacks.append(Lack(input="recompute_fraction", why="hfu: recompute is not stated", how="--recompute-fraction F"))
    if work.chip is None and BITS[work.precision] < BITS["bf16"]:
        why = f"mfu_math_peak: the {work.precision} peak is not known"
        lacks.append(Lack(input="chip", why=why, how="--chip CHIP"))
    return tuple(lacks)
