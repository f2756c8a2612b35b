"""The records of a run in order, with their step times and the reason why any of them is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peakwise.core.measurement import Steps, StepTime
from peakwise.core.quantity import Basis, Quantity
from peakwise.core.series import Column, Series
from peakwise.measuring.goodput import find_gaps, list_excluded
from peakwise.measuring.replicas import merge_replicas
from peakwise.measuring.segments import Segments, count_distinct, cut_segments
from peakwise.measuring.step_time import StepTimes, time_steps
from peakwise.measuring.window import exclude_records


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timeline:
    """`series` has one row per record; `reasons` an empty text for each record that rates use."""

    series: Series
    segments: Segments
    times: StepTimes
    reasons: NDArray[np.str_]

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


def read_timeline(series: Series, *, tokens_per_step: float | None, n_devices: int | None) -> Timeline:
    """The records, replicas merged, cut into segments, timed, and judged by their times."""
    merged = merge_replicas(series)
    segments = cut_segments(merged["step"], merged.spans)
    times = time_steps(merged, segments, tokens_per_step, n_devices)
    reasons = exclude_records(times.relative, segments)
    return Timeline(series=merged, segments=segments, times=times, reasons=reasons)


def median_of(column: Column, used: NDArray[np.bool_]) -> float | None:
    """The median of a column over the used records; None where none of them has it."""
    numbers = column[used]
    numbers = numbers[np.isfinite(numbers)]
    return float(np.median(numbers)) if len(numbers) else None


def describe_steps(line: Timeline) -> Steps:
    """The `steps` of the document."""
    step = line.series["step"]
    known = step[~np.isnan(step)]
    _, repeated = count_distinct(step, line.segments)
    gaps = ()
    if line.median_s is not None and line.times.kind in ("log", "tokens"):
        gaps = find_gaps(line.series, line.segments, line.times.seconds, line.median_s)
    return Steps(
        records=len(line.series),
        first=int(known.min()) if len(known) else None,
        last=int(known.max()) if len(known) else None,
        covered=round(float(line.segments.spans.sum())),
        used=line.n_used_steps,
        repeated=repeated,
        excluded=list_excluded(line.series, line.segments, line.times.seconds, line.reasons),
        gaps=gaps,
    )


def describe_step_time(line: Timeline) -> StepTime:
    """The `step_s` of the document, with the source of the times."""
    if line.median_s is None:
        return StepTime()
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
