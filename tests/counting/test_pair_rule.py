"""Query–key pairs by the rules that published figures follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.model import Layer, Mask, Model, Scores
from peakwise.core.training import Train
from peakwise.core.workload import Workload
from peakwise.counting.pair_rule import PairRule, build_by_pairs, twice_the_pairs
from peakwise.counting.total import build_ledger
from peakwise.verbs.count import count

Make = Callable[..., Model]
OF_A_PAIR = 2 * 4 * 48  # FLOPs of a multiply-add, heads, widths of query and value together


def _attention(model: Model, workload: Workload, rule: PairRule) -> float:
    """Attention FLOPs of one layer and one token."""
    counted = build_by_pairs(model, workload, rule)
    flop = sum(term.forward for term in counted.ledger if term.component == "attn_scores")
    return flop / counted.tokens / len(model.layers)


@pytest.mark.parametrize(
    ("sizes", "rule", "keys"),
    [
        ({}, "none", 0),
        ({}, "exact", 50),
        ({}, "half", 49.5),
        ({}, "noncausal", 99),
        ({}, "full", 99),
        ({"window": 10}, "exact", 10 - 10 * 9 / (2 * 99)),
        ({"window": 10}, "half", 10),
        ({"window": 10}, "noncausal", 10),
        ({"window": 10}, "full", 99),
        ({"window": 99}, "half", 49.5),
        ({"chunk": 10}, "half", 5),
        ({"chunk": 10}, "noncausal", 10),
        ({"chunk": 99}, "half", 49.5),
    ],
)
def test_a_query_sees_as_many_keys_as_the_rule_says(
    make: Make, sizes: dict[str, int], rule: PairRule, keys: float
) -> None:
    assert _attention(make(**sizes), Workload(seq_len=99), rule) == pytest.approx(keys * OF_A_PAIR, rel=1e-12)


@given(length=st.integers(1, 200), window=st.integers(1, 200))
def test_a_rule_without_a_mask_sees_all_that_the_exact_one_sees(make: Make, length: int, window: int) -> None:
    model, work = make(window=window), Workload(seq_len=length)
    exact, noncausal, full = (_attention(model, work, rule) for rule in ("exact", "noncausal", "full"))
    assert exact <= noncausal <= full


@given(lengths=st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_documents_sum_their_own_squares_by_half(make: Make, lengths: list[int]) -> None:
    work = Workload(seq_len=max(lengths), lengths=tuple(lengths))
    mean = sum(length**2 for length in lengths) / 2 / sum(lengths)
    assert _attention(make(), work, "half") == pytest.approx(mean * OF_A_PAIR, rel=1e-12)


def test_exact_and_full_are_the_ledger_itself(make: Make) -> None:
    work = Workload(seq_len=40, train=Train(kind="lora", rank=2))
    assert build_by_pairs(make(window=8), work, "exact").ledger == build_ledger(make(window=8), work)
    full = build_ledger(make(window=8), replace(work, attention="full"))
    assert build_by_pairs(make(window=8), work, "full").ledger == full


@pytest.mark.parametrize("rule", ["none", "exact", "half", "noncausal", "full"])
def test_all_but_attention_is_the_same_under_every_rule(make: Make, rule: PairRule) -> None:
    counted = build_by_pairs(make(experts=4, top_k=2, window=8), Workload(seq_len=33), rule)
    exact = build_ledger(make(experts=4, top_k=2, window=8), Workload(seq_len=33))
    rest = sum(term.forward for term in counted.ledger if term.component != "attn_scores")
    assert rest * 33 == sum(term.forward for term in exact if term.component != "attn_scores") * counted.tokens


def test_the_names_of_terms_are_those_of_the_model(make: Make) -> None:
    names = {term.name for term in build_by_pairs(make(), Workload(seq_len=9), "half").ledger}
    assert names == {term.name for term in build_ledger(make(), Workload(seq_len=9))}


def test_a_mask_that_is_not_causal_stays_exact(make: Make) -> None:
    model = make()
    ops = [replace(op, mask=Mask(causal=False)) if isinstance(op, Scores) else op for op in model.layers[0].ops]
    both_ways = replace(model, layers=(Layer(ops=tuple(ops)),) * 3)
    assert _attention(both_ways, Workload(seq_len=31), "half") == 31 * OF_A_PAIR


def test_half_of_an_odd_square_is_kept_whole() -> None:
    assert twice_the_pairs(3, Mask(), half=True) == 9


@pytest.mark.parametrize("model", ["deepseek-v3", "llama-3.1-8b", "mixtral-8x7b"])
def test_half_without_the_router_is_the_rule_of_megatron(model: str) -> None:
    counted = count(model, seq=4096)
    half = build_by_pairs(counted.model, Workload(seq_len=4096), "half")
    without = sum(
        term.forward + term.backward_input + term.backward_weight for term in half.ledger if term.component != "router"
    )
    assert without / half.tokens == pytest.approx(counted.under("megatron@2025-03").flop_per_token, rel=1e-12)


def test_modules_follow_the_rule_of_the_layers() -> None:
    """The published figure counts 10.18 GFLOP a token for DeepSeek-V3's module (cases, 2.2)."""
    model = count("deepseek-v3", seq=4096).model
    works = [build_by_pairs(model, Workload(seq_len=4096, mtp=mtp), "half") for mtp in (True, False)]
    without = [
        sum(t.forward + t.backward_input + t.backward_weight for t in work.ledger if t.component != "router")
        / work.tokens
        for work in works
    ]
    assert without[0] - without[1] == pytest.approx(10.18e9, abs=5e6)


def test_global_layers_without_a_mask_and_windows_kept_are_the_published_figure_of_a_mixture() -> None:
    """MAI-Base-1 v5 at 16,384: 238.22 GFLOP a token (cases, 1.3)."""
    counted = build_by_pairs(count("mai-base-1", seq=16384).model, Workload(seq_len=16384), "noncausal")
    assert counted.ledger.model / counted.tokens == pytest.approx(238.22e9, abs=5e6)
