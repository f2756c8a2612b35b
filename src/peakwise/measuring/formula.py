"""Whether a producer's figures follow one formula from the first record to the last. Check 2 of the log rules."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from peakwise.measuring.timeline import Timeline, median_of

# Work per step that changes by more at a restart follows another formula; printed digits and jitter stay below.
SAME_WORK = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A column whose product with the step time jumps at a restart: by which factor, and from which record on."""

    column: str
    factor: float
    start: int


def find_change(line: Timeline) -> Change | None:
    """The last restart after which logged FLOP/s, or MFU, × step time is another; None where it stays one figure.

    Of the same tokens, the work of a step is the same before and after: a jump is a new formula, not new hardware.
    """
    sizes = 1.0 if line.tokens is None else line.tokens.per_step
    for name in ("flop_per_s_per_device", "mfu"):
        work = line.series[name] * line.times.relative / sizes
        bounds = line.segments.bounds
        medians = [median_of(work[start : end + 1], line.used[start : end + 1]) for start, end in bounds]
        known = [(start, median) for (start, _), median in zip(bounds, medians, strict=True) if median]
        for (_, before), (start, after) in reversed(list(pairwise(known))):
            if abs(after / before - 1) > SAME_WORK:
                return Change(column=name, factor=after / before, start=start)
    return None


def records_of_one_formula(line: Timeline) -> NDArray[np.bool_]:
    """The used records whose logged figures follow one formula, the last: figures of two are never pooled."""
    change = find_change(line)
    if change is None:
        return line.used
    return line.used & (np.arange(len(line.used)) >= change.start)
