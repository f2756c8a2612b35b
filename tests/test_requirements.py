"""Every numbered requirement of the product has a test that carries its number."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
NUMBERS = range(1, 93)
NAME = re.compile(r"test_requirement_(\d\d)_[a-z0-9]")


def numbered(source: str) -> Counter[int]:
    """How many test functions of a file carry each number; those that are skipped or hold nothing do not count."""
    found = Counter[int]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and (name := NAME.match(node.name)) and _checks(node):
            found[int(name[1])] += 1
    return found


def _checks(function: ast.FunctionDef) -> bool:
    """Whether a test asserts something, itself or by a function of its file, and nothing sets it aside."""
    marks = {mark for decorator in function.decorator_list for mark in _words(decorator)}
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(function))
    calls = any(isinstance(node, ast.Call) for node in ast.walk(function))
    return (asserts or calls) and not marks & {"skip", "skipif", "xfail"}


def _words(node: ast.expr) -> set[str]:
    return {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute)}


def test_every_requirement_has_a_test_of_its_number() -> None:
    found = Counter[int]()
    for path in sorted(HERE.rglob("test_*.py")):
        found += numbered(path.read_text(encoding="utf-8"))
    assert [number for number in NUMBERS if not found[number]] == []
    assert sorted(set(found) - set(NUMBERS)) == []


def test_a_test_that_is_skipped_or_empty_counts_for_nothing() -> None:
    source = (
        "def test_requirement_01_a() -> None:\n    assert f()\n"
        "@pytest.mark.skip\ndef test_requirement_02_b() -> None:\n    assert f()\n"
        "def test_requirement_03_c() -> None:\n    pass\n"
        "def helper() -> None:\n    def test_requirement_04_d() -> None:\n        assert f()\n"
        "@pytest.mark.parametrize('x', [1])\ndef test_requirement_05_e(x: int) -> None:\n    assert x\n"
    )
    assert sorted(numbered(source)) == [1, 5]
