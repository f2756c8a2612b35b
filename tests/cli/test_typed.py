"""Numbers of flags that no calculator declares."""

from __future__ import annotations

import pytest

from peakwise.cli.typed import parse_amount, parse_parameters, parse_whole
from peakwise.core.errors import NumberError


@pytest.mark.parametrize(("text", "value"), [("8", 8), ("1,024", 1024), ("2k", 2000), (" 16 ", 16)])
def test_a_whole_number_is_read_as_people_type_it(text: str, value: int) -> None:
    assert parse_whole(text, "--batch") == value


@pytest.mark.parametrize("text", ["0", "-1", "2.5", "many", "", "9" * 100])
def test_what_is_no_whole_number_above_0_is_refused(text: str) -> None:
    with pytest.raises(NumberError) as caught:
        parse_whole(text, "--batch")
    assert caught.value.where == "--batch"


@pytest.mark.parametrize(("text", "value"), [("0", 0), (" 420.5 ", 420.5), ("1.5k", 1500)])
def test_an_amount_may_be_0_or_a_fraction(text: str, value: float) -> None:
    assert parse_amount(text, "--masked") == value


@pytest.mark.parametrize("text", ["-1", "some", "", "nan", "inf"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(NumberError) as caught:
        parse_amount(text, "--masked")
    assert caught.value.where == "--masked"


@pytest.mark.parametrize("text", ["8.03B", "8.03", "8030000000", "8,030,000,000", "8030M"])
def test_parameters_are_read_in_10_to_the_9_or_in_all_their_digits(text: str) -> None:
    assert parse_parameters(text, "--expect-params") == 8.03e9
