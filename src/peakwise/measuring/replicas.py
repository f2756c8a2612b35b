"""One record where several ranks or loggers printed the same step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peakwise.core.errors import InputError
from peakwise.core.series import Column, Series

Index = NDArray[np.intp]

# Columns that say where a record stood, and nothing of its step.
_PLACES = ("stream", "file")
# Replicas without clock or rank stand close together: ranks print a step before any prints the next but one.
NEAR = 64


def merge_replicas(series: Series) -> Series:
    """The series with one record per step and attempt; where digits differ, the median. Rule 2 of the log rules.

    Replicas share the step and: the clock within half a logging interval; without clocks, how often their rank has
    printed that step; without ranks, the values or the neighbouring line. Records without a step stay as they are.
    """
    if len(series) < 2:
        return series
    groups = _groups(series)
    if groups.max() + 1 == len(groups):
        return _in_time_order(series)
    _, firsts = np.unique(groups, return_index=True)
    kept = (name for name in series.columns if name not in _PLACES)
    columns = {name: _median_of_groups(series[name], groups) for name in kept}
    events = tuple(replace(event, before=int(np.searchsorted(firsts, event.before))) for event in series.events)
    return _in_time_order(replace(series, columns=columns, events=events))


def join(parts: tuple[Series, ...]) -> Series:
    """Several files of one run as one series; a fact that two state differently keeps the first's.

    **Raises** InputError for files of different producers.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    producers = sorted({part.producer for part in parts})
    if len(producers) > 1:
        raise InputError(
            "the files are of different producers",
            where=", ".join(part.source for part in parts),
            got=", ".join(producers),
            expected="files of one run",
            hint="measure them one by one",
        )
    names = {name for part in parts for name in part.columns}
    columns = {name: np.concatenate([part[name] for part in parts]) for name in names}
    if "stream" in columns:  # ranks of different files are different streams
        ranks = [part["stream"] + index * 1e7 for index, part in enumerate(parts)]  # 1e7: above any rank's number
        columns["stream"] = np.concatenate(ranks)
    columns["file"] = np.concatenate([np.full(len(part), float(index)) for index, part in enumerate(parts)])
    stated = {key: fact for part in reversed(parts) for key, fact in part.stated.items()}
    offsets = np.cumsum([0] + [len(part) for part in parts])
    events = [
        replace(event, before=event.before + int(offset))
        for part, offset in zip(parts, offsets[:-1], strict=True)
        for event in part.events
    ]
    return replace(
        first,
        columns=columns,
        stated=stated,
        events=tuple(events),
        resolution={key: value for part in reversed(parts) for key, value in part.resolution.items()},
        n_lines=sum(part.n_lines for part in parts),
        n_skipped_lines=sum(part.n_skipped_lines for part in parts),
    )


def _groups(series: Series) -> Index:
    """The number of the record that each line belongs to, counted by first appearance."""
    step, time, stream = series["step"], series["time_s"], series["stream"]
    if not np.isnan(time).any():
        same, order = _same_by_clock(step, time)
    elif len(np.unique(stream[stream >= 0])) > 1:
        same, order = _same_by_rank(step, stream)
    else:
        same, order = _same_by_place(step, series)
    same &= ~np.isnan(step[order][1:])
    ids = np.empty(len(step), dtype=np.intp)
    ids[order] = np.concatenate(([0], np.cumsum(~same)))
    _, firsts, inverse = np.unique(ids, return_index=True, return_inverse=True)
    rank_of_first = np.empty(len(firsts), dtype=np.intp)
    rank_of_first[np.argsort(firsts, kind="stable")] = np.arange(len(firsts))
    return rank_of_first[inverse]


def _same_by_clock(step: Column, time: Column) -> tuple[NDArray[np.bool_], Index]:
    order = np.lexsort((time, step))
    sorted_step, sorted_time = step[order], time[order]
    first_of_step = np.concatenate(([True], sorted_step[1:] != sorted_step[:-1]))
    passed = np.abs(np.diff(sorted_time[first_of_step]))
    passed = passed[passed > 0]
    near = float(np.median(passed)) / 2 if len(passed) else np.inf
    return (np.diff(sorted_step) == 0) & (np.diff(sorted_time) <= near), order


def _same_by_rank(step: Column, stream: Column) -> tuple[NDArray[np.bool_], Index]:
    by_rank = np.lexsort((np.arange(len(step)), step, stream))
    again = (np.diff(step[by_rank]) == 0) & (np.diff(stream[by_rank]) == 0)
    position = np.arange(len(step))
    start = np.maximum.accumulate(np.where(np.concatenate(([True], ~again)), position, 0))
    attempt = np.empty(len(step))
    attempt[by_rank] = position - start
    order = np.lexsort((np.arange(len(step)), attempt, step))
    return (np.diff(step[order]) == 0) & (np.diff(attempt[order]) == 0), order


def _same_by_place(step: Column, series: Series) -> tuple[NDArray[np.bool_], Index]:
    order = np.lexsort((np.arange(len(step)), step))
    apart = np.diff(order)
    alike = apart <= NEAR
    for name in set(series.columns) - {"step", "time_s", *_PLACES}:
        values = series[name][order]
        alike &= (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    return (np.diff(step[order]) == 0) & (alike | (apart == 1)), order


def _median_of_groups(column: Column, groups: Index) -> Column:
    """The median of each group's numbers; NaN where a group has none."""
    order = np.lexsort((column, groups))  # NaN sorts last within its group
    ordered = column[order]
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    found = np.bincount(groups, weights=~np.isnan(column)).astype(np.intp)
    low = starts + np.maximum(found - 1, 0) // 2
    high = starts + np.minimum(found // 2, np.maximum(found - 1, 0))
    return np.where(found > 0, (ordered[low] + ordered[high]) / 2, np.nan)


def _in_time_order(series: Series) -> Series:
    time = series["time_s"]
    if np.isnan(time).any() or not (np.diff(time) < 0).any():
        return series
    order = np.argsort(time, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    last = len(order)
    events = tuple(
        replace(event, before=int(place[event.before]) if event.before < last else last) for event in series.events
    )
    return replace(series, columns={name: column[order] for name, column in series.columns.items()}, events=events)
