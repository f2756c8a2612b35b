"""The laws that every count obeys, whatever the sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.errors import InputError
from peakwise.core.model import Model
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger

Make = Callable[..., Model]
SIZES = st.integers(1, 40)
LAWS = settings(max_examples=40)


@LAWS
@given(batch=SIZES, seq=SIZES)
def test_flops_are_linear_in_sequences(make: Make, batch: int, seq: int) -> None:
    one, many = (build_ledger(make(), Workload(seq_len=seq, batch=n)).model for n in (1, batch))
    assert many == batch * one


@LAWS
@given(layers=SIZES, seq=SIZES)
def test_flops_of_the_blocks_are_linear_in_layers(make: Make, layers: int, seq: int) -> None:
    def blocks(n: int) -> int:
        ledger = build_ledger(make(layers=n), Workload(seq_len=seq))
        return sum(term.forward for term in ledger if term.in_block)

    assert blocks(layers) == layers * blocks(1)


@LAWS
@given(heads=st.integers(1, 8), head=SIZES, seq=SIZES)
def test_grouped_heads_with_as_many_keys_as_queries_are_full_heads(make: Make, heads: int, head: int, seq: int) -> None:
    """K = H: q, k, v and o have the same width, so the projections cost 4 · 2 · h · H · d a token and layer."""
    ledger = build_ledger(make(heads=heads, kv_heads=heads, head=head, layers=1), Workload(seq_len=seq))
    projections = sum(term.forward for term in ledger if term.component == "attn_proj")
    assert projections == seq * 4 * 2 * 64 * heads * head


@LAWS
@given(inner=SIZES, seq=SIZES)
def test_one_expert_at_top_1_is_the_dense_mlp_and_its_router(make: Make, inner: int, seq: int) -> None:
    work = Workload(seq_len=seq)
    dense = build_ledger(make(inner=inner), work)
    expert = build_ledger(make(inner=inner, experts=1, top_k=1), work)
    router = sum(term.forward for term in expert if term.component == "router")
    assert router == 3 * seq * 2 * 64
    assert expert.forward == dense.forward + router


@LAWS
@given(seq=SIZES, window=st.one_of(st.none(), SIZES))
def test_causal_is_never_more_than_full(make: Make, seq: int, window: int | None) -> None:
    model = make(window=window)
    causal = build_ledger(model, Workload(seq_len=seq)).model
    assert causal <= build_ledger(model, Workload(seq_len=seq, attention="full")).model


@LAWS
@given(seq=SIZES, experts=st.integers(2, 6), data=st.data())
def test_idle_experts_cost_weights_and_no_flops(make: Make, seq: int, experts: int, data: st.DataObject) -> None:
    top_k = data.draw(st.integers(1, experts))
    model, wider = make(experts=experts, top_k=top_k), make(experts=experts + 1, top_k=top_k)
    extra = count_params(wider).total - count_params(model).total
    assert extra == 3 * (3 * 64 * 96 + 64)
    flop = [build_ledger(m, Workload(seq_len=seq)).forward for m in (model, wider)]
    assert flop[1] - flop[0] == 3 * seq * 2 * 64  # the router alone grew
    assert count_params(wider).active - count_params(model).active == 3 * 64


@LAWS
@given(seq=SIZES)
def test_tying_the_head_changes_parameters_and_no_flops(make: Make, seq: int) -> None:
    tied, untied = make(tied=True), make(tied=False)
    assert build_ledger(tied, Workload(seq_len=seq)).model == build_ledger(untied, Workload(seq_len=seq)).model
    assert count_params(untied).total - count_params(tied).total == 101 * 64
    assert count_params(untied).matmul == count_params(tied).matmul


@LAWS
@given(seq=SIZES, every=st.integers(1, 4))
def test_recompute_moves_hardware_flops_and_never_model_flops(make: Make, seq: int, every: int) -> None:
    model = make(layers=4)
    plain = build_ledger(model, Workload(seq_len=seq))
    blocks = sum(term.forward for term in plain if term.in_block)
    scores = sum(term.forward for term in plain if term.component == "attn_scores")
    expected = {
        Recompute(policy="none"): 0,
        Recompute(policy="selective"): scores,
        Recompute(policy="full"): blocks,
        Recompute(policy="every", every=every): blocks * -(-4 // every) // 4,
    }
    for policy, flop in expected.items():
        ledger = build_ledger(model, Workload(seq_len=seq, recompute=policy))
        assert ledger.model == plain.model
        assert ledger.recompute == flop
        assert ledger.hardware == plain.model + flop


@LAWS
@given(seq=SIZES, batch=SIZES, experts=st.integers(0, 4))
def test_parts_sum_to_the_whole_and_backward_is_twice_forward(make: Make, seq: int, batch: int, experts: int) -> None:
    model = make(experts=experts, top_k=min(experts, 2))
    ledger = build_ledger(model, Workload(seq_len=seq, batch=batch))
    assert sum(term.forward for term in ledger) == ledger.forward
    assert ledger.backward == 2 * ledger.forward
    assert ledger.model == ledger.forward + ledger.backward
    assert sum(term.weights for term in ledger) == count_params(model).total


def test_a_forward_pass_has_no_backward_and_no_recompute(make: Make) -> None:
    ledger = build_ledger(make(), Workload(seq_len=8, mode="forward", recompute=Recompute(policy="full")))
    assert (ledger.backward, ledger.recompute, ledger.hardware) == (0, 0, ledger.forward)


def test_modules_that_a_model_does_not_have_are_not_counted_as_none(make: Make) -> None:
    with pytest.raises(InputError, match="no multi-token-prediction"):
        build_ledger(make(), Workload(seq_len=8, mtp=True))


def test_modules_for_further_tokens_add_flops_and_no_parameters(make: Make) -> None:
    plain = make()
    model = replace(plain, mtp=(plain.layers[0],))
    bare, with_mtp = (build_ledger(model, Workload(seq_len=8, mtp=mtp)) for mtp in (False, True))
    one_layer = sum(term.forward for term in bare if term.in_block) // 3
    assert with_mtp.forward == bare.forward + one_layer
    assert sum(term.weights for term in with_mtp) == sum(term.weights for term in bare)
