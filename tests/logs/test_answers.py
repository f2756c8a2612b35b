"""Every sample log of the four producers gets its answers: numbers within their tolerance, nulls null."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .judge import verdicts
from .samples import NAMES

KINDS = ("number", "null", "if reported", "warning", "given")


def faults(name: str, kind: str) -> Iterator[str]:
    for verdict in verdicts():
        if verdict.sample == name and verdict.kind == kind and verdict.fault:
            yield f"{verdict.key} {verdict.fault}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_sample_gets_its_answers(name: str, kind: str) -> None:
    assert list(faults(name, kind)) == []


def test_every_kind_of_answer_is_asked_for() -> None:
    """Nulls alone would be right for a reader that answers nothing."""
    asked = [verdict.kind for verdict in verdicts()]
    assert asked.count("number") > 50
    assert asked.count("null") > 100
    assert "given" in asked
