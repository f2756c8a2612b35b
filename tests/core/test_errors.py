"""Errors carry where, what was got, what was expected and what to do, on every face."""

from __future__ import annotations

from peakwise.core.errors import (
    CatalogError,
    ConfigError,
    FieldError,
    InputError,
    LayoutError,
    MissingExtra,
    NotKnown,
    NumberError,
    PeakwiseError,
    ReadError,
    UnknownChip,
    UnknownFormat,
    UnknownModel,
)


def test_an_error_says_its_four_parts_in_one_text() -> None:
    error = ReadError("cannot read", where="a.log", got="nothing", expected="a log", hint="give a log")
    assert str(error) == "cannot read; where: a.log; got: nothing; expected: a log; do: give a log"
    assert str(PeakwiseError("short")) == "short"


def test_an_outer_layer_adds_its_place() -> None:
    assert ConfigError("x", where="$.a").at("config.json").where == "config.json: $.a"
    assert ConfigError("x").at("config.json").where == "config.json"


def test_field_errors_all_reach_the_document_and_the_first_gives_code_and_field() -> None:
    fields = (
        FieldError(field="peak_tflops", code="E_ZERO_PEAK", message="zero"),
        FieldError(field="rate", code="E_NUM", message="no number"),
    )
    error = InputError("two fields", errors=fields)
    assert (error.code, error.field) == ("E_ZERO_PEAK", "peak_tflops")
    document = error.to_dict()
    assert document["schema"] == "peakwise.error/1"
    assert document["errors"] == [
        {"field": "peak_tflops", "code": "E_ZERO_PEAK", "message": "zero"},
        {"field": "rate", "code": "E_NUM", "message": "no number"},
    ]


def test_an_error_without_fields_has_no_code_and_an_empty_list() -> None:
    error = InputError("x")
    assert (error.code, error.field, error.to_dict()["errors"]) == ("", "", [])
    assert PeakwiseError("x").to_dict()["errors"] == []


def test_the_tree_of_errors_is_the_one_of_the_house() -> None:
    assert all(issubclass(kind, InputError) for kind in (ConfigError, ReadError, NumberError))
    assert all(issubclass(kind, NotKnown) for kind in (UnknownChip, UnknownFormat, UnknownModel))
    assert all(
        issubclass(kind, PeakwiseError) for kind in (InputError, NotKnown, CatalogError, LayoutError, MissingExtra)
    )
    kinds = [kind.kind for kind in (ConfigError, ReadError, NumberError, UnknownChip, UnknownFormat, UnknownModel)]
    assert len(set(kinds)) == len(kinds)
