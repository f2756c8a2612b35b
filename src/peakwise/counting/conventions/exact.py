"""The default rule: visible pairs, router and head in, lookup out; and the same with full attention."""

from __future__ import annotations

from peakwise.core.ledger import Ledger
from peakwise.counting.conventions.subject import Subject


def exact(subject: Subject) -> float:
    """FLOPs per token, training: every weight matmul and every visible pair. An int where it is whole."""
    return _per_token(subject.exact, subject.mtp_exact, subject.workload.tokens)


def full(subject: Subject) -> float:
    """FLOPs per token, training, every query seeing every key: what the framework's counter reports."""
    return _per_token(subject.full, subject.mtp_full, subject.workload.tokens)


def _per_token(ledger: Ledger, mtp: int, tokens: int) -> float:
    flop = ledger.model + mtp
    whole, rest = divmod(flop, tokens)
    return whole if rest == 0 else flop / tokens
