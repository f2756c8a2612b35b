"""The bar of a long reading: on a terminal's stderr after half a second, gone at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import ceil
from typing import TextIO

from peakwise.cli.output import paper_of
from peakwise.core.progress import Progress
from peakwise.core.units import S_PER_HOUR, S_PER_MINUTE, to_mega
from peakwise.report.figures import figure, percent
from peakwise.report.paper import Paper

# look/terminal.md, rule 11: after 0.5 s, at most 10 times a second.
AFTER_S = 0.5
BETWEEN_S = 0.1
LEAST_BAR = 8  # cells: a shorter bar says nothing, the numbers stand alone


class Bar:
    """Draws how far the reading of one file after another has come; `clock` gives seconds."""

    def __init__(self, stream: TextIO, paper: Paper, clock: Callable[[], float]) -> None:
        self._stream, self._paper, self._clock = stream, paper, clock
        self._begun = self._file_begun = clock()
        self._next = self._begun + AFTER_S
        self._done = self._cells = 0

    def __call__(self, done: int, total: int) -> None:
        """Draws `done` of `total` bytes of one file, if it is time to."""
        now = self._clock()
        if done < self._done:  # the next file
            self._file_begun = now
        self._done = done
        if now < self._next or not total:
            return
        self._next = now + BETWEEN_S
        line = draw_line(done, total, now - self._file_begun, self._paper)
        bare = draw_line(done, total, now - self._file_begun, self._paper._replace(colour=False))
        self._write("\r" + line + " " * (self._cells - len(bare)))
        self._cells = len(bare)

    def remove(self) -> None:
        """Takes the bar off the terminal."""
        if self._cells:
            self._write("\r" + " " * self._cells + "\r")
            self._cells = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal has gone: the result does not depend on the bar
            self._next = float("inf")
            self._cells = 0


@contextmanager
def drawing(stream: TextIO | None = None) -> Generator[Progress | None]:
    """What to call while a file is read; None where stderr is no terminal that can take back a line."""
    terminal = stream or sys.stderr
    if not terminal.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    bar = Bar(terminal, paper_of(terminal), time.monotonic)
    try:
        yield bar
    finally:
        bar.remove()


def draw_line(done: int, total: int, seconds: float, paper: Paper) -> str:
    """One line, a column narrower than the paper: the share read, the bytes, the rate and the time that is left."""
    rate = done / seconds if seconds > 0 else 0.0
    numbers = f"{percent(done / total, 0):>5}  {figure(to_mega(done), 0)} of {figure(to_mega(total), 0)} MB"
    if rate:
        numbers += f"  {figure(to_mega(rate), 0)} MB/s  {_minutes((total - done) / rate)} left"
    head = "  reading log "
    room = paper.columns - 1 - len(head) - len(numbers) - 1
    if room < LEAST_BAR:
        return paper.cut(paper.spell(f"{head}{numbers}"), paper.columns - 1)
    filled = "━" * (room * done // total)
    if len(filled) < room:
        filled += "╸"  # half a cell, where the edge is
    return head + paper.ink(paper.spell(filled), "cyan") + paper.spell(f"{'─' * (room - len(filled))} {numbers}")


def _minutes(seconds: float) -> str:
    hours, rest = divmod(ceil(seconds), S_PER_HOUR)
    minutes, rest = divmod(rest, S_PER_MINUTE)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
