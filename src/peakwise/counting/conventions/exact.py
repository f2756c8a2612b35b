"""The default rule: visible pairs, router and head in, lookup out; and the same with full attention."""

from __future__ import annotations

from peakwise.core.ledger import Ledger
from peakwise.counting.conventions.subject import Subject


def exact(subject: Subject) -> float:
    """FLOPs per token, training: every weight matmul and every visible pair. An int where it is whole."""
    return _per_token(subject, subject.exact, subject.mtp_exact + subject.trained_exact)


def full(subject: Subject) -> float:
    """FLOPs per token, training, every query seeing every key: what the framework's counter reports."""
    return _per_token(subject, subject.full, subject.mtp_full + subject.trained_full)


def full_of_everything(subject: Subject) -> float:
    """As `full`, whatever the workload trains: what older closed forms start from."""
    return _per_token(subject, subject.full, subject.mtp_full)


def _per_token(subject: Subject, ledger: Ledger, besides: int) -> float:
    # A rule's forward is a third of its figure; pixels and mel frames get no gradient, so the model's is not.
    whole_flop = ledger.model if subject.workload.mode == "train" else 3 * ledger.forward
    tokens = subject.workload.tokens
    flop = whole_flop + besides
    whole, rest = divmod(flop, tokens)
    return whole if rest == 0 else flop / tokens
