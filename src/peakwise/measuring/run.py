"""Everything known of a run before its utilizations."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.chip import Chip
from peakwise.core.count import Count
from peakwise.core.measurement import Logged
from peakwise.core.quantity import Quantity
from peakwise.measuring.given import Given
from peakwise.measuring.inputs import Inputs
from peakwise.measuring.rates import Rates
from peakwise.measuring.solve import LoggedWork
from peakwise.measuring.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The model's count at the run's length, or why there is none; `solved` is the length that the log implies.

    `logged`: FLOPs as the log implies them, `rule` the id of the rule behind them.
    """

    count: Count | None
    seq_len: Quantity | None
    solved: int | None
    logged: LoggedWork | None
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything known of a run before its utilizations."""

    given: Given
    line: Timeline
    inputs: Inputs
    rates: Rates
    work: Work
    logged: Logged
    fits: tuple[str, ...]
    chip: Chip | None
    probe: Count | None
    stated: Count | None
