"""Wall time, and the part of it that kept steps account for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peakwise.core.measurement import Excluded, Gap
from peakwise.core.series import Column, Series
from peakwise.measuring.segments import Segments
from peakwise.measuring.window import STALL

# Time between records that nothing explains counts as a gap from one median step on: less is the jitter of a loop.
GAP_STEPS = 1.0
# Events of a log that name lost time.
LOSES = ("evaluation", "checkpoint")
# A stretch of cut lines whose time is within this of its steps' is a cut, not a stall (rule 8): as slow as warm-up is.
CUT_WITHIN = 0.10
# Where the log says why (an evaluation, a restart), less is a gap too: what passes the rounding of its durations.
EXPLAINED = 0.02


def measure_wall_s(time: Column, segments: Segments, step_s: Column, median_s: float) -> float | None:
    """Seconds from the start of the first record's own steps to the last record; None without two time stamps.

    **Formula** last time stamp − first time stamp + the time of the first record's own steps: N clean steps have N
    step times of wall clock.
    """
    known = np.flatnonzero(~np.isnan(time))
    if len(known) < 2:
        return None
    first = int(known[0])
    own = float(step_s[first]) if not np.isnan(step_s[first]) else median_s
    return float(time[known].max() - time[known].min()) + float(segments.spans[first]) * own


def count_skipped(n_skipped: Column, segments: Segments, step: Column) -> int | None:
    """Steps that the producer skipped, of those that were kept; None where it does not say.

    A step that ran again after a restart counts as its last attempt.
    """
    if np.isnan(n_skipped).all():
        return None
    starts = np.array([start for start, _ in segments.bounds], dtype=np.intp)
    before = step[starts] - segments.spans[starts]
    later = np.concatenate((np.minimum.accumulate(before[::-1])[::-1][1:], [np.inf]))  # of the segments that follow
    with np.errstate(invalid="ignore"):
        kept = ~(step > later[segments.of])
    return round(float(np.nansum(n_skipped[kept])))


def measure_goodput(n_kept: int, median_s: float, wall_s: float) -> float:
    """The fraction of wall time that distinct kept steps, those skipped left out, would take at the median step."""
    return n_kept * median_s / wall_s


def find_gaps(series: Series, segments: Segments, step_s: Column, median_s: float) -> tuple[Gap, ...]:
    """Time between two records that their own step times do not account for, with the reason the log gives."""
    time, step = series["time_s"], series["step"]
    passed = np.concatenate(([np.nan], np.diff(time))) if len(time) else time
    own = segments.spans * np.where(np.isnan(step_s), median_s, step_s)
    cut = np.where(np.isnan(segments.passed), 0.0, segments.passed - segments.spans) * median_s
    left = passed - own - cut
    explained = segments.starts.copy()
    explained[[event.before for event in series.events if event.kind in LOSES and event.before < len(step)]] = True
    least = np.maximum(EXPLAINED * (own + cut), series.resolution.get("time_s", 0.0))
    with np.errstate(invalid="ignore"):
        unexplained = np.maximum(GAP_STEPS * median_s, CUT_WITHIN * cut)
        places = np.flatnonzero(left > np.where(explained, least, unexplained))
    return tuple(
        Gap(
            after=_whole(step[place - 1]),
            seconds=float(left[place]),
            reason="restart" if segments.starts[place] else event_before(series, int(place)) or "stall",
        )
        for place in places
    )


def list_excluded(
    series: Series, segments: Segments, step_s: Column, reasons: NDArray[np.str_]
) -> tuple[Excluded, ...]:
    """Neighbouring records left out for one reason, as one entry each, with the steps they speak for."""
    step, found = series["step"], list[Excluded]()
    start = 0
    while start < len(reasons):
        end = start
        while end + 1 < len(reasons) and reasons[end + 1] == reasons[start] and not segments.starts[end + 1]:
            end += 1
        if reasons[start]:
            seconds = step_s[start : end + 1] * segments.spans[start : end + 1]
            reason = str(reasons[start])
            found.append(
                Excluded(
                    first=_whole(step[start] - segments.spans[start] + 1),
                    last=_whole(step[end]),
                    seconds=None if np.isnan(seconds).any() else float(seconds.sum()),
                    reason=(event_before(series, start) or reason) if reason == STALL else reason,
                    n_steps=float(segments.spans[start : end + 1].sum()),
                )
            )
        start = end + 1
    return tuple(found)


def event_before(series: Series, place: int) -> str:
    """What the log says happened before the record at `place`; an empty text where it says nothing."""
    for event in series.events:
        if event.before == place and event.kind in LOSES:
            return event.kind
    return ""


def _whole(number: float) -> int | None:
    return None if np.isnan(number) else int(number)
