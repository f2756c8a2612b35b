"""The JSON documents as types; the schemas are made from them."""

from __future__ import annotations

from typing import Literal, TypedDict

from pages.trace_documents import TraceCheckDocument

BasisName = Literal["stated", "measured", "derived", "solved", "assumed"]


class QuantityDocument(TypedDict):
    """A number in a base unit, its basis and where it is from."""

    value: int | float
    unit: str
    basis: BasisName
    source: str


class WarningDocument(TypedDict):
    """A finding that comes with the answer: code, what, the input it is about, the repair."""

    code: str
    message: str
    input: str
    fix: str


class CountedModel(TypedDict):
    """The model and its parameters: all; idle experts out; multiplied per token; with a gradient (adapters too)."""

    id: str
    name: str
    model_type: str
    n_params: int
    n_active_params: int
    n_matmul_params: int
    n_trainable_params: int


class WorkloadDocument(TypedDict):
    """What is run.

    `tokens` and `tokens_useful`: real text; `tokens_processed`: padding in; `tokens_trained`: those the loss sees, null
    where nobody said how many of a sequence it does not, `masked`. `padding`: `pad=` or `pack=` and a slot's tokens,
    `longest=` or `grouped=` and a batch's documents; `bins`: batches or packs; `attention_ratio`: Σ l² ÷
    Σ (processed length)²; all three null where nothing is padded. `quantiles`: what the lengths were drawn from.
    """

    seq_len: int | None
    encoder_len: int | None
    image: int | None
    mel: int | None
    batch: int
    documents: int | None
    tokens: int | None
    tokens_useful: int | None
    tokens_processed: int | None
    tokens_trained: int | float | None
    masked: float | None
    padding: str | None
    bins: int | None
    attention_ratio: float | None
    quantiles: str | None
    mode: Literal["train", "forward"]
    attention: Literal["causal", "full"]
    mtp: Literal["on", "off"]
    train: str
    recompute: str
    early_stop: bool
    flash_backward: bool
    reentrant: bool
    ssm_rule: Literal["recurrent", "reference"]


class FlopDocument(TypedDict):
    """FLOPs of the whole workload; model = forward + backward, hardware = model + recompute + padding."""

    forward: int
    backward: int
    model: int
    recompute: int
    padding: int
    hardware: int


class ComponentDocument(TypedDict):
    """Weights, and FLOPs of the whole workload, of one component."""

    name: str
    weights: int
    forward: int
    backward: int


class ConventionDocument(TypedDict):
    """The work under one rule; the figure is null where the rule does not apply, and `why_not` says why."""

    name: str
    kind: Literal["model", "hardware"]
    flop_per_token: int | float | None
    ratio_to_exact: float | None
    why_not: str
    note: str


class CountDocument(TypedDict):
    """`peakwise count --json`."""

    schema: Literal["peakwise.count/1"]
    version: str
    model: CountedModel
    workload: WorkloadDocument
    convention: str
    flop: FlopDocument
    flop_per_token: QuantityDocument | None
    components: list[ComponentDocument]
    conventions: list[ConventionDocument]
    trace: TraceCheckDocument | None
    warnings: list[WarningDocument]


class MeasuredModel(TypedDict):
    """The model that was named."""

    id: str
    name: str


class ExcludedDocument(TypedDict):
    """Records that no rate uses."""

    first: int | None
    last: int | None
    seconds: float | None
    reason: str


class GapDocument(TypedDict):
    """Time between two records that only the clock shows."""

    after: int | None
    seconds: float
    reason: str


class AgainDocument(TypedDict):
    """Steps that were run again after a restart."""

    first: int
    last: int


class StepsDocument(TypedDict):
    """The steps of a run, in optimizer steps except `records`."""

    records: int
    first: int | None
    last: int | None
    covered: int
    used: int
    repeated: int
    skipped: int | None
    excluded: list[ExcludedDocument]
    gaps: list[GapDocument]
    n_kept: int
    again: list[AgainDocument]


class StepTimeDocument(TypedDict):
    """Seconds per optimizer step."""

    median: QuantityDocument | None
    mean: QuantityDocument | None
    p10: QuantityDocument | None
    p90: QuantityDocument | None


class PeakDocument(TypedDict):
    """Which peak MFU divides by."""

    precision: str | None
    kind: Literal["datasheet", "declared", "measured"]
    chip: str | None
    chip_name: str | None


