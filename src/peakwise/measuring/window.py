"""Which records a rate may use: warm-up, impossible times and stalls are left out with their reason."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from peakwise.core.series import Column
from peakwise.measuring.segments import Segments

# Reasons, in the words of the report; an empty text is a record that is used.
USED, WARM_UP, IMPOSSIBLE, STALL = "", "warm-up", "impossible", "stall"

SLOWER = 1.10  # warm-up: more than 10 % slower than the median after it (rule 7a)
IMPOSSIBLY_SHORT = 0.5  # less than half the median: an asynchronous timer (rule 7b)
STALLED = 2.0  # more than twice the median (rule 7c)


def exclude_records(times: Column, segments: Segments) -> NDArray[np.str_]:
    """The reason why each record is left out, or an empty text, from times per step in seconds (or a multiple).

    By times alone, per segment: warm-up, impossible, warm-up once more, stall. A record without a time is used.
    """
    reasons = np.full(len(times), USED, dtype="<U10")
    for start, end in segments.bounds:
        places = start + np.flatnonzero(~np.isnan(times[start : end + 1]))
        _exclude(times, places, reasons)
    return reasons


def _exclude(times: Column, places: NDArray[np.intp], reasons: NDArray[np.str_]) -> None:
    left = _drop_warm_up(times, places, reasons, n_before=0)
    if not len(left):
        return
    short = times[left] < IMPOSSIBLY_SHORT * np.median(times[left])
    reasons[left[short]] = IMPOSSIBLE
    left = _drop_warm_up(times, left[~short], reasons, n_before=len(places) - len(left))
    if not len(left):
        return
    reasons[left[times[left] > STALLED * np.median(times[left])]] = STALL


def _drop_warm_up(
    times: Column, places: NDArray[np.intp], reasons: NDArray[np.str_], *, n_before: int
) -> NDArray[np.intp]:
    """The places without the leading slow records; the first may leave one record, a further one must leave two.

    `n_before`: how many an earlier pass has dropped from the same segment.
    """
    ordered = sorted(times[places].tolist())
    dropped = 0
    while len(ordered) > (1 if n_before + dropped == 0 else 2):
        time = float(times[places[dropped]])
        del ordered[bisect_left(ordered, time)]
        half = len(ordered) // 2
        median = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
        if time <= SLOWER * median:
            break
        reasons[places[dropped]] = WARM_UP
        dropped += 1
    return places[dropped:]
