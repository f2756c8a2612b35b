"""Scales that others draw over a utilization: what they call tuned, and what they call good."""

from __future__ import annotations

from typing import NamedTuple


class Scale(NamedTuple):
    """One stretch of a utilization under somebody else's name, both edges in it; `high` None: all above `low`."""

    id: str
    low: float
    high: float | None


# What large dense trainings reach once they were tuned; where other glossaries let "good" begin.
SCALES: tuple[Scale, ...] = (Scale("tuned", 0.35, 0.55), Scale("fifty", 0.50, None))


def is_inside(utilization: float, scale: Scale) -> bool:
    """Whether a fraction lies on a scale's stretch, on its value rounded to 12 decimals, as for the bands.

    **Example**
    >>> [is_inside(value, SCALES[0]) for value in (0.349, 0.35, 0.55, 0.551)]
    [False, True, True, False]
    """
    value = round(utilization, 12)
    return value >= scale.low and (scale.high is None or value <= scale.high)
