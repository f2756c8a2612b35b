"""An error on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peakwise.core.errors import FieldError, InputError, UnknownChip
from peakwise.report.paper import Paper
from peakwise.report.views.error import render


@pytest.mark.parametrize("width", [80, 120])
def test_an_error_is_printed_character_for_character(expected: Callable[[str], str], width: int) -> None:
    error = UnknownChip(
        'unknown chip "RTX 9090"',
        where="--chip",
        got="RTX 9090",
        expected="a chip id; the nearest are rtx-5090, rtx-4090 and rtx-3090",
        hint="peakwise catalog chips rtx",
    )
    assert render(error, "text", Paper(width=width)) == expected(f"error-{width}.txt")


def _field_error(code: str, message: str) -> FieldError:
    return FieldError(field="field", code=code, message=message)


def test_every_wrong_field_is_told_and_absent_ones_wait() -> None:
    errors = (_field_error("E_NUM", "first"), _field_error("E_RANGE", "second"), _field_error("E_REQ", "third"))
    text = render(InputError("first", errors=errors))
    assert text == "error: first\n  also      second\n"


def test_absent_fields_are_asked_for_together() -> None:
    errors = (_field_error("E_REQ", "first"), _field_error("E_REQ", "second"))
    assert "second" in render(InputError("first", errors=errors))


def test_a_long_sentence_wraps_and_a_command_never_does() -> None:
    words = " ".join(["word"] * 40)
    command = "peakwise measure " + "x" * 100 + " --chip CHIP"
    lines = render(InputError(words, expected=words, hint=command)).splitlines()
    assert lines[-1] == f"  do        {command}"
    assert all(len(line) <= 80 for line in lines[:-1])


def test_control_characters_of_foreign_text_never_reach_the_terminal() -> None:
    assert "\x1b" not in render(InputError("bad \x1b[31m name", got="a\x07b"))
