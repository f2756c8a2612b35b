"""Every conversion between a base unit and the units that people and files write."""

from __future__ import annotations

KILO, MEGA, GIGA, TERA, PETA, EXA = 10**3, 10**6, 10**9, 10**12, 10**15, 10**18
KIBI, MEBI, GIBI, TEBI = 2**10, 2**20, 2**30, 2**40

PERCENT = 100
MS_PER_S = 1000
S_PER_MINUTE, S_PER_HOUR, S_PER_DAY = 60, 3600, 86400


def to_mega(value: float) -> float:
    """A base value in units of 10⁶ (MB, MB/s)."""
    return value / MEGA


def to_giga(value: float) -> float:
    """A base value in units of 10⁹ (GFLOP, GB, 10⁹ parameters)."""
    return value / GIGA


def to_tera(value: float) -> float:
    """A base value in units of 10¹² (TFLOP/s, TB/s)."""
    return value / TERA


def from_tera(value: float) -> float:
    """Units of 10¹² in base units."""
    return value * TERA


def from_giga(value: float) -> float:
    """Units of 10⁹ in base units."""
    return value * GIGA


def from_percent(value: float) -> float:
    """A percentage as a fraction."""
    return value / PERCENT


def to_percent(fraction: float) -> float:
    """A fraction as a percentage."""
    return fraction * PERCENT


def from_ms(value: float) -> float:
    """Milliseconds in seconds."""
    return value / MS_PER_S


def to_hours(seconds: float) -> float:
    """Seconds in hours."""
    return seconds / S_PER_HOUR
