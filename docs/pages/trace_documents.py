"""The parts of JSON documents that a trace fills."""

from __future__ import annotations

from typing import Literal, TypedDict


class PassesDocument(TypedDict):
    """FLOPs of the two passes."""

    forward: int
    backward: int


class UncountedDocument(TypedDict):
    """A heavy operator that no formula counts; its share of the time is unknown."""

    op: str
    calls: int
    why: str
    share_of_time: None


class TraceCheckDocument(TypedDict):
    """The ledger beside the framework's trace of the same model, both with full attention."""

    attention: Literal["full", "causal"]
    ran: Literal["fake", "real"]
    ledger: PassesDocument
    library: PassesDocument
    trace: PassesDocument
    difference: PassesDocument
    uncounted: list[UncountedDocument]
    seconds: float
