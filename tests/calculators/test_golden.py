"""Every reference case of the calculators that exist gives its results, warnings, errors and display in Python."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from peakwise.calculators.table import CALCULATORS
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

DATA = Path(__file__).parents[1] / "data"
CASES = [
    case
    for case in json.loads((DATA / "golden.json").read_text(encoding="utf-8"))["cases"]
    if case["calculator"] in CALCULATORS
]


def _same(value: object, expected: object, tolerance: float) -> bool:
    if expected is None or isinstance(expected, str | bool):
        return value is expected or (isinstance(expected, str) and value == expected)
    assert isinstance(value, int | float)
    assert isinstance(expected, int | float)
    return math.isclose(value, expected, rel_tol=tolerance, abs_tol=1e-12 if expected == 0 else 0.0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['calculator']}: {case['name']}")
def test_a_reference_case_gives_its_answer(case: dict) -> None:
    expect = case["expect"]
    if expect["error"] is not None:
        with pytest.raises(InputError) as caught:
            calculate(case["calculator"], case["inputs"])
        assert (caught.value.field, caught.value.code) == (expect["error"]["field"], expect["error"]["code"])
        return
    answer = calculate(case["calculator"], case["inputs"])
    tolerances = expect.get("tolerances", {})
    for key, expected in expect["results"].items():
        assert _same(answer.results[key], expected, tolerances.get(key, expect["tolerance"])), key
    assert sorted(warning.code for warning in answer.warnings) == sorted(expect["warnings"])
    for locale, texts in expect.get("display", {}).items():
        assert {key: answer.display[locale][key] for key in texts} == texts  # pyright: ignore
