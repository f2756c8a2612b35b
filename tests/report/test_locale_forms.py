"""Durations, money, powers of ten and moments are written as the reader's region writes them."""

from __future__ import annotations

import pytest
from babel.numbers import format_currency

from peakwise.core.declaration import Display
from peakwise.report.locale import show_value
from peakwise.report.locale_forms import show_duration, show_moment, show_money, show_scientific

NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("seconds", "locale", "text"),
    [
        (8231.707, "en", "2 h 17 min 12 s"),
        (8231.707, "ru", "2 ч 17 мин 12 с"),
        (59.6, "en", "1 min 0 s"),
        (3599.5, "es", "1 h 0 min 0 s"),
        (0, "it", "0 s"),
        (12, "it", "12 s"),
        (4_500_000, "es", "1.250 h 0 min 0 s"),
    ],
)
def test_a_duration_is_rounded_before_it_is_split(seconds: float, locale: str, text: str) -> None:
    written = show_duration(seconds, locale)
    assert written.replace(NBSP, " ") == text
    assert all(written[place - 1] == NBSP for place, sign in enumerate(written) if sign in "hmч" and place)


@pytest.mark.parametrize(
    ("locale", "text"),
    [("en", "$45.73"), ("es", f"45,73{NBSP}US$"), ("it", f"45,73{NBSP}USD"), ("ru", f"45,73{NBSP}$")],
)
def test_money_stands_in_the_pattern_of_the_locale(locale: str, text: str) -> None:
    assert show_money(45.73170731707317, "USD", locale) == text


def test_money_has_the_decimals_of_its_currency_rounded_half_away_from_zero() -> None:
    assert show_money(2.5, "JPY", "en") == "¥3"
    assert show_money(0.125, "USD", "en") == "$0.13"
    assert format_currency(0.125, "USD", locale="en") == "$0.12"  # what rounding half to even would give


@pytest.mark.parametrize(
    ("value", "decimals", "locale", "text"),
    [
        (6.1307e16, 3, "en", "6.131 × 10¹⁶"),
        (6.1307e16, 3, "ru", "6,131 × 10¹⁶"),
        (9.9996e15, 3, "en", "1.000 × 10¹⁶"),
        (4.5e14, 0, "es", "4,5 × 10¹⁴"),
        (0.00012, 1, "en", "1.2 × 10⁻⁴"),
        (0, 1, "en", "0.0 × 10⁰"),
    ],
)
def test_a_power_of_ten_keeps_one_digit_before_the_sign(value: float, decimals: int, locale: str, text: str) -> None:
    assert show_scientific(value, decimals, locale).replace(NBSP, " ") == text


def test_a_moment_keeps_its_own_zone() -> None:
    text = show_moment("2026-11-30T09:00:00+01:00", "it")
    assert text.startswith("30 nov 2026")
    assert text.endswith("09:00:00 UTC+01:00")


def test_a_rate_below_a_thousand_has_two_decimals_where_its_display_says_so() -> None:
    display = Display(form="number", decimals=0, more_below=1000)
    assert [show_value(value, display, "es") for value in (23.9286, 999.994, 1000, 2010.4)] == [
        "23,93",
        "999,99",
        "1.000",
        "2.010",
    ]


def test_money_past_any_purse_is_still_written() -> None:
    assert show_money(1e300, "USD", "en").startswith("$1,000,000")
