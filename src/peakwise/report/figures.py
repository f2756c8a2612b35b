"""Numbers as a report writes them: English digits, grouped, rounded half away from zero."""

from __future__ import annotations

import math

from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent, to_tera

UNKNOWN = "—"
MINUS = "−"


def figure(value: float | None, decimals: int) -> str:
    """A number with grouping and a fixed number of decimals; `—` where there is none.

    A negative number keeps its sign even where it rounds to 0: the direction is news.

    **Example**
    >>> figure(51471187968, 0), figure(0.285, 2), figure(-6.443, 2), figure(-0.001, 2), figure(None, 1)
    ('51,471,187,968', '0.29', '−6.44', '−0.00', '—')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return (MINUS if value < 0 else "") + format_fixed(abs(value), decimals)


def significant(value: float | None, digits: int) -> str:
    """A number with so many significant digits, never fewer than its whole part.

    **Example**
    >>> significant(1.39694, 4), significant(28.0, 4), significant(0.01234567, 4), significant(123456.7, 4)
    ('1.397', '28.00', '0.01235', '123,457')
    """
    if value is None or value == 0 or not math.isfinite(value):
        return figure(value, 0)
    before_point = math.floor(math.log10(abs(value))) + 1
    return figure(value, max(0, digits - before_point))


def shortest(value: float | None) -> str:
    """A number as it was typed: grouped, without decimals that say nothing.

    **Example**
    >>> shortest(989.0), shortest(989.4), shortest(2826), shortest(1e-05), shortest(None)
    ('989', '989.4', '2,826', '0.00001', '—')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    mantissa, _, exponent = repr(float(value)).partition("e")
    fraction = mantissa.partition(".")[2].rstrip("0")
    return figure(value, max(0, len(fraction) - int(exponent or 0)))


def percent(fraction: float | None, decimals: int = 1) -> str:
    """A fraction in per cent, with its sign: `30.5 %`; `—` where there is none."""
    return UNKNOWN if fraction is None else f"{points(fraction, decimals)} %"


def points(fraction: float | None, decimals: int = 1) -> str:
    """A fraction in per cent without the sign, for a difference or a column with a unit."""
    # 12 decimals: a product with 100 must not leave the shortest decimal form of the fraction
    return UNKNOWN if fraction is None else figure(round(to_percent(fraction), 12), decimals)


def gflop(flop: float | None) -> str:
    """FLOPs in GFLOP, two decimals."""
    return UNKNOWN if flop is None else figure(to_giga(flop), 2)


def tflop_per_s(flop_per_s: float | None) -> str:
    """FLOP/s in TFLOP/s, one decimal."""
    return UNKNOWN if flop_per_s is None else figure(to_tera(flop_per_s), 1)


def counted(number: int, one: str, many: str) -> str:
    """A small number in words with its noun: `one sequence`, `12 sequences`."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    text = words[number] if 0 <= number < len(words) else figure(number, 0)
    return f"{text} {one if number == 1 else many}"
