"""The records of a short log: what each states, in plain numbers."""

from __future__ import annotations

from typing import NamedTuple


class Record(NamedTuple):
    """One record as its producer wrote it, in base units; None where it does not say."""

    flop_per_s_per_device: float | None = None
    tokens_per_s_per_device: float | None = None
    step_s: float | None = None
    examples_per_s: float | None = None
    total_flop: float | None = None


class Records(NamedTuple):
    """The records in the order they stand, and who wrote them."""

    producer: str
    records: tuple[Record, ...]
