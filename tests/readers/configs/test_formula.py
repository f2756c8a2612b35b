"""Formulas of the fact rows are arithmetic over names and nothing else."""

from __future__ import annotations

import pytest

from peakwise.core.errors import CatalogError, ConfigError
from peakwise.readers.configs.formula import Absent, Inexact, evaluate, list_names

NAMES = {"a": 7, "b": 2, "none": None, "words": ["x", "y"], "kinds": [[["g", "l"], 2]], "pattern": "LLG", "text": "t"}


def value(text: str) -> object:
    return evaluate(text, lambda name: NAMES[name])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a * b + 1", 15),
        ("-a // b", -4),
        ("a % b", 1),
        ("none or a", 7),
        ("not none and b == 2", True),
        ("a if none else b", 2),
        ("words[1]", "y"),
        ("'x' in words", True),
        ("'z' not in words", True),
        ("round_up(a, 4)", 8),
        ("exact(a * b, b)", 7),
        ("int(a / b)", 3),
        ("min(a, b) + max(a, b) + len(words)", 11),
        ("expand(kinds)[3]", "l"),
        ("global_at(pattern, 5)", True),
        ("global_at(4, 2)", False),
        ("count(words, 'x')", 1),
        ("islist(words)", True),
        ("a in [1, 7]", True),
        ("none != None", False),
    ],
)
def test_a_formula_has_its_value(text: str, result: object) -> None:
    assert value(text) == result


def test_only_what_is_needed_is_looked_up() -> None:
    assert value("1 if True else missing") == 1


def test_the_names_are_those_without_the_functions() -> None:
    assert list_names("exact(h, n) + l") == {"h", "n", "l"}


@pytest.mark.parametrize("text", ["none + 1", "a // none", "a in none", "a % 0"])
def test_a_number_that_is_absent_or_zero_below_is_reported(text: str) -> None:
    with pytest.raises(Absent):
        value(text)


def test_a_division_with_a_remainder_is_reported() -> None:
    with pytest.raises(Inexact):
        value("exact(a, b)")


@pytest.mark.parametrize("text", ["words[7]", "words + 1", "a in text", "expand(words)", "global_at(text, 1)"])
def test_a_value_that_does_not_fit_is_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError):
        value(text)


@pytest.mark.parametrize(
    "text", ["__import__('os')", "a.b", "lambda: 1", "a **", "[x for x in words]", "a is b", "f(1)"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(CatalogError):
        value(text)
