"""Records of another run are never pooled; copies of one run's records are no other run."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.series import Column, Event, Series
from peakwise.measuring.replicas import join, merge_replicas
from peakwise.measuring.runs import pick_by_clock, pick_by_size


def series(**columns: Column) -> Series:
    return Series(producer="x", producer_name="X", generation="", convention="", spans="step", columns=columns)


def stretch(first: int, last: int, start_s: float, step_s: float = 2.0) -> tuple[Column, Column]:
    step = np.arange(float(first), last + 1)
    return step, start_s + (step - first + 1) * step_s


def joined(*parts: tuple[Column, Column]) -> Series:
    """One file that holds these stretches one after another."""
    step, time = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    return series(step=step, time_s=time)


def test_one_run_is_one_run() -> None:
    run = joined(stretch(1, 50, 0))
    found = pick_by_clock(run)
    assert found.series is run
    assert found.others == ()


def test_a_clock_that_goes_back_begins_another_run_and_the_longer_is_answered() -> None:
    """40 records of one run after 10 of another: the 40 stay, whichever stands first."""
    for parts in ((stretch(1, 10, 9000), stretch(1, 40, 0)), (stretch(1, 40, 9000), stretch(1, 10, 0))):
        found = pick_by_clock(joined(*parts))
        assert len(found.series) == 40
        assert found.n_other_records == 10
        assert [(part.first, part.last, part.reason) for part in found.others] == [(1, 10, "another run")]


def test_of_two_runs_of_one_length_the_last_is_answered() -> None:
    found = pick_by_clock(joined(stretch(1, 10, 9000), stretch(101, 110, 0)))
    assert found.series["step"].min() == 101


def test_ranks_one_after_another_are_one_run() -> None:
    """The whole output of rank 1 after that of rank 0: the clock goes back, the records are copies."""
    step, time = stretch(1, 50, 0)
    run = joined((step, time), (step, time + 0.01), (step, time - 0.01))
    assert pick_by_clock(run).series is run
    assert len(merge_replicas(run)) == 50


@given(st.integers(2, 5), st.integers(3, 40))
def test_ranks_whose_lines_are_interleaved_are_one_run(n_ranks: int, n_steps: int) -> None:
    step, time = stretch(1, n_steps, 0)
    jitter = np.linspace(0, 0.3, n_ranks)
    run = series(
        step=np.repeat(step, n_ranks),
        time_s=(time[:, None] + jitter[None, ::-1]).ravel(),
        stream=np.tile(np.arange(float(n_ranks)), n_steps),
    )
    assert pick_by_clock(run).series is run


def test_files_of_one_run_may_come_in_any_order() -> None:
    """The clock goes back between two files, not within one: they are parts of one run."""
    early, late = (series(step=step, time_s=time) for step, time in (stretch(1, 10, 0), stretch(11, 20, 50)))
    run = join((late, early))
    assert pick_by_clock(run).series is run
    assert merge_replicas(run)["step"].tolist() == list(range(1, 21))


def test_the_same_step_of_another_size_is_another_runs() -> None:
    """Steps 6 to 10 again with twice the batch are no restart; a batch that grew with the steps is one run."""
    step = np.concatenate((np.arange(1.0, 16), np.arange(6.0, 11)))
    size = np.where(np.arange(20) < 15, 4.0, 8.0)
    found = pick_by_size(series(step=step, global_batch=size))
    assert (len(found.series), found.n_other_records) == (15, 5)
    grown = np.concatenate((np.arange(1.0, 16), np.arange(6.0, 11)))
    ramp = series(step=grown, global_batch=np.where(grown < 8, 4.0, 8.0))
    assert pick_by_size(ramp).series is ramp


def test_events_go_with_their_run() -> None:
    run = joined(stretch(1, 10, 9000), stretch(1, 40, 0))
    run = Series(
        producer="x",
        producer_name="X",
        generation="",
        convention="",
        spans="step",
        columns=run.columns,
        events=(Event(kind="evaluation", before=5), Event(kind="evaluation", before=30)),
    )
    assert [event.before for event in pick_by_clock(run).series.events] == [20]
