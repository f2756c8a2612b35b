"""Foreign values become typed fields, or an error that names the path and what stood there."""

from __future__ import annotations

import math

import pytest

from peakwise.core.errors import ConfigError
from peakwise.core.fields import LARGEST, as_bool, as_float, as_int, as_list, as_table, as_text, shown


def test_right_values_pass() -> None:
    assert as_int(8, "$.a", least=1) == 8
    assert as_float(8, "$.a") == 8.0
    assert as_bool(False, "$.a") is False
    assert as_text("x", "$.a") == "x"
    assert as_list([1, "b"], "$.a") == [1, "b"]
    assert as_table({"k": 1}, "$.a") == {"k": 1}


@pytest.mark.parametrize("value", [8.0, "8", True, None, -1, 0, LARGEST + 1, math.nan, [8], {}])
def test_a_whole_number_is_never_guessed(value: object) -> None:
    with pytest.raises(ConfigError, match="expected a whole number") as caught:
        as_int(value, "$.heads", least=1)
    assert caught.value.where == "$.heads"
    assert caught.value.got == shown(value)


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (as_float, math.inf),
        (as_float, math.nan),
        (as_float, "1"),
        (as_float, True),
        (as_bool, 1),
        (as_text, 1),
        (as_list, "ab"),
        (as_table, [1]),
    ],
)
def test_ill_typed_values_are_refused(read, value: object) -> None:
    with pytest.raises(ConfigError, match=r"\$\.rope\.factor"):
        read(value, "$.rope.factor")


def test_a_long_value_is_cut_in_the_message() -> None:
    assert len(shown("x" * 10_000)) == 58
    assert [shown(value) for value in (None, True, False, {}, [], 3, "8x")] == [
        "null",
        "true",
        "false",
        "a table",
        "a list",
        "3",
        '"8x"',
    ]
