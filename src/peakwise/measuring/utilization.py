"""Utilizations as fractions, from plain numbers."""

from __future__ import annotations


def measure_mfu(flop_per_token: float, tokens_per_s: float, peak_flop_per_s: float) -> float:
    """MFU as a fraction: model FLOPs needed a second ÷ dense peak, both per device.

    **Formula** MFU = FLOPs per token × tokens/s ÷ peak. Never clamped: a figure above 1 is a finding.
    **Counts / leaves out** what the FLOPs per token count; recompute makes it HFU.

    **Example**
    >>> round(measure_mfu(51_471_187_968, 5863, 989.4e12), 4)
    0.305
    """
    return flop_per_token * tokens_per_s / peak_flop_per_s


def measure_mfu_wall(mfu: float, goodput: float) -> float:
    """MFU over the whole wall time, as a fraction: MFU of the steps × goodput."""
    return mfu * goodput
