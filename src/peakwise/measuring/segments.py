"""Which records follow each other without a restart, and how many steps each speaks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from peakwise.core.series import Column

Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segments:
    """`of`: the segment of each record. `spans`: the steps it is a mean over. `passed`: steps since the record before
    it in its segment, NaN for the first; more than `spans` where lines were cut out."""

    of: Index
    spans: Column
    passed: Column

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The places of the first and the last record of each segment."""
        if not len(self.of):
            return []
        starts = np.concatenate(([0], np.flatnonzero(np.diff(self.of)) + 1))
        ends = np.concatenate((starts[1:] - 1, [len(self.of) - 1]))
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Whether a record is the first of its segment."""
        return np.isnan(self.passed)


def cut_segments(step: Column, spans: Literal["interval", "step"]) -> Segments:
    """Segments that begin wherever the step number does not rise. Records without a step number follow on by one.

    A record of an interval speaks for the steps since the one before, at most the interval that is most common;
    the first of a segment for that interval too, less what the next one covers of it, at most its own number.
    """
    number = _filled(step)
    passed = np.concatenate(([np.nan], np.diff(number))) if len(number) else np.empty(0)
    back = passed <= 0
    of = np.cumsum(back).astype(np.intp)
    passed = np.where(back, np.nan, passed)
    if spans == "step":
        return Segments(of=of, spans=np.ones(len(number)), passed=passed)
    common = _most_common(passed)
    next_gap = np.append(passed[1:], np.nan)
    alone = np.where(next_gap < common, common - next_gap, common)  # a first step logged off the beat: the rest of it
    first = np.where(number >= 1, np.minimum(alone, number), 1.0)
    return Segments(of=of, spans=np.where(np.isnan(passed), first, np.minimum(passed, common)), passed=passed)


def count_distinct(step: Column, segments: Segments) -> tuple[int, int]:
    """Distinct steps that ran from the first record to the last, and steps that ran again after a restart.

    Steps whose lines were cut out ran all the same: the numbers say so.
    """
    distinct = repeated = 0.0
    for before, end, again in _stretches(step, segments):
        distinct += end - before - again
        repeated += again
    return round(distinct), round(repeated)


def find_repeats(step: Column, segments: Segments) -> tuple[tuple[int, int], ...]:
    """First and last step, as printed, of each stretch that ran again after a restart."""
    return tuple(
        (round(before) + 1, round(before + again)) for before, _, again in _stretches(step, segments) if again > 0
    )


def _stretches(step: Column, segments: Segments) -> list[tuple[float, float, float]]:
    """Of each segment: the step before its first, its last, and how many of its steps had run before."""
    number = _filled(step)
    found: list[tuple[float, float, float]] = []
    reached = -np.inf
    for start, end in segments.bounds:
        before = float(number[start] - segments.spans[start])
        found.append((before, float(number[end]), max(0.0, min(reached, float(number[end])) - before)))
        reached = max(reached, float(number[end]))
    return found


def _filled(step: Column) -> Column:
    """Step numbers with the missing ones counted on from the last that is known."""
    known = ~np.isnan(step)
    if known.all():
        return step
    position = np.arange(len(step))
    if not known.any():
        return np.arange(1, len(step) + 1, dtype=np.float64)
    last = np.maximum.accumulate(np.where(known, position, -1))
    first_known = int(np.flatnonzero(known)[0])
    source = np.where(last < 0, first_known, last)
    return np.array(step[source] + (position - source), dtype=np.float64)


def _most_common(passed: Column) -> float:
    """The most common number of steps between records; the largest where several are equally common."""
    values, counts = np.unique(passed[~np.isnan(passed)], return_counts=True)
    return float(values[counts == counts.max()].max()) if len(values) else 1.0
