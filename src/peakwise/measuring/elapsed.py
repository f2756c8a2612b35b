"""Seconds per step from the producer's own running clock."""

from __future__ import annotations

import numpy as np

from peakwise.core.series import Column, Series
from peakwise.measuring.segments import Segments

# A difference of the clock serves where the unit of its last digit is under 2 % of it, as for time stamps (rule 9).
COARSEST = 0.02


def time_by_elapsed(series: Series, segments: Segments) -> Column:
    """Seconds per step of each record, from differences of the producer's clock; NaN where it has none.

    A clock with coarse digits is read over several records: the last of them gets their mean, the others none. A
    clock that goes back was started anew.
    """
    clock, least = series["elapsed_s"], series.resolution.get("elapsed_s", 0.0) / COARSEST
    seconds = np.full(len(clock), np.nan)
    if np.isnan(clock).all():
        return seconds
    since, steps = np.nan, 0.0
    for place, (now, passed) in enumerate(zip(clock.tolist(), segments.passed.tolist(), strict=True)):
        if np.isnan(passed):  # the first of a segment
            since = np.nan
        steps += passed
        if np.isnan(now):
            continue
        if not now >= since:
            since, steps = now, 0.0
        elif steps > 0 and now - since > least:
            seconds[place] = (now - since) / steps
            since, steps = now, 0.0
    return seconds
