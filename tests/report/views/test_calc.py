"""A calculator's answer on paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from peakwise.core.calculation import Calculation
from peakwise.core.finding import Finding
from peakwise.report.paper import Paper
from peakwise.report.text import draw_warnings
from peakwise.report.views.calc import describe, render
from peakwise.verbs.calc import calculate

Text = Callable[[str], str]


def answer(**given: str) -> Calculation:
    """What the command line would compute."""
    return calculate("mfu", {"params_b": "70B", "peak_tflops": "989 TFLOP/s", **given}, face="flag")


@pytest.mark.parametrize("width", [80, 120])
def test_an_answer_is_printed_character_for_character(expected: Text, width: int) -> None:
    text = render(answer(workload="inference", tokens_per_s="2000"), "text", Paper(width=width))
    assert text == expected(f"calc-mfu-{width}.txt")


@pytest.mark.parametrize("width", [80, 120])
def test_an_impossible_answer_is_printed_character_for_character(expected: Text, width: int) -> None:
    document = describe(answer(workload="training", tokens_per_s="20000", accelerators="8"))
    paper = Paper(width=width)
    text = render(answer(workload="training", tokens_per_s="20000", accelerators="8"), "text", paper)
    assert text + draw_warnings(document, paper) == expected(f"calc-mfu-over-{width}.txt")


def test_a_band_that_applies_is_in_the_first_line() -> None:
    text = render(answer(workload="training", tokens_per_s="1000"))
    assert text.splitlines()[0] == "MFU 42.5 %   0.425   good"
    assert "40 good" in text


def test_every_other_finding_follows_the_numbers_too() -> None:
    run = answer(workload="training", tokens_per_s="20000", accelerators="8")
    run = replace(run, warnings=(*run.warnings, Finding(code="W_FIT", message="does not fit", fix="--devices 17")))
    lines = draw_warnings(describe(run), Paper()).splitlines()
    assert lines[-1] == "warning: does not fit: --devices 17 (W_FIT)"


def test_markdown_names_the_rule_set() -> None:
    text = render(answer(workload="inference", tokens_per_s="2000"), "markdown")
    assert text.startswith("**MFU 28.3 %** (0.283)\n")
    assert text.endswith("`2026-11` · Peakwise 0.2.0\n")
