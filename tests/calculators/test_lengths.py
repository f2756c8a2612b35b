"""Lengths: what each policy leaves, rates that say what they count, and a list of 100,000."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.calculators.lengths_chart import count_bins
from peakwise.core.calculation import Calculation
from peakwise.core.chart import BarChart, LineChart
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

SEED = [200, 400, 900, 2100]


def _laid(**changes: object) -> Calculation:
    return calculate("lengths", {"lengths": SEED, **changes})


def _refused(**changes: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        _laid(**changes)
    return [(error.field, error.code) for error in caught.value.errors]


def test_a_length_above_the_slot_is_refused_for_max_and_pack_alone() -> None:
    for policy in ("max", "pack"):
        assert _refused(policy=policy, seq_len=2000) == [("lengths", "E_RANGE")]
    for policy in ("longest", "grouped", "varlen"):
        assert _laid(policy=policy, seq_len=2000).n_examples == 4


def test_every_problem_comes_back_at_once() -> None:
    assert _refused(seq_len=2000, masked_tokens=901) == [("lengths", "E_RANGE"), ("masked_tokens", "E_RANGE")]


def test_batches_are_padded_in_the_given_order_or_sorted_first() -> None:
    given_order = _laid(lengths=[100, 2000, 100, 2000], batch=2, policy="longest")
    grouped = _laid(lengths=[100, 2000, 100, 2000], batch=2, policy="grouped")
    assert (given_order.slots, grouped.slots) == (8000, 4200)


def test_the_trained_share_leaves_out_masked_tokens_and_is_null_without_them() -> None:
    answer = _laid(masked_tokens=225)
    assert (answer.trained_share, [lack.input for lack in answer.missing]) == (0.75, ["slot_tokens_per_s"])
    assert _laid().trained_share is None
    assert "masked_tokens" in [lack.input for lack in _laid().missing]


def test_a_text_of_lengths_is_read_with_any_separator() -> None:
    for text in (
        "200 400 900 2100",
        "200;400;900;2100",
        "200\n400\n900\n2100\n",
        "200,400,900,2100",
        "2e2 400 900 2.1k",
    ):
        assert _laid(lengths=text).mean_tokens == 900


def test_a_length_that_is_none_is_named_with_its_place() -> None:
    with pytest.raises(InputError, match=r"number 3 of 3"):
        _laid(lengths=[1, 2, 0])
    with pytest.raises(InputError, match=r"number 2 of 2"):
        _laid(lengths="1 x")


def test_100_000_lengths_are_taken_and_one_more_is_refused() -> None:
    assert _laid(lengths=[512] * 100_000).n_examples == 100_000
    assert _refused(lengths=[512] * 100_001) == [("lengths", "E_RANGE")]


@given(lengths=st.lists(st.integers(1, 4096), min_size=1, max_size=60), policy=st.sampled_from(["max", "pack"]))
def test_the_real_rate_is_the_useful_part_of_the_slots(lengths: list[int], policy: str) -> None:
    answer = _laid(lengths=lengths, policy=policy, slot_tokens_per_s=1000)
    useful, real, examples = answer.useful, answer.real_tokens_per_s, answer.examples_per_s
    assert isinstance(useful, float)
    assert isinstance(real, float)
    assert isinstance(examples, float)
    assert 0 < useful <= 1
    assert real == pytest.approx(1000 * useful)
    assert examples * sum(lengths) / len(lengths) == pytest.approx(real)


def test_the_charts_show_every_policy_and_all_examples() -> None:
    answer = _laid(seq_len=2000, policy="longest")
    assert answer.charts is not None
    policies, spread = answer.charts()
    assert isinstance(policies, BarChart)
    assert isinstance(spread, LineChart)
    assert [bar.value is None for bar in policies.bars] == [True, False, False, True, False]
    assert [bar.key for bar in policies.bars if bar.style == "ours"] == ["longest"]
    assert spread.twin is not None
    assert sum(row[2] for row in spread.twin.rows if isinstance(row[2], float)) == 4


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=300))
def test_bins_hold_every_example_once(lengths: list[int]) -> None:
    bins = count_bins(tuple(lengths))
    assert sum(count for _, _, count in bins) == len(lengths)
    assert all(sum(low <= each <= high for each in lengths) == count for low, high, count in bins)
    assert len(bins) <= 24
