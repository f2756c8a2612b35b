"""Whether one log holds the records of one run, and which of several is answered. Rule 4 of the log rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from peakwise.core.measurement import Excluded
from peakwise.core.series import Series

Index = NDArray[np.intp]

ANOTHER_RUN = "another run"
# A clock that goes back by more steps than this is another run's; less is the order in which ranks were written.
BACK_STEPS = 3.0
# The same step has the same size in one run; a difference above this is another run's (rule 12: constant within 1 %).
SAME_SIZE = 0.01
# A clock that goes back more often is no row of runs but ranks whose clocks differ.
MOST_BLOCKS = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs:
    """The records of the run that is answered, and what was left out because it belongs to others."""

    series: Series
    others: tuple[Excluded, ...] = ()
    n_other_records: int = 0


def pick_by_clock(series: Series) -> Runs:
    """The longest of the runs that begin where a file's clock goes back and what follows is no copy of earlier records.

    For records as they stand in the log, copies of several ranks among them.
    """
    return _choose(series, _number_runs(_cut_by_clock(series), lambda before, block: _copied(series, before, block)))


def pick_by_size(series: Series) -> Runs:
    """The longest of the runs that begin where steps that ran before have another size. For records without copies."""
    return _choose(series, _number_runs(_cut_by_step(series), lambda before, block: _alike(series, before, block)))


def _choose(series: Series, run_of: Index) -> Runs:
    """The run with the most records; of equally long ones the last."""
    if not len(run_of) or not run_of.max():
        return Runs(series=series)
    sizes = np.bincount(run_of)
    chosen = len(sizes) - 1 - int(np.argmax(sizes[::-1]))
    kept = np.flatnonzero(run_of == chosen)
    events = tuple(
        replace(event, before=int(np.searchsorted(kept, event.before)))
        for event in series.events
        if event.before < len(run_of) and run_of[event.before] == chosen
    )
    columns = {name: column[kept] for name, column in series.columns.items()}
    return Runs(
        series=replace(series, columns=columns, events=events),
        others=tuple(_describe(series, run_of == run) for run in range(len(sizes)) if run != chosen),
        n_other_records=len(run_of) - len(kept),
    )


def _describe(series: Series, mask: NDArray[np.bool_]) -> Excluded:
    step = series["step"][mask]
    step = step[~np.isnan(step)]
    time = series["time_s"][mask]
    time = time[~np.isnan(time)]
    return Excluded(
        first=int(step.min()) if len(step) else None,
        last=int(step.max()) if len(step) else None,
        seconds=float(time.max() - time.min()) if len(time) > 1 else None,
        reason=ANOTHER_RUN,
        n_steps=float(len(step)),
    )


def _number_runs(blocks: Index, find_same: Callable[[slice, slice], int | None]) -> Index:
    """The run of each record. `find_same` gives an earlier place whose run a block goes on with; None for a new one."""
    run_of = np.zeros(len(blocks), dtype=np.intp)
    if not len(blocks) or not 0 < blocks.max() <= MOST_BLOCKS:
        return run_of
    bounds = [*np.flatnonzero(np.concatenate(([True], np.diff(blocks) != 0))).tolist(), len(blocks)]
    n_runs = 1
    for start, end in pairwise(bounds[1:]):
        place = find_same(slice(0, start), slice(start, end))
        run_of[start:end] = n_runs if place is None else run_of[place]
        n_runs += place is None
    return run_of


def _cut_by_clock(series: Series) -> Index:
    """Blocks that begin where the clock goes back within a file."""
    time, file = series["time_s"], np.nan_to_num(series["file"])
    if len(time) < 2:
        return np.zeros(len(time), dtype=np.intp)
    with np.errstate(invalid="ignore"):
        back = (np.diff(time) < -_tolerance(series)) & (np.diff(file) == 0)
    return np.concatenate(([0], np.cumsum(back))).astype(np.intp)


def _cut_by_step(series: Series) -> Index:
    """Blocks that begin where the step number does not rise."""
    step = series["step"]
    if len(step) < 2:
        return np.zeros(len(step), dtype=np.intp)
    with np.errstate(invalid="ignore"):
        return np.concatenate(([0], np.cumsum(np.diff(step) <= 0))).astype(np.intp)


def _tolerance(series: Series) -> float:
    """Seconds that the clock may go back within one run: a few records' distance."""
    passed = np.diff(series["time_s"])
    with np.errstate(invalid="ignore"):
        passed = passed[(passed > 0) & (np.diff(series["step"]) != 0)]
    return BACK_STEPS * float(np.median(passed)) if len(passed) else np.inf


def _copied(series: Series, before: slice, block: slice) -> int | None:
    """An earlier record that the block copies, where most of it is copies: the same step at nearly the same time."""
    step, time = series["step"], series["time_s"]
    order = np.argsort(time[before], kind="stable")
    places = np.searchsorted(time[before][order], time[block])
    copied = np.full(block.stop - block.start, -1, dtype=np.intp)
    for shift in (-1, 0):  # the neighbours in time on either side
        near = order[np.clip(places + shift, 0, len(order) - 1)]
        alike = (step[near] == step[block]) & (np.abs(time[near] - time[block]) <= _tolerance(series))
        copied = np.where(alike, near, copied)
    found = copied[copied >= 0]
    return int(found[0]) if len(found) * 2 >= len(copied) else None


def _alike(series: Series, before: slice, block: slice) -> int | None:
    """The record before the block, where its steps that ran before have the size that they had, or none is known."""
    step = series["step"]
    steps, places = np.unique(step[before], return_index=True)
    again = np.isin(step[block], steps)
    if not again.any():
        return block.start - 1
    earlier = places[np.searchsorted(steps, step[block][again])]
    for name in ("global_batch", "tokens_per_step"):
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.abs(series[name][block][again] / series[name][before][earlier] - 1) > SAME_SIZE
        if np.count_nonzero(apart) * 2 > len(apart):
            return None
    return block.start - 1
