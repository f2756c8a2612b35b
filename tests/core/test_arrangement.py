"""Texts in slots: written as they are typed, and never more tokens than slots."""

from __future__ import annotations

import pytest

from peakwise.core.arrangement import Arrangement, Policy


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("max", "pad=8"),
        ("longest", "longest=8"),
        ("grouped", "grouped=8"),
        ("pack", "pack=8"),
        ("varlen", ""),
    ],
)
def test_a_layout_is_written_as_the_command_line_takes_it(policy: Policy, text: str) -> None:
    made = Arrangement(policy=policy, size=8, n_examples=1, tokens=5, square_useful=25, rows=((8, 2),), bins=1)
    assert made.text() == text
    assert made.processed == (8, 8)


def test_a_layout_with_fewer_slots_than_tokens_cannot_be_made() -> None:
    with pytest.raises(AssertionError):
        Arrangement(policy="pack", size=8, n_examples=1, tokens=9, square_useful=81, rows=((8, 1),), bins=1)
