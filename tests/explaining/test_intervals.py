"""Seconds that no kept step accounts for, by cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peakwise.core.measurement import Excluded, Gap, Steps
from peakwise.explaining.intervals import Lost, find_lost

CLEAN = Steps(records=10, first=1, last=10, covered=10, used=10, n_kept=10)


def lost(steps: Steps, cause: str) -> Lost:
    return next(found for found in find_lost(steps, 2.0) if found.cause == cause)


def test_a_clean_run_lost_nothing() -> None:
    """Every cause that the clock can show is there, with 0 s."""
    assert {found.seconds for found in find_lost(CLEAN, 2.0)} == {0.0}


def test_a_gap_counts_its_own_seconds_and_a_slow_record_what_passes_its_steps() -> None:
    """A stall of 60 s between records and one of 20 s inside a record of 5 steps are 70 s of stall."""
    gap = Gap(after=3, seconds=60, reason="stall")
    record = Excluded(first=6, last=10, seconds=20, reason="stall", n_steps=5)
    found = lost(replace(CLEAN, gaps=(gap,), excluded=(record,)), "stall")
    assert (found.seconds, found.where) == (70, "2 times, longest after step 3")


def test_a_record_left_out_as_too_short_gives_nothing_back() -> None:
    """Impossible times, and a warm-up below the median of the run, take no time from others."""
    records = tuple(Excluded(first=1, last=1, seconds=1.0, reason=reason) for reason in ("impossible", "warm-up"))
    assert {found.seconds for found in find_lost(replace(CLEAN, excluded=records), 2.0)} == {0.0}


def test_steps_run_twice_and_skipped_steps_cost_the_median() -> None:
    """They ran at the speed of the others; `where` says which."""
    steps = replace(CLEAN, repeated=5, again=((3, 5), (9, 10)), skipped=2)
    assert lost(steps, "repeated_steps") == Lost(cause="repeated_steps", seconds=10.0, where="3–5, 9–10")
    assert lost(steps, "skipped_steps").seconds == 4.0


@pytest.mark.parametrize("reason", ["evaluation", "checkpoint", "stall", "restart"])
def test_each_reason_of_a_gap_is_a_cause(reason: str) -> None:
    found = find_lost(replace(CLEAN, gaps=(Gap(after=None, seconds=7.0, reason=reason),)), 2.0)
    assert [(one.cause, one.seconds, one.where) for one in found if one.seconds] == [(reason, 7.0, "")]
