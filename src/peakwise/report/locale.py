"""Results as text, true to a locale: its digits' signs, grouping always, fixed decimals, its percent pattern."""

from __future__ import annotations

from peakwise.core.calculation import Calculation
from peakwise.core.declaration import Display, Value
from peakwise.core.errors import Json
from peakwise.core.number_locale import find_locale
from peakwise.core.rounding import round_half_away
from peakwise.core.units import PERCENT
from peakwise.report.locale_forms import show_duration, show_moment, show_money, show_scientific
from peakwise.report.locale_words import WORDS

DISPLAY_LOCALES: tuple[str, ...] = ("en", "es", "it", "ru")
UNKNOWN = "—"
_SMALL_DECIMALS = 2  # below `more_below`

_SWAP = str.maketrans({",": "\0", ".": "\1"})  # so that one sign may become the other


def present_results(calculation: Calculation) -> Json:
    """Every result of a calculation as text, `{locale: {key: text}}`; an em dash where it is null."""
    return {locale: _present(calculation, locale) for locale in DISPLAY_LOCALES}


def _present(calculation: Calculation, locale: str) -> dict[str, str]:
    given = calculation.inputs.get("currency")
    currency = "" if given is None else str(given.value)
    texts: dict[str, str] = {}
    for result in calculation.declared:
        value = calculation.results[result.key]
        for key, display in ((result.key, result.display), *result.more):
            texts[key] = show_value(value, display, locale, currency)
    return texts


def show_value(value: Value | None, display: Display, locale: str, currency: str = "") -> str:
    """One result as its declaration shows it. The unit is left to the label beside it, but for the percent sign."""
    if value is None:
        return UNKNOWN
    if display.form in ("text", "yes_no"):
        word = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        return WORDS[find_locale(locale).language].get(word, word)
    if display.form == "datetime":
        return show_moment(str(value), locale)
    assert isinstance(value, int | float)  # a result that is shown as a number is one
    match display.form:
        case "percent":
            return show_percent(value, display.decimals, locale)
        case "duration":
            return show_duration(value, locale)
        case "scientific":
            return show_scientific(value, display.decimals, locale)
        case "money":
            return show_money(value, currency, locale)
        case _:
            return show_number(value, _decimals(value, display), locale, scale=display.scale)


def _decimals(value: float, display: Display) -> int:
    small = display.more_below is not None and abs(value) / display.scale < display.more_below
    return _SMALL_DECIMALS if small else display.decimals


def show_number(value: int | float, decimals: int, locale: str, *, scale: float = 1) -> str:
    """A number in units of `scale`, rounded half away from zero.

    **Example**
    >>> show_number(1093.333, 2, "es"), show_number(7912, 0, "en")
    ('1.093,33', '7,912')
    """
    signs = find_locale(locale)
    text = format(round_half_away(value if scale == 1 else value / scale, decimals), ",f")
    return text.translate(_SWAP).replace("\0", signs.group).replace("\1", signs.decimal)


def show_percent(fraction: float, decimals: int, locale: str) -> str:
    """A fraction in percent with the locale's sign and space.

    **Example**
    >>> show_percent(0.283114, 1, "it")
    '28,3%'
    """
    return show_number(_hundredfold(fraction), decimals, locale) + find_locale(locale).percent


def _hundredfold(fraction: float) -> float:
    """A fraction × 100 by its shortest decimal form: 0.145 is 14.5, where the product of doubles is not."""
    from decimal import Decimal

    return float(Decimal(str(fraction)) * PERCENT)
