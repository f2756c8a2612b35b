"""FLOPs of one token from a person's numbers: parameters alone, a named model, or shapes."""

from __future__ import annotations

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.flops_per_token_fields import DECLARATION
from peakwise.calculators.flops_per_token_report import Told, write_report
from peakwise.calculators.lacks import lack_shapes
from peakwise.calculators.link import make_link
from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.shape_fields import says_shapes
from peakwise.core.calculation import Calculation
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Step
from peakwise.core.number import format_plain
from peakwise.core.units import from_giga
from peakwise.core.version import VERSION

__all__ = ["DECLARATION", "calculate"]

# FLOPs per parameter and token: a multiply and an add forward, and twice that backward (activations, weights).
FORWARD, BACKWARD = 2, 4
PARTS = ("projections", "attention", "ffn", "router", "head", "mtp")


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """The FLOPs of one token, by part, forward and in training.

    **Formula** with shapes: the ledger that `count` builds, under the rule for pairs; training = 3 × forward. With
    parameters alone: 2N forward, 6N in training, attention left out.
    **Raises** InputError where shapes lack or contradict each other, or the stated parameters do not follow from them.
    """
    shaped = catalogue.model is not None or says_shapes(checked)
    if shaped:
        from peakwise.calculators.flops_per_token_shapes import tell_shapes  # the engine, only where it counts

        told = tell_shapes(checked, catalogue.model)
    else:
        told = _tell_parameters(checked)
    return Calculation(
        name=DECLARATION.id,
        inputs=told.checked.inputs,
        results=told.results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": told.attention, "denominator": "dense"},
        report=write_report(told),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=(*told.warnings, *checked.notes),
        missing=told.missing,
        working=_steps(told, shaped=shaped),
        charts=told.charts,
    )


def _tell_parameters(checked: Checked) -> Told:
    """The results of parameters alone; what needs shapes is null."""
    total, active = checked.number("params_b"), checked.number("active_params_b")
    assert total is not None  # one way of saying the model is required
    if active is not None and active > total:
        raise refuse([_more_active(active, total)], DECLARATION, checked.face)
    used = from_giga(total if active is None else active)
    unknown = dict.fromkeys(result.key for result in DECLARATION.results)
    results = unknown | {
        "forward_flop_per_token": FORWARD * used,
        "backward_flop_per_token": BACKWARD * used,
        "training_flop_per_token": (FORWARD + BACKWARD) * used,
        "n_matmul_params": used,
        "n_params": from_giga(total),
        "rule_6n_flop_per_token": (FORWARD + BACKWARD) * used,
    }
    rule = "counts 2 FLOP for each parameter forward; attention left out"
    return Told(checked, results, rule, missing=(lack_shapes("parts, attention"),))


def _more_active(active: float, total: float) -> Problem:
    return Problem(
        field="active_params_b",
        code="E_RANGE",
        message=f"{format_plain(active)} ×10⁹ active parameters are more than the {format_plain(total)} ×10⁹ there are",
        got=format_plain(active),
        expected=f"at most {format_plain(total)}",
        hint="--active-params N",
    )


def _steps(told: Told, *, shaped: bool) -> tuple[Step, ...]:
    """How the main results follow, for people."""
    if not shaped:
        return (Step("training_flop_per_token", "6 × {n_matmul_params}"),)
    if told.missing:
        return (Step("rule_6n_flop_per_token", "6 × {n_matmul_params}"),)
    parts = " + ".join(f"{{part_{part}}}" for part in PARTS if told.results[f"part_{part}"])
    return (Step("forward_flop_per_token", parts), Step("training_flop_per_token", "3 × {forward_flop_per_token}"))
