"""A calculation gives its results as attributes, and itself as the document of the JSON contract."""

from __future__ import annotations

import copy

import pytest

from peakwise.core.calculation import Calculation, Input, Report
from peakwise.core.finding import Finding


def _calculation() -> Calculation:
    return Calculation(
        name="mfu",
        inputs={"params_b": Input(value=70, unit="10⁹ parameters", basis="stated", source="params_b")},
        results={"mfu": 0.25, "hfu": None},
        declared=(),
        convention={"id": "2026-11", "attention": "none", "denominator": "dense"},
        report=Report(headline="", facts=(), rule=()),
        link="/en/mfu?v=1",
        version="1",
        warnings=(Finding(code="W_FIT", message="it does not fit", input="accelerators", fix="--devices 2"),),
    )


def test_each_result_is_an_attribute_and_a_null_one_is_none() -> None:
    answer = _calculation()
    assert (answer.mfu, answer.hfu) == (0.25, None)
    assert "mfu" in dir(answer)


def test_a_name_that_is_no_result_is_refused() -> None:
    with pytest.raises(AttributeError, match="no result 'mbu'"):
        _ = _calculation().mbu


def test_a_copy_of_a_calculation_is_equal_to_it() -> None:
    answer = _calculation()
    assert copy.copy(answer) == answer
    assert copy.deepcopy(answer) == answer


def test_the_document_has_the_keys_of_the_contract_in_order() -> None:
    document = _calculation().to_dict()
    assert list(document) == [
        "schema",
        "version",
        "name",
        "inputs",
        "results",
        "display",
        "convention",
        "warnings",
        "missing",
        "link",
    ]
    assert document["schema"] == "peakwise.calc/1"
    assert document["inputs"] == {
        "params_b": {"value": 70, "unit": "10⁹ parameters", "basis": "stated", "source": "params_b"}
    }


def test_a_calculation_that_no_verb_made_draws_nothing() -> None:
    assert (_calculation().to_markdown(), _calculation()._repr_html_()) == ("", "")
