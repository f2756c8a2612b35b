"""A number as a person types it: `70B`, `2.5k`, `989 TFLOP/s`, `80 GiB`, `2.000` in Spanish, `82 %`.

One algorithm for command line, Python, page and API: sign, digits with groups and a decimal sign, exponent,
then one unit, scale word or percent sign. What can be read in two ways is read one way, noted, and the other reading
is offered. **Source** the product's rules for numbers in several languages; signs per locale from CLDR.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from typing import NamedTuple

from peakwise.core import units
from peakwise.core.errors import FieldError, NumberError
from peakwise.core.number_locale import LETTERS, WORDS, NumberLocale, find_locale
from peakwise.core.number_unit import Dimension, find_unit, is_unit

LONGEST_TEXT = 64  # more characters are not a number a person typed
_LARGEST_EXPONENT = 400  # past a double's range (308) either way

_FULL_WIDTH = ord("０") - ord("0")  # full-width digits stand this far behind ASCII's
_GROUP = " "
_APOSTROPHES = "'’‘ʼ＇`´"
_NUMBER = re.compile(r"([0-9., ]*[0-9.,])(?:[eE]([+−-]?[0-9]{1,6})(?![0-9]))? *(.*)", re.DOTALL)


class Measure(NamedTuple):
    """What a typed number may be: its dimension, its unit's size, its range.

    `scale`: base units in the unit of a bare number (10¹² for a field in TFLOP/s). `whole`: no fraction allowed.
    `integer_like`: a count or a rate, where `2.000` is more likely two thousand. `zero_code`: the code of a zero.
    """

    dimension: Dimension = "plain"
    scale: int = 1
    whole: bool = False
    integer_like: bool = False
    low: float | None = None
    high: float | None = None
    above_zero: bool = False
    zero_code: str = "E_RANGE"


class Reading(NamedTuple):
    """What a text was read as, in the field's unit, or the code and sentence of what is wrong with it.

    `notes`: codes of findings. `alt`: the other reading, if there is one. `echo`: say the value in words beside it.
    """

    value: int | float | None = None
    notes: tuple[str, ...] = ()
    alt: int | float | None = None
    echo: bool = False
    code: str = ""
    message: str = ""


class _Digits(NamedTuple):
    whole: str
    fraction: str = ""
    grouped: bool = False
    noted: bool = False
    other: str = ""  # the digits of the other reading


def read_number(text: str, measure: Measure, locale: str = "en") -> Reading:
    """What `text` says in the unit of `measure`, by the signs and words of `locale`. Never raises for bad text."""
    signs = find_locale(locale)
    plain = _normal(text)
    if not plain:
        return Reading(code="E_REQ", message="nothing was typed")
    if len(plain) > LONGEST_TEXT:
        return _not_a_number(plain[:20] + "…", "more than 64 characters")
    negative = plain[0] in "-−"
    match = _NUMBER.fullmatch(plain[1:] if plain[0] in "+-−" else plain)
    if match is None:
        return _not_a_number(plain)
    exponent = match[2]
    digits = _digits(match[1], signs, measure, exponent is not None)
    if digits is None:
        return _not_a_number(plain)
    factor = _factor(match[3], measure, signs)
    if isinstance(factor, str):
        return _wrong_suffix(factor, match[3], plain)
    power = 0 if exponent is None else int(exponent.replace("−", "-"))
    size = Decimal(-1 if negative else 1) * factor
    reading = Reading(
        value=_scaled(digits.whole, digits.fraction, size, power),
        alt=_scaled(digits.other, "", size, power) if digits.other else None,
        notes=("W_AMBIG",) if digits.noted else (),
        echo=digits.grouped or digits.noted,
    )
    # In Spanish a B that stands alone is the short form of billón, 10¹²; models' B is 10⁹.
    if signs.language == "es" and match[3] == "B" and plain.endswith(" B") and reading.value is not None:
        reading = reading._replace(notes=("W_AMBIG",), alt=reading.value * units.KILO, echo=True)
    return check_number(reading, measure, percent="%" in match[3])


def check_number(reading: Reading, measure: Measure, *, percent: bool) -> Reading:
    """The reading with the rules of its field: whole, zero, range, and the fraction in a percentage field."""
    value = reading.value
    assert value is not None
    shown = format_plain(value) if abs(value) != float("inf") else "a number past any range"
    if measure.whole and value != int(value if abs(value) != float("inf") else 0) and abs(value) != float("inf"):
        return Reading(code="E_INT", message=f"{shown} is not a whole number", alt=reading.alt)
    if value == 0 and measure.zero_code != "E_RANGE":
        return Reading(code=measure.zero_code, message="the peak is 0, so nothing can be divided by it")
    low, high = measure.low, measure.high
    too_low = (low is not None and value < low) or (value == 0 and measure.above_zero)
    if value < 0 or abs(value) == float("inf") or too_low:
        return _out_of_range(shown, measure)
    if high is not None and value > high:
        return _out_of_range(shown, measure)
    if measure.dimension == "percent" and 0 < value <= 1 and not percent:
        notes = (*reading.notes, "W_FRACTION")
        return reading._replace(notes=notes, alt=tidy(Decimal(str(value)) * units.PERCENT), echo=True)
    return reading


def parse_quantity(text: str, dimension: Dimension, *, where: str, locale: str = "en") -> float:
    """A typed quantity in base units: `989 TFLOP/s`, or `989` in the unit people type (TFLOP/s, GB/s, GB, s).

    **Raises** NumberError with the place, what was typed and an example.
    """
    scale, example = _TYPED.get(dimension, (1, "2000"))
    zero = "E_ZERO_PEAK" if dimension == "flop_per_s" else "E_RANGE"
    reading = read_number(text, Measure(dimension=dimension, scale=scale, zero_code=zero), locale)
    if reading.value == 0:
        reading = Reading(code=zero, message=f"{where} must be above 0")
    if reading.value is None:
        raise NumberError(
            reading.message,
            where=where,
            got=text[:LONGEST_TEXT] or "nothing",
            expected=f"a number above 0, such as {example}",
            hint=f'{where} "{example}"',
            errors=(FieldError(field=where, code=reading.code, message=reading.message),),
        )
    return float(Decimal(str(reading.value)) * scale)


# Unit of a bare number where no field says it, and an example for the error.
_TYPED: dict[Dimension, tuple[int, str]] = {
    "flop_per_s": (units.TERA, "989 TFLOP/s"),
    "byte_per_s": (units.GIGA, "3.35 TB/s"),
    "byte": (units.GIGA, "80 GB"),
    "parameter": (units.GIGA, "70B"),
    "s": (1, "5.5 s"),
}


def format_plain(value: int | float) -> str:
    """The canonical text of a number: shortest digits that give it back, a dot, no grouping, no exponent."""
    if type(value) is int:
        return str(value)
    text = format(Decimal(str(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def tidy(number: Decimal) -> int | float:
    """A decimal as an int where it is whole and a double holds it exactly, else as a float."""
    return int(number) if number == number.to_integral_value() and abs(number) < 2**53 else float(number)


def _normal(text: str) -> str:
    """Trimmed; full-width forms as ASCII; every space and apostrophe as the group sign."""
    out: list[str] = []
    for char in text.strip():
        if "０" <= char <= "９":
            out.append(chr(ord(char) - _FULL_WIDTH))
        else:
            out.append(_GROUP if char.isspace() or char in _APOSTROPHES else char)
    return "".join(out)


def _grouped(text: str, sign: str) -> str | None:
    """The digits of a grouped whole number, or None where a group is not of three."""
    head, *rest = text.split(sign)
    good = 1 <= len(head) <= 3 and all(len(part) == 3 for part in rest)
    return head + "".join(rest) if good and (head + "".join(rest)).isdigit() else None


def _split(text: str, sign: str) -> tuple[str, str]:
    whole, _, fraction = text.rpartition(sign)
    return whole, fraction


def _digits(text: str, signs: NumberLocale, measure: Measure, scientific: bool) -> _Digits | None:
    """The digits before and after the decimal sign, or None where they make no number."""
    kinds = [sign for sign in ".," if sign in text]
    if scientific or not kinds:
        if scientific and (_GROUP in text or len(kinds) > 1 or (kinds and text.count(kinds[0]) > 1)):
            return None
        if kinds:
            return _decimal(*_split(text, kinds[0]))
        whole = _grouped(text, _GROUP) if _GROUP in text else text
        return None if whole is None else _Digits(whole=whole, grouped=_GROUP in text)
    last = max(kinds, key=text.rindex)
    whole, fraction = _split(text, last)
    if _GROUP in text or len(kinds) == 2:
        if text.count(last) > 1 or (_GROUP in text and len(kinds) == 2):
            return None
        sign = _GROUP if _GROUP in text else next(kind for kind in kinds if kind != last)
        joined = _grouped(whole, sign)
        decimal = None if joined is None else _decimal(joined, fraction)
        return None if decimal is None else decimal._replace(grouped=sign in whole)
    if text.count(last) > 1:
        joined = _grouped(text, last)
        return None if joined is None else _Digits(whole=joined, grouped=True)
    return _one_sign(whole, fraction, last, signs, measure)


def _one_sign(whole: str, fraction: str, sign: str, signs: NumberLocale, measure: Measure) -> _Digits | None:
    """One dot or comma, once: the locale's decimal, its group, or neither."""
    read = _decimal(whole, fraction)
    if read is None:
        return None
    like_group = len(fraction) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0"
    if sign == signs.decimal:
        doubtful = like_group and (measure.integer_like or measure.whole)
        return read._replace(noted=doubtful, other=whole + fraction if doubtful else "")
    if sign == signs.group:
        return _Digits(whole=whole + fraction, grouped=True) if like_group else read._replace(noted=True)
    return read._replace(noted=len(fraction) == 3, other=whole + fraction if like_group else "")


