"""Markdown that shows foreign text as it is."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.measurement import Measurement
from peakwise.report.markdown import plain
from peakwise.report.views.measure import render


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert plain("a|b") == "a\\|b"


def test_markup_in_foreign_text_is_shown_not_obeyed() -> None:
    assert plain("*bold* <b>x</b> [a](b) `c`") == "\\*bold\\* \\<b\\>x\\</b\\> \\[a\\](b) \\`c\\`"


def test_an_underscore_inside_a_word_stays() -> None:
    assert plain("hf_trainer") == "hf_trainer"
    assert plain("_x_") == "\\_x\\_"


def test_a_line_break_cannot_start_a_block() -> None:
    assert plain("a\n# b") == "a # b"


def test_a_command_with_a_fence_in_it_stays_in_its_block(incomplete: Measurement) -> None:
    text = render(replace(incomplete, command="peakwise measure '```'"), "markdown")
    assert "````sh\npeakwise measure '```'\n````" in text
