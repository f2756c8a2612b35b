"""Quantiles of a few numbers."""

from __future__ import annotations

from collections.abc import Sequence


def quantile(rising: Sequence[float], fraction: float) -> float:
    """The value below which `fraction` of the sorted numbers lies, linear between neighbours.

    **Example**
    >>> quantile([1, 2, 3, 4], 0.5), quantile([10, 20], 0.9)
    (2.5, 19.0)
    """
    place = fraction * (len(rising) - 1)
    below = int(place)
    above = min(below + 1, len(rising) - 1)
    return rising[below] + (place - below) * (rising[above] - rising[below])
