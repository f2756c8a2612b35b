"""A published run that others are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from peakwise.core.chip import Precision
    from peakwise.core.model import Model

# Keys that a query sees under the rule of a published figure.
Pairs = Literal["none", "exact", "half", "noncausal", "full"]
# Where a figure comes from: read in the publication's own words by several readers; recalled from it and confirmed by
# arithmetic; derived here; said by one secondary source.
Mark = Literal["primary", "recalled", "derived", "secondary"]
MARKS: tuple[Mark, ...] = ("primary", "recalled", "derived", "secondary")


class CaseRule(NamedTuple):
    """How a published figure was counted: keys of a query, router and MTP modules in or out, what trained."""

    pairs: Pairs
    router: bool
    mtp: bool = False
    train: str = "full"


class Hours(NamedTuple):
    """How a run's time was published: its tokens, the overhead in seconds, and the goodput, fraction."""

    tokens: float
    overhead_s: float
    goodput: float

    @property
    def wall_s(self) -> float:
        """Seconds of wall clock. **Formula** overhead ÷ (1 − goodput)."""
        return self.overhead_s / (1 - self.goodput)

    @property
    def stepping_s(self) -> float:
        """Seconds that a run without overhead takes. **Formula** wall × goodput."""
        return self.wall_s * self.goodput


class Overhead(NamedTuple):
    """One named part of the overhead, seconds, with the share that the publication prints (None: none)."""

    id: str
    seconds: float
    printed_share: float | None


class Move(NamedTuple):
    """What moved the utilization of a version: its id, what it is, and the step's speed-up (None: not published)."""

    id: str
    text: str
    speed_up: float | None


class CaseShape(NamedTuple):
    """Sizes of the model as published; None where they were not."""

    params: float | None = None
    active_params: float | None = None
    layers: int | None = None
    width: int | None = None
    experts: int | None = None
    top_k: int | None = None


class Case(NamedTuple):
    """One published run: what it was, on what, how fast, and by which rule its MFU was counted.

    `run` and `version` join the versions of one run. `peaks`: dense peak of one device by type, FLOP/s, the published
    figure where it gives one, else the chip's. `config`: the catalogue's id of the model, empty where its shapes were
    not published; `model`: that model, filled for a case that is compared. Rates: token/s a device while stepping,
    FLOP/s a device, MFU as published (`first_mfu` before it was tuned). `marks`: where a figure comes from, by name.
    `parallelism`, `compute`, `software`: names that are the same in every language.
    """

    id: str
    name: str
    run: str
    version: str
    source: str
    date: str
    chip: str
    devices: int | None
    peaks: Mapping[Precision, float]
    precision: Precision | None
    config: str
    seq_len: int | None
    rule: CaseRule | None
    tokens_per_s_per_device: float | None
    flop_per_s_per_device: float | None
    mfu: float | None
    first_mfu: float | None
    efficiency_gain: float | None
    shape: CaseShape
    hours: Hours | None
    overheads: tuple[Overhead, ...]
    parallelism: tuple[str, ...]
    compute: tuple[str, ...]
    software: tuple[str, ...]
    network: str
    routing: str
    moves: tuple[Move, ...]
    marks: Mapping[str, Mark]
    note: str
    model: Model | None = None

    @property
    def published(self) -> bool:
        """Whether any figure of its utilization was published."""
        return any(value is not None for value in (self.mfu, self.flop_per_s_per_device, self.tokens_per_s_per_device))
