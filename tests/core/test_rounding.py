"""Numbers are rounded half away from zero on their shortest decimal form."""

from __future__ import annotations

import pytest

from peakwise.core.rounding import format_fixed


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(2.5, 0, "3"), (0.125, 2, "0.13"), (1.005, 2, "1.01"), (-2.5, 0, "-3"), (-0.0001, 1, "0.0"), (1e300, 0, None)],
)
def test_a_half_goes_away_from_zero_and_zero_has_no_sign(value: float, decimals: int, text: str | None) -> None:
    assert format_fixed(value, decimals) == (text or f"{10**300:,}")
