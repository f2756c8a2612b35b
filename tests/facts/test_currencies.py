"""Currencies are found by their code in any case; an unknown one is answered with the nearest, by code or by name."""

from __future__ import annotations

import pytest

from peakwise.core.errors import NotKnown
from peakwise.facts.currencies import find_currency, load_currencies


def test_every_code_is_three_capitals_once_in_order_with_a_name() -> None:
    codes = list(load_currencies())
    assert codes == sorted(set(codes))
    assert all(len(code) == 3 and code.isascii() and code.isupper() for code in codes)
    assert all(load_currencies().values())


def test_what_money_is_paid_in_is_there_and_test_codes_are_not() -> None:
    assert {"USD", "EUR", "RUB", "MXN", "JPY", "CHF", "CNY", "INR", "BRL", "ARS"} <= set(load_currencies())
    assert not {"XTS", "XXX", "DEM"} & set(load_currencies())


def test_the_locale_data_knows_the_decimals_of_every_currency() -> None:
    from babel.numbers import get_currency_precision

    assert all(0 <= get_currency_precision(code) <= 4 for code in load_currencies())


@pytest.mark.parametrize("text", ["EUR", "eur", " Eur "])
def test_a_code_is_found_in_any_case(text: str) -> None:
    assert find_currency(text) == "EUR"


@pytest.mark.parametrize(
    ("text", "nearest"), [("euro", "EUR"), ("yen", "JPY"), ("dollars", "USD"), ("EURO", "EUR"), ("USDD", "USD")]
)
def test_an_unknown_code_is_answered_with_the_nearest(text: str, nearest: str) -> None:
    with pytest.raises(NotKnown) as caught:
        find_currency(text)
    assert nearest in caught.value.expected


def test_a_long_text_is_refused_shortly() -> None:
    with pytest.raises(NotKnown) as caught:
        find_currency("x" * 10_000)
    assert len(str(caught.value)) < 400
