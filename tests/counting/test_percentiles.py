"""Lengths that are known by quantiles."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.quantiles import Quantiles
from peakwise.counting.percentiles import integrate_lengths, read_curve, sample_lengths

FOUR = Quantiles(points=((0.05, 80), (0.5, 450), (0.9, 900), (0.99, 2100)))


@st.composite
def quantiles(draw: st.DrawFn) -> Quantiles:
    percentages = draw(st.lists(st.integers(0, 100), min_size=2, max_size=7, unique=True))
    lengths = draw(st.lists(st.integers(1, 9000), min_size=len(percentages), max_size=len(percentages)))
    points = zip(sorted(percentages), sorted(lengths), strict=True)
    return Quantiles(points=tuple((percentage / 100, length) for percentage, length in points))


@pytest.mark.parametrize(
    ("fraction", "length"),
    [
        (0.1, 114.132802252),
        (0.25, 228.092728398),
        (0.7, 596.426449421),
        (0.95, 1432.228946468),
        (0.985, 2020.497078414),
    ],
)
def test_the_curve_is_the_library_monotone_cubic(fraction: float, length: float) -> None:
    """Golden: scipy 1.17.1, PchipInterpolator through the same points."""
    assert read_curve(FOUR, fraction) == pytest.approx(length, abs=1e-8)


def test_the_mean_is_the_integral_of_the_curve() -> None:
    """Golden: scipy 1.17.1, PchipInterpolator.integrate between the quantiles, flat outside."""
    assert integrate_lengths(FOUR).mean == pytest.approx(514.5760241263785, rel=1e-12)


def test_the_curve_is_flat_outside_the_quantiles() -> None:
    assert [read_curve(FOUR, at) for at in (0, 0.05, 0.99, 1)] == [80, 80, 2100, 2100]


def test_two_quantiles_are_joined_by_a_line_with_its_moments() -> None:
    line = Quantiles(points=((0.0, 100), (1.0, 500)))
    assert sample_lengths(line, 4) == (150, 250, 350, 450)
    found = integrate_lengths(line)
    assert found.mean == pytest.approx(300)
    assert found.square == pytest.approx(300**2 + 400**2 / 12)  # mean² and the variance of an even spread


@given(known=quantiles(), at=st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_the_curve_never_falls_and_stays_between_its_quantiles(known: Quantiles, at: list[float]) -> None:
    found = [read_curve(known, fraction) for fraction in sorted(at)]
    low, high = known.points[0][1], known.points[-1][1]
    assert all(later >= earlier - 1e-9 * high for earlier, later in pairwise(found))
    assert all(low - 1e-9 * high <= length <= high * (1 + 1e-9) for length in found)


@given(known=quantiles())
def test_the_curve_goes_through_its_quantiles(known: Quantiles) -> None:
    for fraction, length in known.points:
        assert read_curve(known, fraction) == pytest.approx(length)


@given(known=quantiles())
def test_a_sample_has_the_moments_of_the_curve(known: Quantiles) -> None:
    sample, moments = sample_lengths(known, 2000), integrate_lengths(known)
    assert list(sample) == sorted(sample)
    assert sum(sample) / 2000 == pytest.approx(moments.mean, rel=2e-3, abs=0.5)
    assert sum(length**2 for length in sample) / 2000 == pytest.approx(moments.square, rel=4e-3, abs=moments.mean)
