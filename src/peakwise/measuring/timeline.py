"""The records of a run in order, with their step times and the reason why any of them is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peakwise.core.measurement import Excluded, Steps, StepTime
from peakwise.core.quantity import Basis, Quantity
from peakwise.core.series import Column, Series
from peakwise.measuring.goodput import count_skipped, find_gaps, list_excluded
from peakwise.measuring.inputs import Inputs
from peakwise.measuring.replicas import merge_replicas
from peakwise.measuring.runs import pick_by_clock, pick_by_size
from peakwise.measuring.segments import Segments, count_distinct, cut_segments, find_repeats
from peakwise.measuring.step_time import Sizes, StepTimes, time_steps
from peakwise.measuring.tokens import Tokens, find_tokens, settle_batch
from peakwise.measuring.window import exclude_records


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timeline:
    """`series` has one row per record; `reasons` an empty text for each record that rates use.

    `inputs`: with the sequences of a step as the records have them; `tokens`: of one step, where something other
    than a rate says it; `others`: stretches that belong to another run.
    """

    series: Series
    segments: Segments
    times: StepTimes
    reasons: NDArray[np.str_]
    inputs: Inputs
    tokens: Tokens | None = None
    others: tuple[Excluded, ...] = ()
    n_other_records: int = 0

    @property
    def used(self) -> NDArray[np.bool_]:
        """Whether rates use a record."""
        return self.reasons == ""

    @property
    def n_used_steps(self) -> int:
        """Optimizer steps that the used records speak for."""
        return round(float(self.segments.spans[self.used].sum()))

    @property
    def n_used_records(self) -> int:
        """How many records rates use."""
        return int(self.used.sum())

    @property
    def median_s(self) -> float | None:
        """Seconds per step, the median of the used records; an interval's mean counts once."""
        return median_of(self.times.seconds, self.used)

    def over_records(self) -> str:
        """The words that say over how many records a median was taken."""
        return f"median of {self.n_used_records} record{'s' * (self.n_used_records != 1)}"


def read_timeline(series: Series, inputs: Inputs) -> Timeline:
    """The records of one run, replicas merged, cut into segments, timed, and judged by their times."""
    by_clock = pick_by_clock(series)
    merged = merge_replicas(by_clock.series)
    by_size = pick_by_size(merged)
    kept = by_size.series
    inputs = settle_batch(kept, inputs)
    segments = cut_segments(kept["step"], kept.spans)
    tokens = find_tokens(kept, segments, inputs)
    times = time_steps(kept, segments, _sizes(kept, tokens, inputs))
    return Timeline(
        series=kept,
        segments=segments,
        times=times,
        reasons=exclude_records(times.relative, segments),
        inputs=inputs,
        tokens=tokens,
        others=(*by_clock.others, *by_size.others),
        n_other_records=by_clock.n_other_records + by_size.n_other_records,
    )


def _sizes(series: Series, tokens: Tokens | None, inputs: Inputs) -> Sizes:
    batch, records = inputs.global_batch, series["global_batch"]
    sequences = None if np.isnan(records).all() else records
    if batch is not None:
        sequences = np.full(len(series), float(batch.value))
    return Sizes(
        tokens=None if tokens is None else tokens.per_step,
        sequences=sequences,
        n_devices=None if inputs.n_devices is None else int(inputs.n_devices.value),
    )


def median_of(column: Column, used: NDArray[np.bool_]) -> float | None:
    """The median of a column over the used records; None where none of them has it."""
    numbers = column[used]
    numbers = numbers[np.isfinite(numbers)]
    return float(np.median(numbers)) if len(numbers) else None


def describe_steps(line: Timeline) -> Steps:
    """The `steps` of the document."""
    step = line.series["step"]
    known = step[~np.isnan(step)]
    kept, repeated = count_distinct(step, line.segments)
    gaps = ()
    if line.median_s is not None:
        gaps = find_gaps(line.series, line.segments, line.times.seconds, line.median_s)
    return Steps(
        records=len(line.series) + line.n_other_records,
        first=int(known.min()) if len(known) else None,
        last=int(known.max()) if len(known) else None,
        covered=round(float(line.segments.spans.sum())),
        used=line.n_used_steps,
        repeated=repeated,
        skipped=count_skipped(line.series["n_skipped"], line.segments, step),
        excluded=(*line.others, *list_excluded(line.series, line.segments, line.times.seconds, line.reasons)),
        gaps=gaps,
        n_kept=kept,
        again=find_repeats(step, line.segments),
    )


def _mean_of_summary(series: Series) -> Quantity | None:
    """The whole run's time ÷ its steps, as a final summary gives them: start-up and evaluation are in it. Rule 10."""
    total, steps = series.stated.get("total_s"), series.stated.get("total_steps")
    if total is None or steps is None or float(steps.value) <= 0:
        return None
    value = float(total.value) / float(steps.value)
    return Quantity(value=value, unit="s", basis="derived", source="whole run ÷ its steps, start-up included")


def describe_step_time(line: Timeline) -> StepTime:
    """The `step_s` of the document, with the source of the times."""
    if line.median_s is None:
        return StepTime(mean=_mean_of_summary(line.series))
    seconds, spans = line.times.seconds[line.used], line.segments.spans[line.used]
    known = np.isfinite(seconds)
    seconds, spans = seconds[known], spans[known]
    basis: Basis = "measured" if line.times.kind == "log" else "derived"
    source = {
        "log": f"log, {line.over_records()}",
        "tokens": f"tokens ÷ rate, {line.over_records()}",
        "clock": f"clock, median of {line.n_used_steps} step{'s' * (line.n_used_steps != 1)}",
        "none": "",
    }[line.times.kind]

    def quantity(value: float, words: str) -> Quantity:
        return Quantity(value=value, unit="s", basis=basis, source=source.replace("median", words))

    return StepTime(
        median=quantity(line.median_s, "median"),
        mean=quantity(float(np.average(seconds, weights=spans)), "mean"),
        p10=quantity(float(np.percentile(seconds, 10)), "tenth percentile"),
        p90=quantity(float(np.percentile(seconds, 90)), "ninetieth percentile"),
    )
