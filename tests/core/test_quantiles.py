"""Quantiles of lengths are checked where they are made."""

from __future__ import annotations

import pytest

from peakwise.core.errors import InputError
from peakwise.core.quantiles import Quantiles


def test_quantiles_are_written_as_the_command_line_takes_them() -> None:
    assert Quantiles(points=((0.5, 450), (0.999, 2100))).text() == "p50=450,p99.9=2100"


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ((), "two points"),
        (((0.5, 450),), "two points"),
        (((0.5, 450), (1.1, 900)), "between 0 and 100"),
        (((0.9, 450), (0.5, 900)), "must rise"),
        (((0.5, 450), (0.5, 900)), "must rise"),
        (((0.5, 450), (0.9, 449)), "cannot fall"),
        (((0.5, 0), (0.9, 449)), "cannot fall"),
    ],
)
def test_quantiles_that_are_none_are_refused(points: tuple[tuple[float, int], ...], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Quantiles(points=points)
    assert caught.value.where == "--seq"
