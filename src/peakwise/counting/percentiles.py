"""Lengths that are known by quantiles: the curve through them, a sample of it, its moments."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

from peakwise.core.quantiles import Quantiles

# Gauss–Legendre with four points, exact to degree 7: the square of a cubic has degree 6. Nodes on −1 … 1, weights.
_GAUSS = (
    (-0.8611363115940526, 0.3478548451374538),
    (-0.3399810435848563, 0.6521451548625461),
    (0.3399810435848563, 0.6521451548625461),
    (0.8611363115940526, 0.3478548451374538),
)


class Moments(NamedTuple):
    """The mean of the lengths, in tokens, and the mean of their squares."""

    mean: float
    square: float


def read_curve(quantiles: Quantiles, fraction: float) -> float:
    """The length, in tokens, that this fraction of the examples does not exceed.

    **Formula** a cubic between neighbouring quantiles that is monotone, with the slopes of Fritsch and Butland; flat
    outside the given quantiles.
    **Source** Fritsch, Carlson 1980; Fritsch, Butland 1984 (PCHIP).
    **Example**
    >>> read_curve(Quantiles(points=((0.5, 450), (0.99, 2100))), 0.2)
    450.0
    """
    return _Curve(quantiles).at(fraction)


def sample_lengths(quantiles: Quantiles, n_examples: int) -> tuple[int, ...]:
    """So many lengths, in tokens, that have the quantiles: those of the middles of equal shares, from short to long.

    **Example**
    >>> sample_lengths(Quantiles(points=((0.0, 100), (1.0, 500))), 4)
    (150, 250, 350, 450)
    """
    curve = _Curve(quantiles)
    return tuple(max(1, round(curve.at((index + 0.5) / n_examples))) for index in range(n_examples))


def integrate_lengths(quantiles: Quantiles) -> Moments:
    """The mean length in tokens and the mean square of the lengths, over the whole curve.

    **Formula** ∫ Q(p) dp and ∫ Q(p)² dp over 0 … 1, exact for the piecewise cubic.
    **Example**
    >>> integrate_lengths(Quantiles(points=((0.0, 1), (1.0, 3)))).mean
    2.0
    """
    curve = _Curve(quantiles)
    first, last = quantiles.points[0], quantiles.points[-1]
    mean = first[0] * first[1] + (1 - last[0]) * last[1]
    square = first[0] * first[1] ** 2 + (1 - last[0]) * last[1] ** 2
    for (left, _), (right, _) in pairwise(quantiles.points):
        half = (right - left) / 2
        values = [(curve.at((left + right) / 2 + half * node), weight) for node, weight in _GAUSS]
        mean += half * sum(weight * value for value, weight in values)
        square += half * sum(weight * value**2 for value, weight in values)
    return Moments(mean, square)


class _Curve:
    """The quantile function: knots and the slope at each."""

    def __init__(self, quantiles: Quantiles) -> None:
        self._xs = [fraction for fraction, _ in quantiles.points]
        self._ys = [float(length) for _, length in quantiles.points]
        self._slopes = _find_slopes(self._xs, self._ys)

    def at(self, x: float) -> float:
        xs, ys, slopes = self._xs, self._ys, self._slopes
        if x <= xs[0]:
            return ys[0]
        if x >= xs[-1]:
            return ys[-1]
        i = bisect_right(xs, x) - 1
        width = xs[i + 1] - xs[i]
        t = (x - xs[i]) / width
        return (
            (1 + 2 * t) * (1 - t) ** 2 * ys[i]
            + t**2 * (3 - 2 * t) * ys[i + 1]
            + width * t * (1 - t) * ((1 - t) * slopes[i] - t * slopes[i + 1])
        )


def _find_slopes(xs: list[float], ys: list[float]) -> list[float]:
    """The slope at every knot: 0 at a turn or a flat, else the weighted harmonic mean of both sides' secants."""
    widths = [right - left for left, right in pairwise(xs)]
    secants = [(ys[i + 1] - ys[i]) / width for i, width in enumerate(widths)]
    if len(secants) == 1:
        return [secants[0], secants[0]]
    inner: list[float] = []
    for i in range(1, len(secants)):
        before, after = secants[i - 1], secants[i]
        if before * after <= 0:
            inner.append(0.0)
            continue
        near, far = 2 * widths[i] + widths[i - 1], widths[i] + 2 * widths[i - 1]
        inner.append((near + far) / (near / before + far / after))
    first = _end_slope(widths[0], widths[1], secants[0], secants[1])
    return [first, *inner, _end_slope(widths[-1], widths[-2], secants[-1], secants[-2])]


def _end_slope(width: float, next_width: float, secant: float, next_secant: float) -> float:
    """The one-sided three-point slope at an end, 0 where it would make the lengths fall.

    It stays below twice the secant, since no secant is negative; three times the secant would overshoot.
    """
    return max(0.0, ((2 * width + next_width) * secant - width * next_secant) / (width + next_width))
