"""Rounding for people: half away from zero, on the shortest decimal form of the number."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext


def round_half_away(value: int | float, decimals: int) -> Decimal:
    """`value` with exactly `decimals` decimals; a half goes away from zero, as it reads in its shortest form.

    **Example**
    >>> round_half_away(0.125, 2), round_half_away(2.5, 0), round_half_away(1.005, 2)
    (Decimal('0.13'), Decimal('3'), Decimal('1.01'))
    """
    with localcontext() as context:
        context.prec = 400 + decimals  # a double has at most 309 digits before the point
        rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    return abs(rounded) if rounded.is_zero() else rounded  # no minus before a zero


def format_fixed(value: int | float, decimals: int) -> str:
    """English digits with grouping and fixed decimals, as reports print them.

    **Example**
    >>> format_fixed(7912, 0), format_fixed(1093.335, 2)
    ('7,912', '1,093.34')
    """
    return format(round_half_away(value, decimals), ",f")
