"""The work of a training method: FLOPs of one token, or of one step with rollouts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from peakwise.calculators.check import Checked
from peakwise.calculators.lacks import lack_length, lack_shapes
from peakwise.calculators.link import make_link
from peakwise.calculators.method_flops_fields import DECLARATION
from peakwise.calculators.method_flops_report import write_report
from peakwise.calculators.method_passes import (
    ROLLOUTS,
    ByParameters,
    Method,
    Rollouts,
    Source,
    count_method,
    count_step,
)
from peakwise.calculators.method_time import StepTime
from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.shape_fields import says_shapes
from peakwise.core.calculation import Calculation, Lack
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Display, Step, Value
from peakwise.core.finding import Finding
from peakwise.core.units import GIGA, TERA, from_giga, from_percent, from_tera
from peakwise.core.version import VERSION
from peakwise.counting.methods import Passes

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate"]

_PARAMS = Display(form="number", unit="10⁹", scale=GIGA, decimals=2)
_TFLOPS = Display(form="number", unit="TFLOP/s", scale=TERA, decimals=0)


class _Told(NamedTuple):
    """Where passes come from, and what is said of it."""

    source: Source
    inputs: Checked
    shaped: bool
    attention: str = "none"
    rule: str = "counts 2 FLOP for each parameter forward; attention left out"
    lacks_length: bool = False
    warnings: tuple[Finding, ...] = ()


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """The work of one token under a method, or of one step of reinforcement learning with its time and MFU.

    **Formula** by parameters: forward 2N, full 6N, adapters 4N, a live reference 2N more; with shapes the ledger.
    **Raises** InputError where shapes lack or contradict each other, or it is not known what trains.
    """
    method = cast(Method, checked.text("method"))
    told = _tell(checked, catalogue)
    step = _step_time(checked, told.source) if method in ROLLOUTS else None
    passes = None if step is not None or told.lacks_length else _passes(checked, method, told.source)
    results = _results(told, passes, step)
    return Calculation(
        name=DECLARATION.id,
        inputs=told.inputs.inputs,
        results=results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": told.attention, "denominator": "dense"},
        report=write_report(method, results, told.rule),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=(*told.warnings, *checked.notes),
        missing=_missing(checked, told, passes, step),
        working=_steps(passes, step),
        symbols={"matmul_params": (told.source.n_params, _PARAMS)}
        if step is None
        else {"peak": (step.peak_flop_per_s, _TFLOPS)},
        charts=partial(_charts, checked, told, step),
    )


def _charts(checked: Checked, told: _Told, step: StepTime | None) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.method_flops_chart import draw_methods, draw_step

    if step is not None:
        return (draw_step(step),)
    return () if told.lacks_length else (draw_methods(checked, told.source),)


def _tell(checked: Checked, catalogue: Catalogue) -> _Told:
    if catalogue.model is not None or says_shapes(checked):
        from peakwise.calculators.method_shapes import shape_method  # the engine, only where it counts

        found = shape_method(checked, catalogue.model)
        return _Told(
            source=found.source,
            inputs=found.inputs,
            shaped=True,
            attention=found.attention,
            rule=found.rule,
            lacks_length=found.lacks_length,
            warnings=found.warnings,
        )
    params = checked.number("params_b")
    assert params is not None  # one way of saying the model is required
    policy, early = checked.text("recompute"), bool(checked.flag("early_stop"))
    again = {"none": False, "full": None if early else True}.get(policy or "none")
    return _Told(source=ByParameters(from_giga(params), again=again), inputs=checked, shaped=False)


def _passes(checked: Checked, method: Method, source: Source) -> Passes | None:
    last, teacher = checked.number("trained_layers"), checked.number("teacher_params_b")
    return count_method(method, source, last=int(last or 0), n_teacher=from_giga(teacher or 0))


def _step_time(checked: Checked, source: Source) -> StepTime:
    """One step of rollouts at the stated utilizations."""
    value = {key: checked.number(key) for key in ("prompts", "prompt_tokens", "response_tokens", "updates")}
    ppo = checked.text("method") == "ppo"
    reward, critic = checked.number("reward_params_b"), checked.number("critic_params_b")
    rollouts = Rollouts(
        prompts=int(value["prompts"] or 0),
        group=int(checked.number("group") or 1),  # one response a prompt, where nobody said otherwise
        prompt_tokens=value["prompt_tokens"] or 0,
        response_tokens=value["response_tokens"] or 0,
        prefill_shared=bool(checked.flag("prefill_shared")),
        old_logprob=bool(checked.flag("old_logprob")),
        kl=bool(checked.flag("kl")),
        updates=int(value["updates"] or 1),
        n_reward=from_giga(reward or 0) if ppo else None,
        n_critic=from_giga(critic or 0) if ppo else None,
    )
    peak, devices = checked.number("peak_tflops"), checked.number("accelerators")
    decode, prefill, other = (checked.number(key) for key in ("decode_pct", "prefill_pct", "other_pct"))
    return StepTime(
        step=count_step(source, rollouts),
        peak_flop_per_s=from_tera(peak or 0) * (devices or 0),
        decode=from_percent(decode or 0),
        prefill=from_percent(prefill or 0),
        other=from_percent(other or 0),
    )


def _results(told: _Told, passes: Passes | None, step: StepTime | None) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration; those of the other kind of method are null."""
    results: dict[str, Value | None] = dict.fromkeys(result.key for result in DECLARATION.results)
    if passes is not None:
        full = told.source.full()
        results |= {
            "flop_per_token": passes.model,
            "hardware_flop_per_token": passes.hardware if told.source.knows_recompute else None,
            "multiplier": passes.model / told.source.n_params,
            "ratio_to_full": passes.model / full.model,
        }
    if step is not None:
        results |= {"step_flop": step.flop}
        results |= {f"share_{phase}": flop / step.flop for phase, flop in step.step.phases.items()}
        results |= {"step_s": step.step_s, "time_share_decode": step.share_of("decode"), "mfu": step.mfu}
    return results


def _missing(checked: Checked, told: _Told, passes: Passes | None, step: StepTime | None) -> tuple[Lack, ...]:
    """The input that a null result lacks; results of the other kind of method lack nothing."""
    if step is not None:
        return ()
    if told.lacks_length:
        return (lack_length("flop_per_token, hardware_flop_per_token, multiplier, ratio_to_full"),)
    if passes is None:
        return (lack_shapes("flop_per_token, hardware_flop_per_token, multiplier, ratio_to_full"),)
    if told.source.knows_recompute:
        return ()
    if checked.text("recompute") == "fraction":
        why = "hardware_flop_per_token: which fraction runs again is not asked here"
        return (Lack(input="recompute", why=why, how="--recompute full"),)
    return (lack_shapes("hardware_flop_per_token"),)


def _steps(passes: Passes | None, step: StepTime | None) -> tuple[Step, ...]:
    """How the main results follow, for people."""
    if step is not None:
        return (
            Step("time_share_decode", "{share_decode} × {step_flop}", "{decode_pct} × {peak} × {step_s}"),
            Step("mfu", "{step_flop}", "{peak} × {step_s}"),
        )
    if passes is None:
        return ()
    return (Step("multiplier", "{flop_per_token}", "{matmul_params}"),)
