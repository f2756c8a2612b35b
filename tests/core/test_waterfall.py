"""A waterfall is refused unless its parts sum to the whole."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.measurement import Measurement, Steps
from peakwise.core.waterfall import Part, Waterfall

RUN = Measurement(
    sources=("run.log",),
    producer="x",
    producer_name="X",
    generation="",
    version="0",
    steps=Steps(records=1, first=1, last=1, covered=1, used=1),
)


def waterfall(*parts: Part) -> Waterfall:
    return Waterfall(run=RUN, window="wall", window_s=None, devices=None, parts=parts, mfu_wall=None, hfu_wall=None)


def part(cause: str, fraction: float) -> Part:
    return Part(cause=cause, fraction=fraction, device_s=None, evidence="unknown")  # type: ignore[arg-type]


@given(st.floats(-10, 10))
def test_parts_that_sum_to_one_are_a_waterfall(fraction: float) -> None:
    """Whatever one part takes, the other that leaves the rest makes the whole."""
    made = waterfall(part("mfu", fraction), part("not_attributable", 1 - fraction))
    assert abs(made.residual) <= 1e-9
    assert made.fraction("mfu") == fraction
    assert made.fraction("stall") == 0


@pytest.mark.parametrize("rest", [0.0, 0.7 - 2e-9, 0.7 + 2e-9, math.nan, math.inf])
def test_parts_that_do_not_are_refused(rest: float) -> None:
    """A sum off by more than 1e-9, or that is no number, cannot be built."""
    with pytest.raises(ValueError, match="sum to"):
        waterfall(part("mfu", 0.3), part("not_attributable", rest))


def test_a_cause_has_one_part() -> None:
    with pytest.raises(ValueError, match="one part"):
        waterfall(part("stall", 0.5), part("stall", 0.5))


def test_without_a_drawing_there_is_no_text() -> None:
    made = waterfall(part("not_attributable", 1.0))
    assert made.to_markdown() == made._repr_html_() == ""
    assert made.to_dict()["residual"] == 0
