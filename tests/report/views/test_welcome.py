"""The screen of `peakwise` alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peakwise.report.paper import Paper
from peakwise.report.views.welcome import render

ABSENT = frozenset({"predict", "plan", "compare"})


@pytest.mark.parametrize("width", [80, 120])
def test_the_welcome_screen_is_printed_character_for_character(expected: Callable[[str], str], width: int) -> None:
    assert render("0.2.0", ABSENT, "text", Paper(width=width)) == expected(f"welcome-{width}.txt")


@pytest.mark.parametrize("width", [80, 120])
def test_a_verb_that_is_not_there_yet_changes_its_own_lines_only(expected: Callable[[str], str], width: int) -> None:
    text = render("0.2.0", ABSENT | {"explain", "web"}, "text", Paper(width=width))
    usual = expected(f"welcome-{width}.txt").splitlines()
    changed = [line for line in text.splitlines() if line not in usual]
    assert [line.split()[0] for line in changed] == ["explain", "web"]
    assert all(line.endswith("not there yet") for line in changed)
