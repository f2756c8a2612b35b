"""A waterfall on paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from peakwise.core.measurement import Excluded, Gap, Measurement, Missing, Schedule, Steps, StepTime, UsedPeak
from peakwise.core.quantity import Basis, Quantity
from peakwise.core.waterfall import Waterfall
from peakwise.explaining.from_series import explain_run
from peakwise.report.paper import Paper
from peakwise.report.views.explain import render

Text = Callable[[str], str]


def quantity(value: float, unit: str, basis: Basis = "derived") -> Quantity:
    return Quantity(value=value, unit=unit, basis=basis, source="log")


# The generated run of the look: 200 steps of 2.8 s, evaluation 60 s, stall 300 s, a restart of 46 s repeating 5 steps.
RUN = Measurement(
    sources=("megatron-64.log",),
    producer="megatron-lm",
    producer_name="Megatron-LM",
    generation="2024-03",
    version="0.2.0",
    steps=Steps(
        records=205,
        first=1,
        last=200,
        covered=205,
        used=205,
        repeated=5,
        gaps=(
            Gap(after=100, seconds=60, reason="evaluation"),
            Gap(after=140, seconds=300, reason="stall"),
            Gap(after=160, seconds=46, reason="restart"),
        ),
        n_kept=200,
        again=((156, 160),),
    ),
    step_s=StepTime(median=quantity(2.8, "s", "measured")),
    wall_s=quantity(980, "s"),
    mfu=quantity(0.30443, "fraction"),
    hfu=quantity(0.39968, "fraction"),
    goodput=quantity(560 / 980, "fraction"),
    mfu_wall=quantity(0.30443 * 560 / 980, "fraction"),
    n_devices=quantity(64, "device", "stated"),
    peak=UsedPeak(precision="bf16", kind="datasheet", chip="h100-sxm", chip_name="H100 SXM"),
    model_id="llama-3.1-8b",
    model_name="Llama-3.1-8B",
    recompute="full",
)


@pytest.fixture
def waterfall() -> Waterfall:
    return explain_run(RUN)


@pytest.mark.parametrize("width", [80, 120])
def test_a_waterfall_is_printed_character_for_character(waterfall: Waterfall, expected: Text, width: int) -> None:
    assert render(waterfall, "text", Paper(width=width)) == expected(f"explain-{width}.txt")


def test_markdown_is_printed_character_for_character(waterfall: Waterfall, expected: Text) -> None:
    assert render(waterfall, "markdown") == expected("explain.md")


@pytest.mark.parametrize("width", [40, 60, 79, 99, 100, 119, 200])
def test_no_line_is_longer_than_the_paper_and_no_number_is_cut(waterfall: Waterfall, width: int) -> None:
    text = render(waterfall, "text", Paper(width=width))
    assert max(map(len, text.splitlines())) <= min(width, 120)
    assert all(share in text for share in ("100.0 %", "30.6 %", "6.1 %", "4.7 %", "1.4 %", "5.4 %", "34.3 %", "17.4 %"))


def test_plain_paper_gets_plain_bars(waterfall: Waterfall) -> None:
    text = render(waterfall, "text", Paper(plain=True))
    assert text.isascii()
    assert "  recompute                5.4 %      0.95                    %\n" in text


def test_a_part_narrower_than_a_cell_gets_one() -> None:
    short = replace(RUN.steps, gaps=(Gap(after=100, seconds=1, reason="evaluation"),), repeated=0, again=())
    text = render(explain_run(replace(RUN, steps=short)))
    assert text.splitlines()[5].endswith("█")
    assert text.splitlines()[5].startswith("  evaluation               0.1 %")


def test_several_stalls_say_how_many_and_which_was_the_longest() -> None:
    gaps = (*RUN.steps.gaps, Gap(after=30, seconds=10, reason="stall"))
    excluded = (Excluded(first=1, last=1, seconds=30.8, reason="warm-up"),)
    text = render(explain_run(replace(RUN, steps=replace(RUN.steps, gaps=gaps, excluded=excluded))), "markdown")
    assert "| stall | 31.6 % | 5.51 | measured | 2 times, longest after step 140 |" in text
    assert "| warm-up and compile | 2.9 % | 0.50 | measured | step 1 |" in text


def test_without_devices_the_times_are_those_of_one_gpu() -> None:
    text = render(explain_run(replace(RUN, n_devices=None)))
    assert "\nLlama-3.1-8B · H100 SXM · 200 steps · 980 s\n" in text
    assert "share   seconds  0" in text
    assert "  stall                   30.6 %    300.00  " in text
    assert "The stall cost the most: 300.00 s of each GPU. Without it: 25.1 % of the peak." in text
    assert "The number of GPUs is not stated: times are those of one GPU." in text


def test_without_a_clock_the_report_says_so() -> None:
    text = render(explain_run(replace(RUN, wall_s=None, goodput=None, mfu_wall=None)))
    assert "one step of 2.800 s" in text
    assert "MFU of the steps        30.4 %" in text
    assert "The log has no clock" in text
    assert "cost the most" not in text


def test_without_an_mfu_the_report_says_what_is_missing_and_ends_with_the_command() -> None:
    chip = Missing(
        input="chip", why="which GPU ran it", how="ids", flag="--chip", placeholder="CHIP", needed_for=("mfu",)
    )
    command = "peakwise measure megatron-64.log --chip CHIP"
    run = replace(RUN, mfu=None, hfu=None, mfu_wall=None, peak=None, missing=(chip,), command=command)
    text = render(explain_run(run))
    assert "  MFU of the whole run         —   missing\n" in text
    assert "MFU —   one input is missing" in text
    assert text.endswith("\npeakwise explain megatron-64.log --chip CHIP\n")


def test_a_pipelines_bubble_has_a_bar() -> None:
    schedule = Schedule(pp=4, vp=2, n_microbatches=8)
    text = render(explain_run(replace(RUN, schedule=schedule)), "markdown")
    assert "| pipeline bubble | 9.0 % | 1.57 | modelled | 4 stages, 8 micro-batches |" in text


def test_the_page_draws_every_bar_with_its_evidence(waterfall: Waterfall) -> None:
    page = render(waterfall, "page")
    for kind in ("whole", "measured", "modelled", "unknown", "ours"):
        assert f'<rect class="{kind}" ' in page
    assert "<script" not in page
