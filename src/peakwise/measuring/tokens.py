"""Tokens of one optimizer step, of each record, from the strongest statement that the log and the flags make."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peakwise.core.finding import Finding
from peakwise.core.quantity import Basis, Quantity, weakest
from peakwise.core.series import Column, Series
from peakwise.measuring.inputs import DIFFERS, Inputs
from peakwise.measuring.segments import Segments

# Tokens per step are constant where the records agree within 1 % (rule 12).
CONSTANT_WITHIN = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tokens:
    """`per_step`: tokens of one step of all devices, of each record; NaN where unknown. Where from, and how sure."""

    per_step: Column
    basis: Basis
    source: str

    @property
    def constant(self) -> float | None:
        """Tokens of every step, where the records agree; None where they vary or are not known."""
        return constant_of(self.per_step)


def constant_of(column: Column) -> float | None:
    """The median of a column whose numbers agree within 1 %; None where they vary or there is none."""
    numbers = column[np.isfinite(column)]
    if not len(numbers):
        return None
    middle = float(np.median(numbers))
    return middle if float(np.abs(numbers - middle).max()) <= CONSTANT_WITHIN * abs(middle) else None


def settle_batch(series: Series, inputs: Inputs) -> Inputs:
    """The inputs with the sequences of a step as the records have them, where the log does not say it elsewhere.

    A statement and records that disagree leave the batch open, with a warning: a flag alone decides.
    """
    records = constant_of(series["global_batch"])
    stated = inputs.global_batch
    if stated is None and records is not None:
        found = Quantity(value=round(records), unit="sequence", basis="stated", source="log, every record")
        return replace(inputs, global_batch=found)
    if stated is None or records is None or abs(stated.value - records) <= DIFFERS * records:
        return inputs
    flagged = stated.source.startswith("--")
    message = f"global batch: {stated.value:,} by {stated.source}, {round(records):,} by the records"
    message += "; the flag was used" if flagged else "; neither was used"
    finding = Finding(code="W_DIFFERS", message=message, input="global_batch", fix="--global-batch with the right one")
    return replace(inputs, global_batch=stated if flagged else None, warnings=(*inputs.warnings, finding))


def find_tokens(series: Series, segments: Segments, inputs: Inputs) -> Tokens | None:
    """Tokens per step, where something other than a rate says it. Rule 12, in its order; None where nothing does."""
    stated = series["tokens_per_step"]
    if not np.isnan(stated).all():
        return Tokens(per_step=stated, basis="measured", source="log, tokens per step")
    length, batch, records = inputs.seq_len, inputs.global_batch, series["global_batch"]
    ramped = not np.isnan(records).all() and constant_of(records) is None
    if length is not None and ramped and not _is_flag(batch):
        words = "sequences of each record × length"
        return Tokens(per_step=records * length.value, basis=weakest(length.basis, "measured"), source=words)
    if length is not None and batch is not None:
        whole = np.full(len(series), length.value * batch.value, dtype=np.float64)
        return Tokens(per_step=whole, basis=weakest(length.basis, batch.basis), source="sequences × length")
    counted = _count(series["n_tokens"], segments)
    if counted is not None:
        return Tokens(per_step=counted, basis="derived", source="differences of the token counter")
    counted = _count(series["n_samples"], segments)
    if counted is not None and length is not None:
        words = "differences of the sample counter × length"
        return Tokens(per_step=counted * length.value, basis=weakest(length.basis, "derived"), source=words)
    return None


def count_sequences(series: Series, segments: Segments) -> Column | None:
    """Sequences of one step, of each record, by the log's counter; None where it has none."""
    return _count(series["n_samples"], segments)


def _is_flag(quantity: Quantity | None) -> bool:
    return quantity is not None and quantity.source.startswith("--")


def _count(counter: Column, segments: Segments) -> Column | None:
    """Differences of a counter ÷ the steps since the record before; None where there is no difference."""
    if len(counter) < 2:
        return None
    passed = np.concatenate(([np.nan], np.diff(counter)))
    with np.errstate(invalid="ignore", divide="ignore"):
        counted = np.where(passed > 0, passed / segments.passed, np.nan)
    return None if np.isnan(counted).all() else counted
