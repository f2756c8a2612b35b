"""What a reader of a count should know beside the figure: defaults, assumptions, what was left out."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.count import Parameters, Rule
from peakwise.core.errors import ConfigError
from peakwise.core.finding import Finding
from peakwise.core.model import Model
from peakwise.core.quantity import Basis
from peakwise.core.training import FULL
from peakwise.core.units import to_giga, to_percent
from peakwise.core.workload import Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger

# A stated parameter count may be rounded to the digits people print ("8B" for 8.03 ×10⁹): 1 %.
EXPECTED_WITHIN = 0.01


def find_warnings(model: Model, workload: Workload, rules: tuple[Rule, ...], convention: str) -> tuple[Finding, ...]:
    """The warnings of a count, in the order of their weight."""
    found: list[Finding] = []
    if model.assumed_like:
        message = f"structure taken from {model.assumed_like}; every figure is assumed"
        found.append(Finding(code="W_LIKE", message=message, input="like"))
    if model.defaults_used:
        message = f"absent from the config, class default used: {'; '.join(model.defaults_used)}"
        found.append(Finding(code="W_DEFAULT", message=message, input="model"))
    if model.unread:
        message = f"fields not understood, taken for neutral: {', '.join(model.unread)}"
        found.append(Finding(code="W_UNREAD", message=message, input="model"))
    if model.mtp and not workload.mtp:
        found.append(_mtp_left_out(model, workload))
    for rule in rules:
        if rule.id == convention and rule.note:
            found.append(Finding(code="W_RULE_NOTE", message=f"{rule.id}: {rule.note}", input="convention"))
    return tuple(found)


def _mtp_left_out(model: Model, workload: Workload) -> Finding:
    everything = replace(workload, train=FULL)
    bare = build_ledger(model, replace(everything, mtp=False)).model
    added = build_ledger(model, replace(everything, mtp=True)).model - bare
    return mtp_left_out(len(model.mtp), added / bare)


def mtp_left_out(n_modules: int, share: float) -> Finding:
    """The finding that MTP modules are left out; `share`: their FLOPs by those of the rest, a fraction."""
    modules = "module" if n_modules == 1 else "modules"
    message = (
        f"the model's {n_modules} multi-token-prediction {modules} left out: "
        f"{to_percent(share):.2f} % more FLOPs with them"
    )
    return Finding(
        code="W_MTP",
        message=message,
        input="mtp",
        fix="--mtp on",
        values=(("modules", n_modules), ("share", share)),
        repair=(("mtp", True),),
    )


def count_basis(model: Model, workload: Workload) -> Basis:
    """The basis of every figure: assumed where facts of another type, or lengths between quantiles, were assumed."""
    return "assumed" if model.assumed_like or workload.quantiles else "derived"


def count_expected(model: Model, expected: float | None) -> Parameters:
    """The parameters of a model, where they are as many as were expected, within 1 %.

    **Raises** ConfigError with both figures.
    """
    parameters = count_params(model)
    if expected is None or abs(parameters.total - expected) <= EXPECTED_WITHIN * expected:
        return parameters
    raise ConfigError(
        f"the config gives {to_giga(parameters.total):,.1f} ×10⁹ parameters, not {to_giga(expected):,.1f}",
        where=model.id,
        got=f"{parameters.total:,} parameters",
        expected=f"{expected:,.0f}, within 1 %",
        hint="check the widths in the config: an inner width may be printed for gate and up together",
    )
