"""Progress bars: the step and the clock of a dict that has none. Their smoothed rates are never used."""

from __future__ import annotations

import re

from peakwise.core.units import S_PER_HOUR, S_PER_MINUTE

# `98%|█████▊| 2086/2120 [26:01<00:22,  1.49it/s]`; a blank or a filled bar between.
_BAR = re.compile(r"(\d{1,3})%\|[^|\n]{0,400}\|\s{0,3}(\d{1,12})/(\d{1,12}) \[\d")
_ELAPSED = re.compile(r"\[(?:(\d{1,5}):)?(\d{1,2}):(\d\d)(?=[<,])")  # `[26:01<`, `[1:26:01<`
_LABEL = re.compile(r"([A-Za-z][\w ./()-]{0,80}?)\s{0,3}:?\s{0,3}$")
_TRAINS = {"train", "training", "steps", "step"}  # labels of a training bar; the Trainer's own has none
MOST = 16  # as many bars between two dicts are not all of training

MARK = "%|"


class Bars:
    """The position of the training bar. An evaluation's bar has no label either: its total is another."""

    def __init__(self) -> None:
        self._total = 0  # of the training bar, once known
        self._at: int | None = None  # its position
        self._since: dict[int, int] = {}  # positions by total since the last dict
        self._clocks: dict[int, tuple[int, float]] = {}  # by total: the last position and its seconds since the start

    def expect(self, total: int) -> None:
        """The steps of the run, as the log states them: the training bar's total from here on."""
        self._total, self._at = total, None
        self._since.clear()

    def see(self, text: str) -> int | None:
        """Takes note of the bars of a line; the position of the bar that is, or may be, of training."""
        found = None
        for match in _BAR.finditer(text):
            start = match.start()
            label = _LABEL.search(text, max(0, start - 100), start) if text[:start].strip() else None
            n, total = int(match.group(2)), int(match.group(3))
            if n > total or (label is not None and label.group(1).lower() not in _TRAINS):
                continue
            if total == self._total:
                self._at = n
            if total == self._total or not self._total:
                found = n
            if total in self._since or len(self._since) < MOST:
                self._since.pop(total, None)
                self._since[total] = n
                self._note_clock(text, match.end() - 2, total, n)
        return found

    def _note_clock(self, text: str, start: int, total: int, n: int) -> None:
        elapsed = _ELAPSED.match(text, start)
        if elapsed is None or (total not in self._clocks and len(self._clocks) >= MOST):
            return
        hours, minutes, seconds = (int(part or 0) for part in elapsed.groups())
        if self._clocks.get(total, (None, 0.0))[0] != n:  # a bar redrawn at its place shows a later time
            self._clocks[total] = (n, float(hours * S_PER_HOUR + minutes * S_PER_MINUTE + seconds))

    def clock_at(self, position: int) -> float | None:
        """Seconds since the start that the training bar showed when it came to this position."""
        at, seconds = self._clocks.get(self._total, (None, 0.0))
        return seconds if at == position else None

    def position(self) -> int | None:
        """The step that a dict of training belongs to here; None where no bar has been seen.

        A dict of training follows its own bar: where that one has not moved and another has, the other is it.
        """
        if self._total not in self._since and self._since:
            self._total = next(reversed(self._since))
            self._at = self._since[self._total]
        self._since.clear()
        return self._at
