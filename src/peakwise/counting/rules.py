"""The figures of all conventions for a model under a workload."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.count import Parameters, Rule
from peakwise.core.errors import InputError
from peakwise.core.ledger import Ledger
from peakwise.core.model import Model
from peakwise.core.training import FULL
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.conventions.subject import Subject
from peakwise.counting.conventions.table import CONVENTIONS, EVERY_MODEL, NO_TEXT, apply_rules
from peakwise.counting.total import build_ledger


def count_rules(model: Model, parameters: Parameters, workload: Workload) -> tuple[Rule, ...]:
    """FLOPs per token of the work under every rule, in the order of the table.

    **Counts / leaves out** recompute of the workload plays no part: a rule that counts recompute says how much itself.
    Neither does padding: the closed forms see the slot's length, and their figure is for any token in it.
    Frozen weights and adapters change `exact` and `full` alone: the others were written for full training.
    """
    bare = replace(workload, mode="train", recompute=Recompute(), mtp=False, train=FULL, arranged=None, masked=None)
    wide = replace(bare, attention="full")
    exact, full = build_ledger(model, bare), build_ledger(model, wide)
    mtp_exact = mtp_full = 0
    if workload.mtp:
        mtp_exact = build_ledger(model, replace(bare, mtp=True)).model - exact.model
        mtp_full = build_ledger(model, replace(wide, mtp=True)).model - full.model
    subject = Subject(
        model=model,
        parameters=parameters,
        workload=workload,
        exact=exact,
        full=full,
        mtp_exact=mtp_exact,
        mtp_full=mtp_full,
        trained_exact=_sum_trained(model, workload, bare, exact),
        trained_full=_sum_trained(model, workload, wide, full),
    )
    return apply_rules(subject)


def _sum_trained(model: Model, workload: Workload, bare: Workload, everything: Ledger) -> int:
    """FLOPs that adapters add and frozen weights spare over the whole workload: negative where they spare more."""
    if workload.train == FULL:
        return 0
    ledger = build_ledger(model, replace(bare, train=workload.train))
    if workload.mode == "forward":  # a rule's forward is a third of its figure
        return 3 * (ledger.forward - everything.forward)
    return ledger.model - everything.model


def check_rule(rules: tuple[Rule, ...], convention: str) -> tuple[Rule, ...]:
    """The rules, where the convention is one of them and applies. **Raises** InputError that says why it does not."""
    for rule in rules:
        if rule.id == convention:
            if rule.flop_per_token is None and not (rule.id in EVERY_MODEL and rule.why_not == NO_TEXT):
                raise InputError(
                    f"the rule {convention} does not apply: {rule.why_not}",
                    where="--convention",
                    got=convention,
                    expected=", ".join(other.id for other in rules if other.flop_per_token is not None),
                    hint="--convention exact",
                )
            return rules
    raise _unknown(convention)


def check_convention(convention: str) -> str:
    """The id of a rule of the table. **Raises** InputError that lists them for any other text."""
    if convention not in {rule.id for rule in CONVENTIONS}:
        raise _unknown(convention)
    return convention


def _unknown(convention: str) -> InputError:
    return InputError(
        f'unknown convention "{convention}"',
        where="--convention",
        got=convention,
        expected=", ".join(rule.id for rule in CONVENTIONS),
        hint="--convention exact",
    )
