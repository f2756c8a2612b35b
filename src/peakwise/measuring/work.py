"""The model's work at another length or under another recompute policy, from one count of it."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.count import Count
from peakwise.core.workload import Recompute
from peakwise.counting.findings import find_warnings
from peakwise.counting.rules import count_rules
from peakwise.counting.total import build_ledger


def recount(count: Count, *, seq_len: int | None = None, recompute: Recompute | None = None) -> Count:
    """The same model's count with another sequence length (tokens) or recompute policy."""
    workload = count.workload
    if seq_len is not None:
        workload = replace(workload, seq_len=seq_len, lengths=(), arranged=None, quantiles=None)
    if recompute is not None:
        workload = replace(workload, recompute=recompute)
    rules = count_rules(count.model, count.parameters, workload)
    return replace(
        count,
        workload=workload,
        ledger=build_ledger(count.model, workload),
        rules=rules,
        warnings=find_warnings(count.model, workload, rules, count.convention),
    )


def rule_flop_per_token(count: Count, rule_id: str) -> float | None:
    """FLOPs per token under the rule; None where it does not apply or is not in the table."""
    return next((rule.flop_per_token for rule in count.rules if rule.id == rule_id), None)


def hardware_flop_per_token(count: Count) -> float:
    """FLOPs per token with the workload's recompute: the numerator of HFU.

    **Formula** the rule's own figure, and what the ledger runs again.
    """
    bare = count.ledger.model / count.workload.tokens if count.flop_per_token is None else count.flop_per_token
    return bare + (count.ledger.hardware - count.ledger.model) / count.workload.tokens


def counts_recompute(count: Count) -> bool:
    """Whether the count's rule has recompute in its figure, which then gives HFU and never MFU."""
    return count.under(count.convention).kind == "hardware"
