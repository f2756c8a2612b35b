"""The most tokens per second that bandwidth and peak allow while decoding."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.inference_roofline_fields import DECLARATION
from peakwise.calculators.inference_roofline_findings import find_causes, find_warnings
from peakwise.calculators.inference_roofline_report import write_report, write_steps
from peakwise.calculators.inference_roofline_work import Work
from peakwise.calculators.link import make_link
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.calculation import Calculation, Input, Lack
from peakwise.core.catalogue import Catalogue
from peakwise.core.chip import Chip, Precision
from peakwise.core.declaration import Value
from peakwise.core.units import from_giga, from_percent, from_tera, to_giga, to_tera
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate", "resolve"]


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """The ceiling of decoding, token/s, with what holds it down and what else follows from the same inputs.

    **Formula** rate = min(B·bandwidth ÷ (W(B) + B·K), peak ÷ 2n), n the active parameters; W weights that a step reads,
    K the KV cache of one sequence. MBU and MFU are those of a measured rate, else of the ceiling.

    **Counts / leaves out** attention's FLOPs, activations, what is written, collectives and launches are out: a
    ceiling, not a prediction.

    **Raises** InputError where the named chip lacks a figure, or a part of the parameters is more than the whole.
    """
    given = _with_id(checked, catalogue.chip)
    filled = _with_chip(given, catalogue.chip)
    work = resolve(filled, catalogue)
    causes = find_causes(work)
    return Calculation(
        name=DECLARATION.id,
        inputs=filled.inputs,
        results=_results(work),
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": "none", "denominator": "dense"},
        report=write_report(work, filled),
        link=make_link(DECLARATION, given),
        version=VERSION,
        warnings=(*find_warnings(work, causes), *filled.notes),
        missing=_missing(work),
        causes=causes,
        working=write_steps(work),
        charts=partial(_charts, work),
    )


def _charts(work: Work) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.inference_roofline_pictures import draw_charts

    return draw_charts(work)


def _results(work: Work) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    ceiling = work.ceiling(work.batch)
    return {
        "single_stream_tokens_per_s": work.memory_rate(1),
        "ridge_flop_per_byte": work.ridge,
        "ridge_batch": work.ridge_batch,
        "tokens_per_s_ceiling": ceiling,
        "bound": work.bound,
        "latency_s_per_token": work.batch / ceiling,
        "mfu": work.mfu,
        "mbu": work.mbu,
        "weight_bytes": work.weight_bytes(work.batch),
        "kv_bytes": work.batch * work.kv_bytes_each,
        "memory_bytes": work.memory_bytes,
        "fits": work.fits,
        "max_batch": work.max_batch,
        "streams_needed": work.streams_needed,
    }


def _with_id(checked: Checked, chip: Chip | None) -> Checked:
    """The inputs with the catalogue's id in place of the name that was typed for the chip."""
    if chip is None:
        return checked
    return checked._replace(inputs={**checked.inputs, "chip": checked.inputs["chip"]._replace(value=chip.id)})


def _with_chip(checked: Checked, chip: Chip | None) -> Checked:
    """The inputs with what the named chip gives: bandwidth, peak and memory, where they were not typed."""
    if chip is None:
        return checked
    inputs, problems = dict(checked.inputs), list[Problem]()
    if not checked.stated("bandwidth_gb_s"):
        if chip.bandwidth_byte_per_s is None:
            problems.append(_lacks("bandwidth_gb_s", f"the catalogue has no memory bandwidth for {chip.id}"))
        else:
            inputs["bandwidth_gb_s"] = _filled("bandwidth_gb_s", to_giga(chip.bandwidth_byte_per_s), chip.id)
    if not checked.stated("peak_tflops"):
        precision = _precision(checked, chip)
        peak = None if precision is None else chip.peak_flop_per_s(precision)
        if peak is None:
            problems.append(_lacks("peak_tflops", f"the catalogue has no dense peak for these weights on {chip.id}"))
        else:
            inputs["peak_tflops"] = _filled("peak_tflops", to_tera(peak), f"{chip.id}, dense {precision}")
    if problems:
        raise refuse(problems, DECLARATION, checked.face)
    if not checked.stated("memory_gb") and chip.memory_bytes is not None:
        inputs["memory_gb"] = _filled("memory_gb", to_giga(chip.memory_bytes), chip.id)
    order = [field.key for field in DECLARATION.fields if field.key in inputs]
    return checked._replace(inputs={key: inputs[key] for key in order})


