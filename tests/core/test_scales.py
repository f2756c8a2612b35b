"""Scales of others: both edges are in, decided on the value and not on the printed figure."""

from __future__ import annotations

import pytest

from peakwise.core.scales import SCALES, is_inside


@pytest.mark.parametrize(
    ("utilization", "inside"),
    [
        (0.349, ()),
        (0.35, ("tuned",)),
        (0.4999, ("tuned",)),
        (0.5, ("tuned", "fifty")),
        (0.55, ("tuned", "fifty")),
        (0.55 + 1e-15, ("tuned", "fifty")),
        (0.5504, ("fifty",)),  # prints 55.0
        (1.2, ("fifty",)),
    ],
)
def test_a_utilization_lies_on_the_stretches_whose_edges_hold_it(utilization: float, inside: tuple[str, ...]) -> None:
    assert tuple(scale.id for scale in SCALES if is_inside(utilization, scale)) == inside
