"""The bar of a long reading: after half a second, ten times a second at most, gone at the end, never on a pipe."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peakwise.cli import progress
from peakwise.cli.progress import Bar, draw_line, drawing
from peakwise.report.paper import Paper

SAMPLE = Path(__file__).parents[1] / "data" / "logs" / "15-torchtitan.log"
MB = 1_000_000


class Terminal(io.StringIO):
    """A terminal that keeps every character written to it."""

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        """The line as a person sees it."""
        cells: list[str] = []
        at = 0
        for letter in self.getvalue():
            if letter == "\r":
                at = 0
                continue
            cells[at : at + 1] = letter
            at += 1
        return "".join(cells).rstrip()


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_line_is_the_designed_one_at_80_and_120_columns() -> None:
    seconds = 124 / 112
    assert draw_line(124 * MB, 200 * MB, seconds, Paper(width=80)) == (
        "  reading log ━━━━━━━━━━━━━━╸────────  62 %  124 of 200 MB  112 MB/s  0:01 left"
    )
    assert draw_line(124 * MB, 200 * MB, seconds, Paper(width=120)) == (
        "  reading log ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸───────────────────────"
        "  62 %  124 of 200 MB  112 MB/s  0:01 left"
    )


@pytest.mark.parametrize("width", [1, 20, 40, 56, 57, 58, 80, 100, 400])
@pytest.mark.parametrize("done", [0, 1, 100 * MB, 200 * MB])
def test_a_line_never_fills_its_terminal(width: int, done: int) -> None:
    """A full last column would fold the line, and a folded line cannot be taken back."""
    assert len(draw_line(done, 200 * MB, 1.0, Paper(width=width))) < max(width, 2)


def test_a_terminal_without_the_glyphs_gets_plain_letters() -> None:
    assert draw_line(124 * MB, 200 * MB, 1.0, Paper(width=80, plain=True)).isascii()


def test_a_short_reading_draws_nothing() -> None:
    terminal, clock = Terminal(), Clock()
    bar = Bar(terminal, Paper(), clock)
    clock.now += 0.49
    bar(150 * MB, 200 * MB)
    bar.remove()
    assert terminal.getvalue() == ""


def test_a_long_reading_draws_at_most_ten_times_a_second() -> None:
    terminal, clock = Terminal(), Clock()
    bar = Bar(terminal, Paper(), clock)
    for part in range(1, 2001):  # two seconds, a call each millisecond
        clock.now += 0.001
        bar(part * MB, 2000 * MB)
    assert 14 <= terminal.getvalue().count("\r") <= 16  # from 0.5 s to 2 s


def test_the_bar_is_removed_at_the_end() -> None:
    terminal, clock = Terminal(), Clock()
    bar = Bar(terminal, Paper(), clock)
    clock.now += 1
    bar(124 * MB, 200 * MB)
    assert terminal.shown.startswith("  reading log ━")
    bar.remove()
    assert terminal.shown == ""


def test_a_shorter_line_leaves_nothing_of_the_longer_one() -> None:
    terminal, clock = Terminal(), Clock()
    bar = Bar(terminal, Paper(width=40), clock)
    clock.now += 1
    bar(1 * MB, 5000 * MB)  # an hour and more is left
    clock.now += 1
    bar(4999 * MB, 5000 * MB)
    assert terminal.shown == draw_line(4999 * MB, 5000 * MB, 2.0, Paper(width=40)).rstrip()


def test_the_rate_of_the_next_file_is_its_own() -> None:
    terminal, clock = Terminal(), Clock()
    bar = Bar(terminal, Paper(), clock)
    clock.now += 10
    bar(10 * MB, 10 * MB)
    bar(1 * MB, 100 * MB)
    clock.now += 1
    bar(50 * MB, 100 * MB)
    assert "50 MB/s" in terminal.shown


def test_a_terminal_that_has_gone_ends_no_reading() -> None:
    class Gone(Terminal):
        def write(self, text: str, /) -> int:
            raise BrokenPipeError(text)

    clock = Clock()
    bar = Bar(Gone(), Paper(), clock)
    clock.now += 1
    bar(1 * MB, 2 * MB)
    bar(2 * MB, 2 * MB)
    bar.remove()


def test_a_pipe_and_a_dumb_terminal_get_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TERM", raising=False)
    with drawing(io.StringIO()) as nothing:
        assert nothing is None
    monkeypatch.setenv("TERM", "dumb")
    with drawing(Terminal()) as nothing:
        assert nothing is None


def test_measure_draws_the_bar_of_a_long_log_and_takes_it_away(
    peakwise: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the clock finds a second gone, so even this log is long."""
    terminal, clock = Terminal(), Clock()

    def tick() -> float:
        clock.now += 1
        return clock.now

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress.time, "monotonic", tick)
    monkeypatch.setattr("sys.stderr", terminal)
    ran = peakwise("measure", str(SAMPLE))
    assert ran.code == 0
    assert "reading log" in terminal.getvalue()
    assert "reading log" not in terminal.shown


def test_measure_on_a_pipe_writes_no_bar(peakwise: Callable[..., Any]) -> None:
    assert "reading" not in peakwise("measure", str(SAMPLE)).err
