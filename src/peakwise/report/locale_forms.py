"""Durations, money, powers of ten and moments as text, true to a locale."""

from __future__ import annotations

from peakwise.core.number_locale import NBSP, find_locale
from peakwise.core.rounding import round_half_away
from peakwise.core.units import S_PER_HOUR, S_PER_MINUTE

# Units of a duration: hours, minutes, seconds.
_UNITS: dict[str, tuple[str, str, str]] = {"ru": ("ч", "мин", "с")}
_SYMBOLS = ("h", "min", "s")  # SI's own, written alike in the other languages

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST_DIGITS = 320  # a double's 309 before the point, and the cents of every currency
_LONGEST_MANTISSA = 6  # decimals of a mantissa without a stated number: a double's figures that a person reads


def show_duration(seconds: float, locale: str) -> str:
    """Seconds as hours, minutes and seconds, whole; rounded before they are split.

    **Example**
    >>> show_duration(8231.7, "en").replace(chr(160), " ")
    '2 h 17 min 12 s'
    """
    from peakwise.report.locale import show_number

    whole = int(round_half_away(seconds, 0))
    hours, rest = divmod(whole, S_PER_HOUR)
    minutes, left = divmod(rest, S_PER_MINUTE)
    names = _UNITS.get(find_locale(locale).language, _SYMBOLS)
    values = (hours, minutes, left)
    first = next((place for place, value in enumerate(values) if value), len(values) - 1)
    parts = [f"{show_number(value, 0, locale)}{NBSP}{name}" for value, name in zip(values, names, strict=True)]
    return " ".join(parts[first:])


def show_scientific(value: float, decimals: int, locale: str) -> str:
    """A number as digits and a power of ten; `decimals` 0: as many digits as it has, at most six.

    **Example**
    >>> show_scientific(6.1307e16, 3, "es").replace(chr(160), " ")
    '6,131 × 10¹⁶'
    """
    from decimal import Decimal

    number = Decimal(str(value))
    power = number.adjusted() if number else 0
    mantissa = round_half_away(float(number.scaleb(-power)), decimals or _LONGEST_MANTISSA)
    if abs(mantissa) >= 10:
        power += 1
        mantissa = round_half_away(float(number.scaleb(-power)), decimals or _LONGEST_MANTISSA)
    text = format(mantissa, "f")
    if not decimals and "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text.replace('.', find_locale(locale).decimal)}{NBSP}×{NBSP}10{str(power).translate(_RAISED)}"


def show_money(amount: float, currency: str, locale: str) -> str:
    """An amount in a currency, with its own number of decimals, in the locale's pattern.

    **Example**
    >>> show_money(45.7317, "USD", "en")
    '$45.73'
    """
    from decimal import localcontext

    from babel.numbers import format_currency, get_currency_precision

    rounded = round_half_away(amount, get_currency_precision(currency))
    with localcontext() as context:
        context.prec = _LARGEST_DIGITS
        return format_currency(rounded, currency, locale=locale.replace("-", "_"))


def show_moment(text: str, locale: str) -> str:
    """A date and time of ISO 8601 in its own zone, with the zone's distance from UTC.

    **Example**
    >>> show_moment("2026-11-30T09:00:00+01:00", "en").replace(chr(0x202f), " ")
    'Nov 30, 2026, 9:00:00 AM UTC+01:00'
    """
    from datetime import datetime

    from babel.dates import format_datetime

    moment = datetime.fromisoformat(text)
    zone = moment.strftime("%z")
    written = format_datetime(moment.replace(tzinfo=None), "medium", locale=locale.replace("-", "_"))
    return f"{written} UTC{zone[:3]}:{zone[3:5]}"
