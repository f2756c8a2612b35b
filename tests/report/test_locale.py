"""Results are written as each locale writes them; the table of signs is Babel's, cell by cell."""

from __future__ import annotations

import babel
import pytest
from babel.numbers import format_decimal

from peakwise.core.number_locale import LOCALES, NumberLocale
from peakwise.report.locale import show_number, show_percent

NBSP = "\u00a0"


@pytest.mark.parametrize("name", sorted(LOCALES))
def test_the_signs_of_a_locale_are_those_of_babel(name: str) -> None:
    locale = babel.Locale.parse(name, sep="-")
    symbols = locale.number_symbols["latn"]
    percent = locale.percent_formats[None].pattern.rpartition("0")[2]
    assert LOCALES[name] == NumberLocale(
        language=locale.language, decimal=symbols["decimal"], group=symbols["group"], percent=percent
    )


@pytest.mark.parametrize(
    ("locale", "whole", "decimals", "percent"),
    [
        ("en", "2,000", "1,093.33", "28.3%"),
        ("es", "2.000", "1.093,33", f"28,3{NBSP}%"),
        ("it", "2.000", "1.093,33", "28,3%"),
        ("ru", f"2{NBSP}000", f"1{NBSP}093,33", f"28,3{NBSP}%"),
        ("es-MX", "2,000", "1,093.33", "28.3%"),
        ("de-CH", "2'000", "1'093.33", "28.3%"),
    ],
)
def test_grouping_decimals_and_percent_follow_the_locale(locale: str, whole: str, decimals: str, percent: str) -> None:
    assert show_number(2000, 0, locale) == whole
    assert show_number(1093.333, 2, locale) == decimals
    assert show_percent(0.283114, 1, locale) == percent


@pytest.mark.parametrize("locale", ["en", "es", "it", "ru", "es-MX", "de", "fr-CA"])
@pytest.mark.parametrize("value", [0, 7, 1234.5, 1234567.25, 98765432101.75])
def test_numbers_that_need_no_rounding_are_written_as_babel_does(locale: str, value: float) -> None:
    written = format_decimal(value, format="#,##0.00", locale=locale.replace("-", "_"))
    assert show_number(value, 2, locale) == written


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.145, "14.5%"), (0.2885, "28.9%"), (0.0125, "1.3%"), (1.0617, "106.2%")]
)
def test_percents_round_half_away_from_zero_on_the_decimal_form(fraction: float, text: str) -> None:
    assert show_percent(fraction, 1, "en") == text
