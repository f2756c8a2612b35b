"""Scaling efficiency: from two measured rates, at other sizes, and what of it is rarely so."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from peakwise.core.finding import Finding
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_percent

# The product's rules for findings: W_ETA_LOW, W_ETA_HIGH.
LOW, HIGH = 0.30, 0.97
FEW = 8  # accelerators of one machine, whose links reach the highest efficiencies


def measured_efficiency(rate_at_1: float, devices: int, rate_at_n: float) -> float:
    """The rate of one of `devices` over the rate of one alone, a fraction.

    **Example**
    >>> measured_efficiency(2500, 8, 16400)
    0.82
    """
    return rate_at_n / devices / rate_at_1


def scaling_constant(efficiency: float, devices: int) -> float:
    """c of η(G) = 1/(1 + c·log2 G), from the efficiency at one size.

    **Example**
    >>> round(scaling_constant(0.82, 8), 4)
    0.0732
    """
    return (1 / efficiency - 1) / log2(devices)


def scaled_efficiency(constant: float, devices: int) -> float:
    """η at another size, a fraction. **Formula** 1/(1 + c·log2 G).

    **Example**
    >>> round(scaled_efficiency(0.07317, 32), 3)
    0.732
    """
    return 1 / (1 + constant * log2(devices))


def find_efficiency(efficiency: float, devices: int, key: str, *, fraction_noted: bool, fix: str) -> Iterator[Finding]:
    """What of an efficiency is rarely so; `fraction_noted`: a fraction was likely typed, which explains a low one."""
    shown = format_fixed(to_percent(efficiency), 1)
    values = (("value", efficiency), ("devices", devices))
    eta = round(efficiency, 12)
    if eta < LOW and not fraction_noted:
        message = f"an efficiency of {shown} % is rarely so low; it is relative to ideal scaling and is no MFU"
        yield Finding(code="W_ETA_LOW", message=message, input=key, fix=fix, values=values)
    if eta > HIGH and devices > FEW:
        message = f"an efficiency of {shown} % on {devices:,} accelerators is rarely reached"
        yield Finding(code="W_ETA_HIGH", message=message, input=key, fix=fix, values=values)
