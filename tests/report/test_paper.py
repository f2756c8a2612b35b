"""The paper: widths, colours and characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.report.paper import GLYPHS, Paper, can_carry, cells, choose_paper


def chosen(encoding: str = "utf-8", is_terminal: bool = True, columns: int = 100, **environ: str) -> Paper:
    """A paper in one line."""
    return choose_paper(encoding=encoding, is_terminal=is_terminal, columns=columns, environ=environ)


def test_a_terminal_gives_its_width_and_colour() -> None:
    assert chosen(columns=133) == Paper(width=133, colour=True)


def test_lines_are_laid_out_for_at_most_120_columns() -> None:
    assert chosen(columns=240).columns == 120


def test_a_pipe_has_80_columns_and_no_colour() -> None:
    assert chosen(is_terminal=False, columns=133) == Paper(width=80, colour=False)


def test_no_color_and_a_dumb_terminal_turn_colour_off() -> None:
    assert not chosen(NO_COLOR="1").colour
    assert not chosen(TERM="dumb").colour


def test_force_color_turns_colour_on_in_a_pipe() -> None:
    assert chosen(is_terminal=False, FORCE_COLOR="1").colour


def test_an_empty_no_color_says_nothing() -> None:
    assert chosen(NO_COLOR="").colour


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "no-such-encoding"])
def test_an_encoding_that_lacks_a_glyph_gets_the_plain_set(encoding: str) -> None:
    assert chosen(encoding=encoding).plain
    assert not can_carry(encoding)


def test_the_plain_set_is_ascii() -> None:
    spelled = Paper(plain=True).spell(GLYPHS + "…⁹\u00a0")
    assert spelled.isascii()
    assert Paper(plain=True).spell("— − × ÷ → █ ▒ ░ · │") == "- - x / -> # % : . |"


def test_only_eight_colour_names_are_used() -> None:
    paper = Paper(colour=True)
    inks = [paper.ink("x", ink) for ink in ("bold", "dim", "cyan", "yellow", "red")]
    assert inks == ["\x1b[1mx\x1b[0m", "\x1b[2mx\x1b[0m", "\x1b[36mx\x1b[0m", "\x1b[33mx\x1b[0m", "\x1b[31mx\x1b[0m"]


def test_ink_leaves_the_spaces_around_a_text_alone() -> None:
    assert Paper(colour=True).ink("  x ", "bold") == "  \x1b[1mx\x1b[0m "


def test_wide_characters_take_two_cells() -> None:
    assert cells("模型") == 4
    assert cells("e\u0301") == 1


@given(st.text(), st.integers(min_value=0, max_value=40), st.booleans())
def test_a_cut_text_always_fits(text: str, width: int, plain: bool) -> None:
    paper = Paper(plain=plain)
    assert cells(paper.cut(paper.spell(text), width)) <= width


@given(st.text())
def test_no_control_character_survives(text: str) -> None:
    assert Paper().spell(text).isprintable()