def _lacks(key: str, message: str) -> Problem:
    field = DECLARATION.field(key)
    return Problem(field=key, code="E_REQ", message=message, got="nothing", expected="the figure", hint=field.flag)


def _filled(key: str, value: float, source: str) -> Input:
    short = int(value) if value == int(value) else value
    return Input(value=short, unit=DECLARATION.field(key).unit, basis="stated", source=source)


def _precision(checked: Checked, chip: Chip) -> Precision | None:
    """The type whose peak divides: 16-bit for weights of 2 bytes or fewer, else the type of that width."""
    size = checked.number("bytes_per_param") or 0
    if size <= 2:
        return chip.dense16_precision
    return "fp32" if size <= 4 else "fp64"


# A part of the parameters, and the whole that it cannot exceed.
_PARTS = (("active_params_b", "params_b"), ("expert_params_b", "params_b"), ("top_k", "n_experts"))


def _check_parts(checked: Checked) -> None:
    """**Raises** InputError where a part is more than its whole."""
    problems: list[Problem] = []
    for part, whole in _PARTS:
        few, all_of = checked.number(part), checked.number(whole)
        if few is not None and all_of is not None and few > all_of:
            message = f"{part} is {few}, more than the {all_of} of {whole}"
            hint = f"{DECLARATION.field(part).flag} N"
            problems.append(Problem(part, "E_RANGE", message, str(few), f"at most {all_of}", hint))
    if problems:
        raise refuse(problems, DECLARATION, checked.face)


def resolve(checked: Checked, catalogue: Catalogue) -> Work:
    """The inputs in base units, with what the named chip gives. **Raises** InputError as `calculate`."""
    chip = catalogue.chip
    checked = _with_chip(checked, chip)
    _check_parts(checked)
    active, experts, memory = (checked.number(key) for key in ("active_params_b", "expert_params_b", "memory_gb"))
    return Work(
        n_params=from_giga(_number(checked, "params_b")),
        n_active=None if active is None else from_giga(active),
        n_expert_params=0 if experts is None else from_giga(experts),
        n_experts=int(_number(checked, "n_experts")),
        top_k=int(_number(checked, "top_k")),
        bytes_per_param=_number(checked, "bytes_per_param"),
        bandwidth_per_device=from_giga(_number(checked, "bandwidth_gb_s")),
        reached=from_percent(_number(checked, "bandwidth_pct")),
        peak_per_device=from_tera(_number(checked, "peak_tflops")),
        devices=int(_number(checked, "accelerators")),
        memory_per_device=None if memory is None else from_giga(memory),
        batch=int(_number(checked, "batch")),
        context=int(_number(checked, "context")),
        kv_bytes_per_token=_number(checked, "kv_bytes_per_token"),
        rate=checked.number("tokens_per_s"),
        target=checked.number("target_tokens_per_s"),
        chip=chip,
    )


def _number(checked: Checked, key: str) -> float:
    value = checked.number(key)
    assert value is not None  # required, filled from the chip, or with a default
    return value


def _missing(work: Work) -> tuple[Lack, ...]:
    """Inputs that a null result lacks."""
    lacks: list[Lack] = []
    if work.memory is None:
        lacks.append(Lack(input="memory_gb", why="fits: the memory is not known", how="--memory GB, or --chip CHIP"))
    if not work.context:
        lacks.append(Lack(input="context", why="max_batch: no tokens in the sequences", how="--context N"))
    if not work.kv_bytes_per_token:
        why = "max_batch: the size of the KV cache is not known"
        lacks.append(Lack(input="kv_bytes_per_token", why=why, how="--kv-bytes N"))
    if (work.n_experts or work.top_k) and not work.experts_known:
        why = "weight_bytes: experts count only with their number, top-k and parameters together"
        lacks.append(Lack(input="expert_params_b", why=why, how="--experts N --top-k K --expert-params N"))
    if work.target is None:
        why = "streams_needed: no rate to reach"
        lacks.append(Lack(input="target_tokens_per_s", why=why, how="--target-rate N"))
    return tuple(lacks)
