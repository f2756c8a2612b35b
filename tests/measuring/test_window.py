"""Which records are used, which steps they speak for, and what counts as one record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.series import Column, Event, Series
from peakwise.measuring.goodput import find_gaps, measure_goodput, measure_wall_s
from peakwise.measuring.replicas import join, merge_replicas
from peakwise.measuring.segments import count_distinct, cut_segments
from peakwise.measuring.window import exclude_records


def column(*numbers: float) -> Column:
    return np.array(numbers, dtype=np.float64)


def series(**columns: Column) -> Series:
    return Series(producer="x", producer_name="X", generation="", convention="", spans="interval", columns=columns)


def reasons(*times: float) -> list[str]:
    steps = np.arange(1.0, len(times) + 1)
    return exclude_records(column(*times), cut_segments(steps, "step")).tolist()


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([9.0, 1.0, 1.0, 1.0], ["warm-up", "", "", ""]),
        ([9.0, 1.0], ["warm-up", ""]),
        ([9.0, 3.0, 1.0], ["warm-up", "", ""]),
        ([9.0, 3.0, 1.0, 1.0], ["warm-up", "warm-up", "", ""]),
        ([1.0, 1.05, 1.0, 1.0], ["", "", "", ""]),
        ([0.1, 1.0, 1.0, 1.0], ["impossible", "", "", ""]),
        ([0.1, 5.0, 1.0, 1.0, 1.0], ["impossible", "warm-up", "", "", ""]),
        ([1.0, 1.0, 5.0, 1.0], ["", "", "stall", ""]),
        ([1.0], [""]),
    ],
)
def test_records_are_left_out_by_their_times_alone(times: list[float], expected: list[str]) -> None:
    """Warm-up over 10 % slower than what follows, impossible under half, stall over twice the median, in this order."""
    assert reasons(*times) == expected


def test_each_segment_warms_up_of_its_own() -> None:
    """After a restart the first slow record is warm-up again, not a stall."""
    times = column(9, 1, 1, 1, 9, 1, 1, 1)
    segments = cut_segments(column(1, 2, 3, 4, 3, 4, 5, 6), "step")
    assert exclude_records(times, segments).tolist() == ["warm-up", "", "", "", "warm-up", "", "", ""]


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30), st.floats(0.1, 10))
def test_a_unit_change_of_times_changes_nothing(times: list[float], factor: float) -> None:
    """Records are judged against each other, so a power of two as a common factor leaves every reason as it was."""
    factor = 2.0 ** round(np.log2(factor))
    assert reasons(*times) == reasons(*[time * factor for time in times])


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30))
def test_something_is_always_used(times: list[float]) -> None:
    """No times leave a log without a used record."""
    assert "" in reasons(*times)


def test_an_interval_speaks_for_its_steps_and_the_first_step_for_itself() -> None:
    """Records at 1, 10, 20 are means over 1, 9 and 10 steps; after cut lines a record still speaks for one interval."""
    assert cut_segments(column(1, 10, 20, 30, 70), "interval").spans.tolist() == [1, 9, 10, 10, 10]
    assert cut_segments(column(200, 210, 220), "interval").spans.tolist() == [10, 10, 10]
    assert cut_segments(column(0, 10, 20), "step").spans.tolist() == [1, 1, 1]


def test_steps_run_twice_count_once() -> None:
    """A restart that goes back five steps repeats five."""
    segments = cut_segments(column(1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7), "step")
    assert count_distinct(column(1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7), segments) == (7, 4)


def test_cut_lines_are_no_stall() -> None:
    """Missing step numbers whose time the clock gives ran all the same: no gap, goodput 1."""
    step, time = column(1, 2, 3, 50, 51), column(1, 2, 3, 50, 51)
    segments, ones = cut_segments(step, "step"), np.ones(5)
    assert find_gaps(series(step=step, time_s=time), segments, ones, 1.0) == ()
    wall = measure_wall_s(time, segments, ones, 1.0)
    assert wall == 51
    assert measure_goodput(count_distinct(step, segments)[0], 1.0, wall) == 1.0


def test_gaps_carry_the_reason_the_log_gives() -> None:
    """Time that only the clock shows is evaluation where the log says so, restart at a step back, else a stall."""
    step, time = column(1, 2, 3, 4, 4), column(1, 62, 63, 364, 411)
    run = Series(
        producer="x",
        producer_name="X",
        generation="",
        convention="",
        spans="step",
        columns={"step": step, "time_s": time},
        events=(Event(kind="evaluation", before=1),),
    )
    gaps = find_gaps(run, cut_segments(step, "step"), np.ones(5), 1.0)
    assert [(gap.after, gap.seconds, gap.reason) for gap in gaps] == [
        (1, 60.0, "evaluation"),
        (3, 300.0, "stall"),
        (4, 46.0, "restart"),
    ]


def test_replicas_of_several_ranks_are_one_record() -> None:
    """The same step at nearly the same time is one record, its last digits the median."""
    run = series(
        step=column(1, 1, 1, 2, 2, 2),
        time_s=column(10.0, 10.1, 10.2, 20.0, 20.1, 20.2),
        tokens_per_s=column(5, 6, 7, 8, 8, np.nan),
    )
    merged = merge_replicas(run)
    assert merged["step"].tolist() == [1, 2]
    assert merged["tokens_per_s"].tolist() == [6, 8]


def test_a_step_run_again_after_a_restart_stays_a_record() -> None:
    """The same step much later is another attempt, with and without rank labels or clocks."""
    step = column(1, 2, 3, 2, 3)
    assert len(merge_replicas(series(step=step, time_s=column(1, 2, 3, 30, 31)))) == 5
    assert len(merge_replicas(series(step=step, loss=column(5, 4, 3, 4.1, 3.1)))) == 5
    twice = series(step=np.repeat(step, 2), stream=column(0, 1, 0, 1, 0, 1, 0, 1, 0, 1))
    assert len(merge_replicas(twice)) == 5


def test_files_of_ranks_and_restarts_join_in_time_order() -> None:
    """Two files of one run give the records of both, in the order of the clock."""
    late = series(step=column(3, 4), time_s=column(30, 40))
    early = series(step=column(1, 2), time_s=column(10, 20))
    assert merge_replicas(join((late, early)))["step"].tolist() == [1, 2, 3, 4]
