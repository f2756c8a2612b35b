"""What a log reader found: one column per quantity, one row per record, and what the log states once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from peakwise.core.quantity import Basis

Column = NDArray[np.float64]

# Every column a reader may give, in base units; NaN where a record does not have it.
COLUMNS: tuple[str, ...] = (
    "step",  # as printed
    "stream",  # number of the rank or logger that printed it, -1 where unlabelled
    "time_s",  # clock, seconds since 1970, in the log's own time zone
    "step_s",  # the producer's own duration of one optimizer step
    "tokens_per_step",  # all devices
    "tokens_per_s",  # all devices
    "tokens_per_s_per_device",
    "flop_per_s_per_device",
    "mfu",  # fraction
    "elapsed_s",  # the producer's own clock since it began
    "loss",  # only to tell replicas of one record from another record
    "global_batch",  # sequences of one optimizer step, all devices
    "samples_per_s",  # sequences, all devices
    "n_samples",  # counter: sequences of the run so far, all devices
    "n_tokens",  # counter: tokens of the run so far, all devices
    "file",  # number of the file, where several were joined
    "n_skipped",  # steps that the producer skipped (overflow) inside this record
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One fact that the log states outside its records, in base units, and in which words."""

    value: int | float | str
    source: str
    basis: Basis = "stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A line that explains lost time (`evaluation`, `checkpoint`), before which record it stands."""

    kind: str
    before: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """The records of one log, in the order they stand, and its stated facts.

    `producer` is the reader's id; `convention` the rule behind its FLOP/s and MFU, empty where it prints none.
    `other_rules`: rules of the producer's other generations that may be behind them instead, the likeliest first;
    `config`: the model's fields as the log states them, in the producer's own words, empty where it states none.
    `spans`: whether a record is the mean over its logging interval or speaks for its own step alone.
    `resolution`: the unit of the last printed digit, by column, in base units (clock: `time_s`).
    `stated` keys: n_devices seq_len global_batch precision recompute chip model n_params peak_flop_per_s
    n_trainable_params; of a pipeline pp, vp (stages and their interleaved parts) and n_microbatches;
    of a final summary total_s, total_steps.
    """

    producer: str
    producer_name: str
    generation: str
    convention: str
    spans: Literal["interval", "step"]
    columns: Mapping[str, Column]
    resolution: Mapping[str, float] = field(default_factory=dict[str, float])
    stated: Mapping[str, Stated] = field(default_factory=dict[str, Stated])
    events: tuple[Event, ...] = ()
    n_lines: int = 0
    n_skipped_lines: int = 0
    source: str = ""
    config: Mapping[str, object] = field(default_factory=dict[str, object])
    other_rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = set(self.columns) - set(COLUMNS)
        lengths = {len(column) for column in self.columns.values()}
        if unknown or len(lengths) > 1:
            raise ValueError(f"columns of a series must be known and alike in length: {sorted(unknown)}, {lengths}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> Column:
        """One number per record in base units; NaN where a record, or the log, does not have it."""
        if name not in COLUMNS:
            raise KeyError(name)
        found = self.columns.get(name)
        return np.full(len(self), np.nan) if found is None else found

    def with_columns(self, columns: Mapping[str, Column]) -> Series:
        """The same log with these columns alone."""
        return replace(self, columns=columns)
