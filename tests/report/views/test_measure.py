"""A measurement on paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from peakwise.core.finding import Finding
from peakwise.core.measurement import Measurement
from peakwise.core.quantity import Quantity
from peakwise.report.paper import Paper
from peakwise.report.views.measure import render

Text = Callable[[str], str]


@pytest.mark.parametrize("width", [80, 120])
def test_a_complete_measurement_is_printed_character_for_character(
    complete: Measurement, expected: Text, width: int
) -> None:
    assert render(complete, "text", Paper(width=width)) == expected(f"measure-complete-{width}.txt")


@pytest.mark.parametrize("width", [80, 120])
def test_an_incomplete_measurement_is_printed_character_for_character(
    incomplete: Measurement, expected: Text, width: int
) -> None:
    assert render(incomplete, "text", Paper(width=width)) == expected(f"measure-incomplete-{width}.txt")


def test_sixty_columns_lose_the_source_column_and_keep_the_words(complete: Measurement, expected: Text) -> None:
    wanted = expected("measure-complete-60.txt")  # the report's first twenty lines
    text = render(complete, "text", Paper(width=60))
    assert text.splitlines()[: wanted.count("\n")] == wanted.splitlines()


def test_markdown_is_printed_character_for_character(complete: Measurement, expected: Text) -> None:
    assert render(complete, "markdown") == expected("measure-complete.md")


def test_an_assumed_input_is_named_beside_the_hero_number(complete: Measurement) -> None:
    seq_len = Quantity(value=8192, unit="token", basis="assumed", source="the usual")
    assert "  MFU 30.5 %  average (assumed: sequence length)\n" in render(replace(complete, seq_len=seq_len))


def test_a_band_that_does_not_apply_is_not_named(complete: Measurement) -> None:
    note = "No band: they were written for dense training, and this is a mixture of experts."
    text = render(replace(complete, band_note=note))
    assert "  MFU 30.5 %\n" in text
    assert "average" not in text
    assert note in " ".join(text.split())


def test_an_mfu_above_the_peak_is_printed_and_called_impossible(complete: Measurement) -> None:
    mfu = Quantity(value=1.062, unit="fraction", basis="derived", source="useful ÷ peak")
    text = render(replace(complete, mfu=mfu))
    assert "  MFU 106.2 %   cannot be\n" in text
    assert "│" not in text


def test_a_log_that_agrees_gets_no_sentence(complete: Measurement) -> None:
    logged = replace(complete.logged, mfu=complete.mfu)
    assert "Your log says" not in render(replace(complete, logged=logged))


def test_findings_are_part_of_the_markdown(complete: Measurement) -> None:
    finding = Finding(code="W_HIGH", message="rarely reached", fix="--chip h100-sxm")
    text = render(replace(complete, warnings=(finding,)), "markdown")
    assert "**warning:** rarely reached: `--chip h100-sxm` (W_HIGH)" in text


def test_an_incomplete_markdown_ends_with_the_command(incomplete: Measurement) -> None:
    text = render(incomplete, "markdown")
    assert "| model | which model ran | `--model` | ids: peakwise catalog models |" in text
    assert f"```sh\n{incomplete.command}\n```" in text
