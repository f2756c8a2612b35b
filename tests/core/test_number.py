"""Numbers as people type them are read by one algorithm, in every language and unit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.errors import InputError, NumberError
from peakwise.core.number import Measure, format_plain, parse_quantity, read_number

DATA = Path(__file__).parents[1] / "data"
CASES = json.loads((DATA / "numbers.json").read_text(encoding="utf-8"))["cases"]

# The kinds that the reference file declares in its `about`.
KINDS = {
    "rate": Measure(dimension="token_per_s", integer_like=True, low=0, high=1e10),
    "integer": Measure(whole=True, integer_like=True, low=1, high=1e7),
    "number": Measure(),
    "peak": Measure(dimension="flop_per_s", scale=10**12, low=0.01, high=1e6, zero_code="E_ZERO_PEAK"),
    "bandwidth": Measure(dimension="byte_per_s", scale=10**9, low=0.1, high=1e6),
    "params": Measure(dimension="parameter", scale=10**9, low=1e-4, high=1e5),
    "percent": Measure(dimension="percent", low=0, high=100),
    "fraction": Measure(dimension="fraction", low=0, high=1),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']!a}-{case['locale']}-{case['kind']}")
def test_a_typed_number_is_read_as_the_reference_says(case: dict) -> None:
    reading = read_number(case["text"], KINDS[case["kind"]], case["locale"])
    assert (reading.value, list(reading.notes), reading.alt, reading.echo, reading.code or None) == (
        case["value"],
        case["notes"],
        case["alt"],
        case["echo"],
        case["error"],
    )


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("1 PFLOP/s", "peak", 1000),
        ("989e12 FLOP/s", "peak", 989),
        ("989 tflops", "peak", 989),
        ("0.989P", "peak", None),
        ("3.35 TB/s", "bandwidth", 3350),
        ("3350 GB / s", "bandwidth", 3350),
        ("1 TiB/s", "bandwidth", 1099.511627776),
        ("2.5k", "rate", 2500),
        ("2.5k tok/s", "rate", 2500),
        ("20,000 tokens/s", "rate", 20000),
        ("500M", "params", 0.5),
        ("8030261248e-9", "params", 8.030261248),
        ("70 billion parameters", "params", 70),
        ("50%", "fraction", 0.5),
        ("２０００", "rate", 2000),
        ("1.5e3", "rate", 1500),
        ("1 234 567", "rate", 1234567),
    ],
)
def test_units_and_scale_words_are_converted_to_the_unit_of_the_field(text: str, kind: str, value: float) -> None:
    assert read_number(text, KINDS[kind]).value == value


@pytest.mark.parametrize(
    "text",
    [
        "٣",
        "5²",
        "½",
        "0x10",
        "1_000",
        "inf",
        "1e",
        "2.",
        "--5",
        "1" * 65,
        "5 5",
        "1e5e5",
        "1 000e3",
        "1.2.3e3",
        "1 2.3,4",
        "1,2345.6",
    ],
)
def test_what_is_no_number_is_refused(text: str) -> None:
    assert read_number(text, KINDS["number"]).code == "E_NUM"


@pytest.mark.parametrize("text", ["1e999", "1e999999", "-5", "1" * 60])
def test_numbers_past_the_range_are_out_of_range(text: str) -> None:
    assert read_number(text, KINDS["rate"]).code == "E_RANGE"


def test_minus_zero_is_zero() -> None:
    assert read_number("-0", KINDS["rate"]).value == 0


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [("989 TFLOP/s", "flop_per_s", 989e12), ("989", "flop_per_s", 989e12), ("80 GiB", "byte", 80 * 2**30)],
)
def test_a_quantity_is_given_in_base_units(text: str, dimension: str, value: float) -> None:
    assert parse_quantity(text, dimension, where="--peak") == value  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("text", ["", "abc", "989 GB/s", "0", "-3"])
def test_a_quantity_that_cannot_be_read_names_the_flag_and_an_example(text: str) -> None:
    with pytest.raises(NumberError) as caught:
        parse_quantity(text, "flop_per_s", where="--peak")
    assert caught.value.where == "--peak"
    assert "989 TFLOP/s" in caught.value.hint


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match="unknown locale"):
        read_number("5", KINDS["rate"], "xx-YY")


def test_a_lone_b_in_spanish_is_noted_with_the_other_reading() -> None:
    reading = read_number("1 B", KINDS["params"], "es-ES")
    assert (reading.value, reading.notes, reading.alt) == (1, ("W_AMBIG",), 1000)


@given(st.text(max_size=80), st.sampled_from(sorted(KINDS)), st.sampled_from(["en", "es-ES", "it", "ru", "de-CH"]))
def test_any_text_gives_a_value_or_a_code(text: str, kind: str, locale: str) -> None:
    reading = read_number(text, KINDS[kind], locale)
    assert (reading.value is None) == bool(reading.code)


@given(st.floats(min_value=1e-6, max_value=1e15, allow_nan=False), st.sampled_from(["en", "es-MX"]))
def test_the_canonical_text_of_a_number_gives_the_number_back(value: float, locale: str) -> None:
    assert read_number(format_plain(value), KINDS["number"], locale).value == value


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("3350 ГБ/с", "byte_per_s", 3.35e12),
        ("80 ГБ", "byte", 80e9),
        ("2 000 токенов/с", "token_per_s", 2000),
        ("1,5 ч", "s", 5400),
        ("20 мс", "s", 0.02),
        ("4096 токенов", "token", 4096),
    ],
)
def test_the_units_that_the_russian_page_shows_are_read_as_they_stand(text: str, dimension: str, value: float) -> None:
    reading = read_number(text, Measure(dimension=dimension), "ru")  # pyright: ignore[reportArgumentType]
    assert reading.value == pytest.approx(value, rel=1e-12)
