"""Collects the records of a log, eight bytes a number, as a reader meets them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import numpy as np

from peakwise.core.quantity import Basis
from peakwise.core.series import Column, Event, Stated

_NONE = float("nan")


class Table:
    """Columns that grow by one row a record, and the facts and events between them.

    The first statement of a fact stands: a restart or another rank states it again.
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._names = columns
        self._rows = array("d")  # row after row: one call a record
        self._stated: dict[str, Stated] = {}
        self._events: list[Event] = []
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, record: Mapping[str, float]) -> None:
        """One record; a column that it does not have gets NaN."""
        get = record.get
        self._rows.extend([get(name, _NONE) for name in self._names])
        self._n += 1

    def state(self, key: str, value: int | float | str, source: str, basis: Basis = "stated") -> None:
        """A fact that the log states or that follows from what it states, in base units."""
        self._stated.setdefault(key, Stated(value=value, source=source, basis=basis))

    def note(self, kind: str) -> None:
        """An event before the next record; one of a kind between two records is enough."""
        event = Event(kind=kind, before=self._n)
        if event not in self._events[-4:]:  # at most four kinds between two records
            self._events.append(event)

    @property
    def columns(self) -> dict[str, Column]:
        """The columns as arrays, those that no record has left out."""
        if not self._n:
            return {}
        rows = np.frombuffer(self._rows, dtype=np.float64).reshape(self._n, len(self._names))
        arrays = {name: rows[:, place] for place, name in enumerate(self._names)}
        return {name: column for name, column in arrays.items() if name == "step" or not np.isnan(column).all()}

    @property
    def stated(self) -> dict[str, Stated]:
        """The stated facts by key."""
        return dict(self._stated)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events in order."""
        return tuple(self._events)
