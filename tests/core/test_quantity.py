"""A result is as good as its weakest input."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.quantity import BASES, Quantity, quantity_dict, weakest


@given(st.lists(st.sampled_from(BASES), min_size=1))
def test_the_basis_of_a_result_is_the_weakest_of_its_inputs_and_never_better_than_derived(bases: list) -> None:
    place = BASES.index(weakest(*bases))
    assert place == max(BASES.index("derived"), *(BASES.index(basis) for basis in bases))


def test_a_quantity_is_four_keys_and_an_unknown_one_is_null() -> None:
    quantity = Quantity(value=0.305, unit="fraction", basis="derived", source="log")
    assert quantity.to_dict() == {"value": 0.305, "unit": "fraction", "basis": "derived", "source": "log"}
    assert quantity_dict(quantity) == quantity.to_dict()
    assert quantity_dict(None) is None
