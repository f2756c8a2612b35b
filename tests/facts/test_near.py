"""The chips near a typed peak are just those of the whole catalogue that have the figure."""

from __future__ import annotations

import pytest

from peakwise.facts.chips import catalogued_peaks, peaks_like
from peakwise.facts.near import chips_near


@pytest.mark.parametrize("peak", [*sorted({figure.flop_per_s for figure in catalogued_peaks()}), 1979e12, 989e12, 1.0])
def test_near_chips_are_those_that_a_search_of_all_figures_finds(peak: float) -> None:
    assert {chip.id for chip in chips_near(peak)} == {figure.chip for figure in peaks_like(peak)}
