"""Terminal text of any width."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from peakwise.core.count import Count
from peakwise.core.errors import InputError
from peakwise.core.finding import Finding
from peakwise.core.measurement import Measurement
from peakwise.core.workload import Workload
from peakwise.report.blocks import Cause, Document, Gauge, Warned
from peakwise.report.gauge import ruler, ticks
from peakwise.report.paper import Paper, cells
from peakwise.report.text import draw_document, draw_warnings
from peakwise.report.views import count as count_view
from peakwise.report.views import error as error_view
from peakwise.report.views import measure as measure_view

COLOUR = re.compile(r"\x1b\[\d+m")


def is_command(line: str) -> bool:
    """Whether a line is there to be copied: such a line is never wrapped."""
    return line.lstrip().startswith("peakwise ")


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("width", [28, 34, 43, 49, 50, 53, 54, 60, 72, 79, 80, 99, 100, 119, 120, 200])
def test_no_line_but_a_command_is_wider_than_the_paper(
    complete: Measurement, incomplete: Measurement, counted: Callable[[Workload], Count], width: int, plain: bool
) -> None:
    paper = Paper(width=width, plain=plain)
    texts = [
        measure_view.render(complete, "text", paper),
        measure_view.render(incomplete, "text", paper),
        count_view.render(counted(Workload(seq_len=8192)), "text", paper),
    ]
    lines = [line for text in texts for line in text.splitlines() if not is_command(line)]
    assert max(cells(line) for line in lines) <= min(width, 120)


@pytest.mark.parametrize("width", [20, 45, 55, 70, 80, 120])
def test_a_number_is_never_cut(complete: Measurement, width: int) -> None:
    text = measure_view.render(complete, "text", Paper(width=width))
    for number in ("30.5 %", "1.397", "5,863", "51.47", "301.8", "989.4"):
        assert number in text


def test_under_50_columns_a_fact_is_one_line(complete: Measurement) -> None:
    lines = measure_view.render(complete, "text", Paper(width=45)).splitlines()
    assert "  useful per GPU: 301.8 TFLOP/s" in lines
    assert "  HFU: — missing" in lines


def test_basis_moves_under_the_fact_where_it_does_not_fit(complete: Measurement) -> None:
    lines = measure_view.render(complete, "text", Paper(width=51)).splitlines()
    at = lines.index("  useful per GPU              301.8 TFLOP/s")
    assert lines[at + 1] == "    derived"


def test_colour_changes_no_character(complete: Measurement) -> None:
    coloured = measure_view.render(complete, "text", Paper(colour=True))
    assert coloured != measure_view.render(complete)
    assert COLOUR.sub("", coloured) == measure_view.render(complete)


def test_hero_bar_command_and_basis_have_their_inks(complete: Measurement) -> None:
    text = measure_view.render(complete, "text", Paper(colour=True))
    assert "\x1b[1mMFU 30.5 %\x1b[0m  average" in text
    assert "\x1b[36m██████████████████████\x1b[0m\x1b[2m·······│" in text
    assert "\x1b[2mderived\x1b[0m" in text
    assert "\n\x1b[36mpeakwise measure " in text


def test_an_ascii_encoding_gets_ascii_only(complete: Measurement) -> None:
    text = measure_view.render(complete, "text", Paper(plain=True))
    assert text.isascii()
    assert "  ######################.......|..........|" in text


@pytest.mark.parametrize(("fraction", "bar"), [(0.0, ""), (0.5, "█" * 36), (1.0, "█" * 72), (0.002, "▏")])
def test_the_bar_has_eighths_of_a_cell(fraction: float, bar: str) -> None:
    drawn, rest = ruler(Gauge(fraction), Paper())
    assert drawn == bar
    assert len(drawn + rest) == 73


def test_a_band_that_does_not_apply_keeps_its_tick_and_loses_its_name() -> None:
    assert ticks(Gauge(0.3, applies=False), Paper()).split() == ["0", "25", "40", "55", "100", "%"]


def test_the_gauge_keeps_at_least_40_cells() -> None:
    bar, rest = ruler(Gauge(0.5), Paper(width=44))
    assert len(bar + rest) == 41
    assert draw_document(Document("", (Gauge(0.5),)), Paper(width=30)) == ""


def test_a_warning_says_what_then_the_flag_then_its_code() -> None:
    finding = Finding(code="W_FIT", message="the weights do not fit", fix="--devices 2")
    text = draw_warnings(Document("", (), (Warned(finding),)), Paper())
    assert text == "\nwarning: the weights do not fit: --devices 2 (W_FIT)\n"


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_causes_keep_their_figure_and_their_flag_whole(width: int) -> None:
    cause = Cause("the rate comes from sixteen accelerators and not from eight", "53.1 %", "--devices 16")
    finding = Finding(code="E_OVER", message="above the peak")
    text = draw_warnings(Document("", (), (Warned(finding, (cause,)),)), Paper(width=width))
    assert "53.1 %" in text
    assert "--devices 16" in text
    assert max(len(line) for line in text.splitlines()) <= width


def test_the_words_warning_and_error_are_the_only_coloured_ones_of_a_finding() -> None:
    finding = Finding(code="W_FIT", message="the weights do not fit")
    text = draw_warnings(Document("", (), (Warned(finding),)), Paper(colour=True))
    assert text == "\n\x1b[33mwarning:\x1b[0m the weights do not fit (W_FIT)\n"
    assert error_view.render(InputError("no"), "text", Paper(colour=True)) == "\x1b[31merror:\x1b[0m no\n"
