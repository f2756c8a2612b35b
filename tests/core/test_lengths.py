"""Lengths are counted once."""

from __future__ import annotations

from peakwise.core.lengths import Lengths


def test_lengths_are_counted_once_and_stay_a_tuple_in_their_order() -> None:
    lengths = Lengths([5, 2, 5])
    assert lengths == (5, 2, 5)
    assert (lengths.by_length, lengths.total) == (((2, 1), (5, 2)), 12)
    assert Lengths.of(lengths) is lengths
    assert (Lengths(()).by_length, Lengths(()).total) == ((), 0)
