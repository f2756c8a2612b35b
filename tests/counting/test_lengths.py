"""Examples of unequal length in slots: padding, batches, packs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.arrangement import Policy
from peakwise.core.errors import InputError
from peakwise.counting.lengths import arrange, count_packs, trained_share

FOUR = [200, 400, 900, 2100]
POLICIES: tuple[Policy, ...] = ("max", "longest", "grouped", "pack", "varlen")
SLOT = 64
LENGTHS = st.lists(st.integers(1, SLOT), min_size=1, max_size=40)
GOLDEN = [
    case
    for case in json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text(encoding="utf-8"))["cases"]
    if case["calculator"] == "lengths" and case["expect"]["error"] is None
]


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_every_golden_case_comes_out(case: dict[str, Any]) -> None:
    inputs, expected = case["inputs"], case["expect"]["results"]
    found = arrange(
        inputs["lengths"],
        policy=inputs.get("policy", "pack"),
        batch=inputs.get("batch", 4),
        seq_len=inputs.get("seq_len", 4096),
    )
    for key in ("n_examples", "mean_tokens", "useful", "slots", "bins", "attention_ratio"):
        assert getattr(found, key) == pytest.approx(expected[key], rel=case["expect"]["tolerance"]), key
    if expected["examples_per_s"] is not None:
        rate = inputs["slot_tokens_per_s"] * found.useful
        assert rate == pytest.approx(expected["real_tokens_per_s"], rel=1e-9)
        assert rate / found.mean_tokens == pytest.approx(expected["examples_per_s"], rel=1e-9)


def test_padding_and_packing_of_four_texts_by_hand() -> None:
    padded = arrange(FOUR, policy="longest", batch=4)
    assert (padded.slots, padded.tokens, padded.bins) == (8400, 3600, 1)
    packed = arrange(FOUR, policy="pack", seq_len=4096)
    assert (packed.slots, packed.bins, packed.square_useful) == (4096, 1, 5_420_000)
    assert packed.attention_ratio == pytest.approx(0.323, abs=5e-4)


def test_batches_keep_their_order_or_are_sorted_first() -> None:
    mixed = [1, 8, 2, 8]
    assert arrange(mixed, policy="longest", batch=2).rows == ((8, 4),)
    assert arrange(mixed, policy="grouped", batch=2).rows == ((2, 2), (8, 2))


def test_a_last_batch_may_be_smaller() -> None:
    found = arrange([5, 5, 5, 7], policy="longest", batch=3)
    assert (found.rows, found.bins) == (((5, 3), (7, 1)), 2)
    assert arrange([5] * 7, policy="max", batch=3, seq_len=8).bins == 3


def _place_one_by_one(lengths: list[int], seq_len: int) -> int:
    rooms: list[int] = []
    for length in sorted(lengths, reverse=True):
        slot = next((index for index, room in enumerate(rooms) if room >= length), None)
        if slot is None:
            rooms.append(seq_len - length)
        else:
            rooms[slot] -= length
    return len(rooms)


@given(lengths=LENGTHS, extra=st.integers(0, 3))
def test_packs_are_those_of_first_fit_decreasing(lengths: list[int], extra: int) -> None:
    seq_len = max(lengths) + extra
    assert count_packs(lengths, seq_len) == _place_one_by_one(lengths, seq_len)


@given(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=60))
def test_many_texts_of_few_lengths_are_packed_the_same_way(lengths: list[int]) -> None:
    assert count_packs(lengths, 16) == _place_one_by_one(lengths, 16)


@given(lengths=LENGTHS, batch=st.integers(1, 9), policy=st.sampled_from(POLICIES))
def test_useful_is_part_of_processed(lengths: list[int], batch: int, policy: Policy) -> None:
    found = arrange(lengths, policy=policy, batch=batch, seq_len=SLOT)
    assert found.tokens == sum(lengths)
    assert found.square_useful == sum(length**2 for length in lengths)
    assert 0 < found.useful <= 1
    assert 0 < found.attention_ratio <= 1
    assert sum(found.processed) == found.slots
    assert sum(length**2 for length in found.processed) == found.square_processed
    if policy == "varlen":
        assert found.useful == found.attention_ratio == 1


@given(lengths=LENGTHS)
def test_packs_are_no_more_than_the_texts_and_hold_them_all(lengths: list[int]) -> None:
    packs = count_packs(lengths, SLOT)
    assert -(-sum(lengths) // SLOT) <= packs <= len(lengths)


@given(data=st.data(), lengths=LENGTHS, batch=st.integers(1, 9), policy=st.sampled_from(POLICIES))
def test_the_order_matters_only_where_batches_keep_it(
    data: st.DataObject, lengths: list[int], batch: int, policy: Policy
) -> None:
    other = data.draw(st.permutations(lengths))
    first, second = (arrange(texts, policy=policy, batch=batch, seq_len=SLOT) for texts in (lengths, other))
    assert first == second or policy == "longest"


@given(lengths=LENGTHS, batch=st.integers(1, 9))
def test_sorting_first_never_pads_more(lengths: list[int], batch: int) -> None:
    whole = lengths * batch  # the batches come out even
    ordered, sorted_first = (arrange(whole, policy=policy, batch=batch) for policy in ("longest", "grouped"))
    assert sorted_first.slots <= ordered.slots


@pytest.mark.parametrize(
    ("lengths", "change"),
    [
        ([], {}),
        ([0], {}),
        ([3, -1], {"policy": "longest"}),
        ([5000, 10], {"seq_len": 4096}),
        ([5000, 10], {"policy": "max", "seq_len": 4096}),
        ([5], {"seq_len": None}),
        ([5], {"batch": 0}),
    ],
)
def test_lengths_that_cannot_be_laid_out_are_refused(lengths: list[int], change: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        arrange(lengths, **{"policy": "pack", "seq_len": 4096, **change})
    assert caught.value.expected


def test_a_text_longer_than_the_slot_is_no_fault_where_nothing_is_cut_to_it() -> None:
    for policy in ("longest", "grouped", "varlen"):
        assert arrange([5000, 10], policy=policy, batch=1, seq_len=4096).tokens == 5010


def test_the_trained_share_leaves_the_masked_prompt_out() -> None:
    assert trained_share(900, 225) == 0.75
    assert trained_share(900, 0) == 1
    for masked in (901, -1, float("nan")):
        with pytest.raises(InputError):
            trained_share(900, masked)


def test_a_hundred_thousand_texts_of_different_lengths_are_packed_at_once() -> None:
    """Half a second; a search through all slots for every text would take minutes."""
    lengths = [1 + index * 7919 % 131_071 for index in range(100_000)]
    packs = count_packs(lengths, 131_072)
    assert sum(lengths) <= packs * 131_072 < 1.02 * sum(lengths)
