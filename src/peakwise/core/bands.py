"""Bands of utilization, written for dense training: excellent, good, average, poor."""

from __future__ import annotations

from typing import Literal

Band = Literal["excellent", "good", "average", "poor"]

# DESIGN, Definitions: each edge belongs to the band below `excellent`, else to the band it opens.
EDGES: tuple[tuple[float, Band], ...] = ((0.25, "average"), (0.40, "good"), (0.55, "excellent"))


def find_band(utilization: float) -> Band:
    """The band of a fraction, on its value rounded to 12 decimals: 0.55 is good, 0.4 good, 0.25 average."""
    value = round(utilization, 12)
    reached: list[Band] = [band for edge, band in EDGES if value > edge or (value == edge and band != "excellent")]
    return reached[-1] if reached else "poor"


def next_edge(utilization: float) -> tuple[float, Band] | None:
    """The next edge above a fraction and the band that begins there; None at 55 % and above."""
    value = round(utilization, 12)
    return next(((edge, band) for edge, band in EDGES if edge > value), None)
