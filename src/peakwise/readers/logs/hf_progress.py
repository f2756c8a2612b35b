"""Progress bars: which step a dict without a step number belongs to. Their smoothed rates are never used."""

from __future__ import annotations

import re

# `98%|█████▊| 2086/2120 [26:01<00:22,  1.49it/s]`; a blank or a filled bar between.
_BAR = re.compile(r"(\d{1,3})%\|[^|\n]{0,400}\|\s{0,3}(\d{1,12})/(\d{1,12}) \[\d")
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
        return found

    def position(self) -> int | None:
        """The step that a dict of training belongs to here; None where no bar has been seen.

        A dict of training follows its own bar: where that one has not moved and another has, the other is it.
        """
        if self._total not in self._since and self._since:
            self._total = next(reversed(self._since))
            self._at = self._since[self._total]
        self._since.clear()
        return self._at
