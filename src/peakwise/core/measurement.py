"""What `measure` answers: how a run went, in numbers that each say where they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from peakwise.core.drawn import drawn
from peakwise.core.errors import Json
from peakwise.core.finding import Finding
from peakwise.core.quantity import Basis, Quantity, quantity_dict

if TYPE_CHECKING:
    from peakwise.core.series import Series

PeakKind = Literal["datasheet", "declared", "measured"]

# The quantities of the document, in its order; each is an attribute of the same name.
NUMBERS: tuple[str, ...] = (
    "wall_s",
    "tokens_per_step",
    "tokens_per_s",
    "tokens_per_s_per_device",
    "flop_per_token",
    "flop_per_s_per_device",
    "mfu",
    "hfu",
    "mfu_wall",
    "mfu_math_peak",
    "mbu",
    "goodput",
    "n_devices",
    "seq_len",
    "global_batch",
    "peak_flop_per_s_per_device",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """Records from step `first` to `last` that no rate uses, the seconds they took, and why.

    `n_steps`: the optimizer steps that they speak for.
    """

    first: int | None
    last: int | None
    seconds: float | None
    reason: str
    n_steps: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Seconds between two records that only the clock shows, after which step, and why."""

    after: int | None
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A declared pipeline: its stages, the interleaved parts of each, and the micro-batches of one step."""

    pp: int
    vp: int
    n_microbatches: int

    def __post_init__(self) -> None:
        if min(self.pp, self.vp, self.n_microbatches) < 1:
            raise ValueError("a pipeline schedule has at least one stage, part and micro-batch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The steps of a run, in optimizer steps except `records`. `first` and `last` are as printed.

    `n_kept`: distinct steps from the first record to the last; `again`: first and last of each stretch run twice.
    """

    records: int
    first: int | None
    last: int | None
    covered: int
    used: int
    repeated: int = 0
    skipped: int | None = None
    excluded: tuple[Excluded, ...] = ()
    gaps: tuple[Gap, ...] = ()
    n_kept: int = 0
    again: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> Json:
        """The `steps` of the document."""
        return {
            "records": self.records,
            "first": self.first,
            "last": self.last,
            "covered": self.covered,
            "used": self.used,
            "repeated": self.repeated,
            "skipped": self.skipped,
            "excluded": [
                {"first": part.first, "last": part.last, "seconds": part.seconds, "reason": part.reason}
                for part in self.excluded
            ],
            "gaps": [{"after": gap.after, "seconds": gap.seconds, "reason": gap.reason} for gap in self.gaps],
            "n_kept": self.n_kept,
            "again": [{"first": first, "last": last} for first, last in self.again],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTime:
    """Seconds per optimizer step over the used records."""

    median: Quantity | None = None
    mean: Quantity | None = None
    p10: Quantity | None = None
    p90: Quantity | None = None

    def to_dict(self) -> Json:
        """The `step_s` of the document."""
        return {
            "median": quantity_dict(self.median),
            "mean": quantity_dict(self.mean),
            "p10": quantity_dict(self.p10),
            "p90": quantity_dict(self.p90),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What the producer printed, in base units, and our count by its rule over its own peak.

    `convention`: id of the counting rule behind its FLOP/s, empty where it printed none.
    """

    flop_per_s_per_device: Quantity | None = None
    mfu: Quantity | None = None
    implied_peak_flop_per_s: Quantity | None = None
    convention: str = ""
    recomputed_mfu: Quantity | None = None

    def to_dict(self) -> Json:
        """The `logged` of the document."""
        return {
            "flop_per_s_per_device": quantity_dict(self.flop_per_s_per_device),
            "mfu": quantity_dict(self.mfu),
            "implied_peak_flop_per_s": quantity_dict(self.implied_peak_flop_per_s),
            "convention": self.convention or None,
            "recomputed_mfu": quantity_dict(self.recomputed_mfu),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedPeak:
    """Which peak MFU divides by: the type, what kind of figure it is, and the chip's id (empty where declared)."""

    precision: str
    kind: PeakKind
    chip: str = ""
    chip_name: str = ""

    def to_dict(self) -> Json:
        """The `peak` of the document."""
        return {
            "precision": self.precision or None,
            "kind": self.kind,
            "chip": self.chip or None,
            "chip_name": self.chip_name or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """An input that nobody gave: what it is, where to look for it, how to give it, and what needs it.

    `flag` with its one-word `placeholder` completes the command; `needed_for` are keys of the document.
    """

    input: str
    why: str
    how: str
    flag: str
    placeholder: str
    needed_for: tuple[str, ...]

    def to_dict(self) -> Json:
        """The entry of `missing`."""
        return {
            "input": self.input,
            "why": self.why,
            "how": self.how,
            "flag": self.flag,
            "needed_for": list(self.needed_for),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the reconciliation, from the log's figure to ours.

    `kind`: `total` is a figure of its own, `part` a signed difference between the total above and the one below.
    A cell that a row does not have is None. `words` says in a few what the row is.
    """

    kind: Literal["total", "part"]
    label: str
    flop_per_token: float | None
    flop_per_s: float | None
    peak_flop_per_s: float | None
    mfu: float | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """Why our MFU is not the log's: rows that lead from one to the other; `causes` names the largest first."""

    rows: tuple[Row, ...]
    causes: tuple[str, ...]
    sentence: str

    def to_dict(self) -> Json:
        """The `reconciliation` of the document."""
        return {
            "causes": list(self.causes),
            "sentence": self.sentence,
            "rows": [
                {
                    "kind": row.kind,
                    "label": row.label,
                    "flop_per_token": row.flop_per_token,
                    "flop_per_s": row.flop_per_s,
                    "peak_flop_per_s": row.peak_flop_per_s,
                    "mfu": row.mfu,
                    "words": row.words,
                }
                for row in self.rows
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """How a run went. Every number is a Quantity, or None where an input lacks: `absent` says which.

    `sources` are the files as given; `model_name` is empty where no model was given; `notes` are sentences for
    the report; `command` is the call with a one-word placeholder for each missing input, empty where none is;
    `band_note` says why no band is named (a mixture of experts, inference), empty where the bands apply;
    `series` holds one number per record.
    """

    sources: tuple[str, ...]
    producer: str
    producer_name: str
    generation: str
    steps: Steps
    version: str
    series: Series | None = field(default=None, compare=False, repr=False)
    step_s: StepTime = StepTime()
    wall_s: Quantity | None = None
    tokens_per_step: Quantity | None = None
    tokens_per_s: Quantity | None = None
    tokens_per_s_per_device: Quantity | None = None
    flop_per_token: Quantity | None = None
    flop_per_s_per_device: Quantity | None = None
    mfu: Quantity | None = None
    hfu: Quantity | None = None
    mfu_wall: Quantity | None = None
    mfu_math_peak: Quantity | None = None
    mbu: Quantity | None = None
    goodput: Quantity | None = None
    n_devices: Quantity | None = None
    seq_len: Quantity | None = None
    global_batch: Quantity | None = None
    peak_flop_per_s_per_device: Quantity | None = None
    peak: UsedPeak | None = None
    convention: str = "exact"
    model_id: str = ""
    model_name: str = ""
    recompute: str = ""
    schedule: Schedule | None = None
    logged: Logged = Logged()
    reconciliation: Reconciliation | None = None
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: tuple[Missing, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    band_note: str = ""
    warnings: tuple[Finding, ...] = ()
    draw: Callable[[Any, Any], str] | None = field(default=None, compare=False, repr=False)

    @property
    def blocking(self) -> tuple[Missing, ...]:
        """The missing inputs without which there is no MFU."""
        return tuple(item for item in self.missing if "mfu" in item.needed_for)

    @property
    def assumed(self) -> tuple[str, ...]:
        """The inputs of the MFU that were assumed, by key; the report names them beside it."""
        inputs = ("flop_per_token", "seq_len", "tokens_per_s_per_device", "peak_flop_per_s_per_device")
        return tuple(name for name in inputs if _basis(getattr(self, name)) == "assumed")

    def to_dict(self) -> Json:
        """The document `peakwise.measure/1`."""
        numbers = {name: quantity_dict(getattr(self, name)) for name in NUMBERS}
        return {
            "schema": "peakwise.measure/1",
            "version": self.version,
            "sources": list(self.sources),
            "producer": self.producer,
            "generation": self.generation or None,
            "model": {"id": self.model_id, "name": self.model_name} if self.model_id else None,
            "steps": self.steps.to_dict(),
            "step_s": self.step_s.to_dict(),
            **numbers,
            "peak": None if self.peak is None else self.peak.to_dict(),
            "recompute": self.recompute or None,
            "convention": self.convention,
            "logged": self.logged.to_dict(),
            "reconciliation": None if self.reconciliation is None else self.reconciliation.to_dict(),
            "missing": [item.to_dict() for item in self.missing],
            "notes": list(self.notes),
            "command": self.command or None,
            "warnings": [warning.to_dict() for warning in self.warnings],
        }

    def to_markdown(self) -> str:
        """The measurement as Markdown."""
        return drawn(self, "markdown")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


def _basis(quantity: Quantity | None) -> Basis | None:
    return None if quantity is None else quantity.basis