def _decimal(whole: str, fraction: str) -> _Digits | None:
    """Plain digits on both sides; none may be missing after the sign."""
    if not fraction.isdigit() or (whole and not whole.isdigit()):
        return None
    return _Digits(whole=whole, fraction=fraction)


def _factor(suffix: str, measure: Measure, signs: NumberLocale) -> Decimal | str:
    """What one of the suffix is in the field's unit; a code where it does not belong there."""
    word = re.sub(r" *(/) *", r"\1", suffix.strip())
    dimension = measure.dimension
    if not word:
        return Decimal(1)
    if word == "%":
        if dimension == "percent":
            return Decimal(1)
        return 1 / Decimal(units.PERCENT) if dimension == "fraction" else "E_UNIT"
    unit = find_unit(word, dimension)
    if unit is not None:
        return Decimal(unit[0]) / unit[1] / measure.scale
    head, _, tail = word.rpartition(" ")
    base = find_unit(tail, dimension) if head else None
    scale = _scale(head if base == (1, 1) else word, signs)
    if scale is not None:
        return Decimal(scale) / measure.scale
    return "E_UNIT" if is_unit(word) else "E_NUM"


def _scale(word: str, signs: NumberLocale) -> int | None:
    return LETTERS.get(word) or WORDS[signs.language].get(word.lower())


def _scaled(whole: str, fraction: str, factor: Decimal, power: int) -> int | float:
    if power > _LARGEST_EXPONENT:
        return float("inf") if (whole + fraction).strip("0") else 0
    with localcontext() as context:
        context.prec = 2 * LONGEST_TEXT + 40  # a typed number times a unit, exactly
        number = Decimal(f"{whole or '0'}.{fraction or '0'}").scaleb(max(power, -_LARGEST_EXPONENT)) * factor
        return tidy(number)


def _not_a_number(text: str, why: str = "not a number") -> Reading:
    return Reading(code="E_NUM", message=f'"{text}" is {why}')


def _wrong_suffix(code: str, suffix: str, text: str) -> Reading:
    if code == "E_NUM":
        return _not_a_number(text)
    return Reading(code=code, message=f'"{suffix}" is a unit of another kind')


def _out_of_range(shown: str, measure: Measure) -> Reading:
    low = format_plain(max(measure.low or 0, 0))
    span = f"{low} to {format_plain(measure.high)}" if measure.high is not None else f"{low} or more"
    return Reading(code="E_RANGE", message=f"{shown} is outside {span}")