class LoggedDocument(TypedDict):
    """What the producer printed, and our count by its rule."""

    flop_per_s_per_device: QuantityDocument | None
    mfu: QuantityDocument | None
    implied_peak_flop_per_s: QuantityDocument | None
    convention: str | None
    recomputed_mfu: QuantityDocument | None


class RowDocument(TypedDict):
    """One row of the reconciliation."""

    kind: Literal["total", "part"]
    label: str
    flop_per_token: float | None
    flop_per_s: float | None
    peak_flop_per_s: float | None
    mfu: float | None
    words: str


class ReconciliationDocument(TypedDict):
    """Why our MFU is not the log's."""

    causes: list[str]
    sentence: str
    rows: list[RowDocument]


class MissingDocument(TypedDict):
    """An input that nobody gave."""

    input: str
    why: str
    how: str
    flag: str
    needed_for: list[str]


class MeasureDocument(TypedDict):
    """`peakwise measure --json`."""

    schema: Literal["peakwise.measure/1"]
    version: str
    sources: list[str]
    producer: str
    generation: str | None
    model: MeasuredModel | None
    steps: StepsDocument
    step_s: StepTimeDocument
    wall_s: QuantityDocument | None
    tokens_per_step: QuantityDocument | None
    tokens_per_s: QuantityDocument | None
    tokens_per_s_per_device: QuantityDocument | None
    flop_per_token: QuantityDocument | None
    flop_per_s_per_device: QuantityDocument | None
    mfu: QuantityDocument | None
    hfu: QuantityDocument | None
    mfu_wall: QuantityDocument | None
    mfu_math_peak: QuantityDocument | None
    mbu: QuantityDocument | None
    goodput: QuantityDocument | None
    n_devices: QuantityDocument | None
    seq_len: QuantityDocument | None
    global_batch: QuantityDocument | None
    peak_flop_per_s_per_device: QuantityDocument | None
    peak: PeakDocument | None
    recompute: str | None
    convention: str
    logged: LoggedDocument
    reconciliation: ReconciliationDocument | None
    missing: list[MissingDocument]
    notes: list[str]
    command: str | None
    warnings: list[WarningDocument]


class PartDocument(TypedDict):
    """What one cause took of peak × window; the fractions of all parts sum to 1. Device-seconds need the devices."""

    cause: str
    fraction: float
    device_s: float | None
    evidence: Literal["measured", "modelled", "unknown"]
    where: str


class ExplainDocument(TypedDict):
    """`peakwise explain --json`."""

    schema: Literal["peakwise.explain/1"]
    version: str
    sources: list[str]
    producer: str
    generation: str | None
    model: MeasuredModel | None
    window: Literal["wall", "steps"]
    window_s: QuantityDocument | None
    devices: QuantityDocument | None
    parts: list[PartDocument]
    residual: float
    mfu_wall: QuantityDocument | None
    hfu_wall: QuantityDocument | None
    peak_flop_per_s_per_device: QuantityDocument | None
    peak: PeakDocument | None
    convention: str
    recompute: str | None
    missing: list[MissingDocument]
    command: str | None
    warnings: list[WarningDocument]


class InputDocument(TypedDict):
    """One input of a calculator as it was used, in the field's unit."""

    value: int | float | str | bool | list[int | float]
    unit: str
    basis: BasisName
    source: str


class LackDocument(TypedDict):
    """An input that a result lacks."""

    input: str
    why: str
    how: str


class CalcDocument(TypedDict):
    """`peakwise calc NAME --json`; keys and units of `inputs` and `results` are in reference/calculators.md."""

    schema: Literal["peakwise.calc/1"]
    version: str
    name: str
    inputs: dict[str, InputDocument]
    results: dict[str, int | float | str | bool | None]
    display: dict[str, dict[str, str]]
    convention: dict[str, str]
    warnings: list[WarningDocument]
    missing: list[LackDocument]
    link: str


class ErrorParts(TypedDict):
    """The four parts of an error, its sentence and its kind."""

    kind: str
    message: str
    where: str
    got: str
    expected: str
    hint: str


class FieldErrorDocument(TypedDict):
    """One field of a calculator that cannot be used."""

    field: str
    code: str
    message: str


class ErrorDocument(TypedDict):
    """What `--json` prints instead of an answer."""

    schema: Literal["peakwise.error/1"]
    error: ErrorParts
    errors: list[FieldErrorDocument]
