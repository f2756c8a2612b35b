"""The declarations are the product's table of fields: keys, flags, parameters, ranges, defaults, results, displays."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.calculation import Calculation
from peakwise.core.codes import CODES
from peakwise.core.declaration import Declaration, Display, Result
from peakwise.core.errors import InputError

TABLE = json.loads((Path(__file__).parents[1] / "data" / "fields.json").read_text(encoding="utf-8"))


def _declared(name: str) -> Declaration:
    return find_calculator(name).declaration


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_field_is_declared_as_the_table_says(name: str) -> None:
    declaration = _declared(name)
    rows = TABLE["calculators"][name]["fields"]
    assert [field.key for field in declaration.fields] == [row["key"] for row in rows]
    for field, row in zip(declaration.fields, rows, strict=True):
        assert (field.flag, field.param, field.unit, field.kind) == (
            row["flag"],
            row["param"],
            row["unit"],
            row["type"],
        ), field.key
        assert field.default == row["default"], field.key
        assert field.headline == (row["in_link"] == "always"), field.key
        assert field.required == (row["required"] == "yes"), field.key
        if isinstance(row["range"], list):
            assert [field.low, field.high] == row["range"], field.key


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_choice_is_declared_with_its_word_for_a_link(name: str) -> None:
    declaration = _declared(name)
    for row in TABLE["calculators"][name]["fields"]:
        if row["type"] == "choice" and row["range"] != "as precision":
            words = [part.strip().rstrip(")").split(" (") for part in row["range"].split(",")]
            choices = declaration.field(row["key"]).choices
            assert [(choice.word, choice.link) for choice in choices] == [(word[0], word[-1]) for word in words]


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_group_is_declared_as_the_table_says(name: str) -> None:
    declaration = _declared(name)
    said = {row["required"].removeprefix("one of ") for row in TABLE["calculators"][name]["fields"]}
    assert {", ".join(group.keys) for group in declaration.groups} == {text for text in said if "," in text}


def _text(display: Display) -> str:
    decimals = f"{display.decimals} decimal" + ("" if display.decimals == 1 else "s")
    match display.form:
        case "percent":
            return f"percent, {decimals}"
        case "number":
            prefix = "" if display.scale == 1 else f"{display.unit}, "
            small = "" if display.more_below is None else f", 2 below {display.more_below:,}"
            return prefix + decimals + small
        case "duration":
            return "h min s"
        case "money":
            return "currency format"
        case "scientific":
            return f"scientific, {decimals}" if display.decimals else "scientific"
        case "datetime":
            return "date and time"
        case _:
            return "text"


def _texts(result: Result) -> str:
    """The display of a result; a duration with seconds beside it names both."""
    seconds = [display for _, display in result.more if result.display.form == "duration"]
    return " and ".join(_text(display) for display in (*seconds, result.display))


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_result_is_declared_with_its_unit_and_display(name: str) -> None:
    rows = TABLE["calculators"][name]["results"]
    declared = [(result.key, result.unit, _texts(result)) for result in _declared(name).results]
    assert declared == [(row["key"], row["unit"], row["display"]) for row in rows]


def test_every_code_of_the_table_is_in_the_one_table_of_codes() -> None:
    assert set(TABLE["codes"]["errors"]) | set(TABLE["codes"]["warnings"]) <= set(CODES)


def test_an_unknown_calculator_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="unknown calculator") as caught:
        find_calculator("mfuu")
    assert caught.value.hint == "peakwise calc mfu --help"


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_result_is_an_attribute_of_the_answer(name: str) -> None:
    taken = {field.name for field in dataclasses.fields(Calculation)} | {"display", "to_dict", "to_markdown"}
    assert not taken & {result.key for result in _declared(name).results}
