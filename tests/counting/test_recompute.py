"""What runs again in the backward pass, and what a recomputation that stops early leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.errors import InputError
from peakwise.core.flow import Flow
from peakwise.core.ledger import Ledger
from peakwise.core.model import Model
from peakwise.core.training import parse_train
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.total import build_ledger
from peakwise.verbs.count import count

Make = Callable[..., Model]
SEQ = st.integers(1, 30)
POLICIES = st.sampled_from(["none", "selective", "full", "every"])
TRAIN = st.sampled_from(["full", "frozen:embed", "last:2", "lora:r=2,targets=all", "lora:r=3,targets=qv,last=1"])
LAWS = settings(max_examples=40)


def ledger_of(model: Model, train: str = "full", seq: int = 8, **recompute: object) -> Ledger:
    said = Recompute(**recompute)  # pyright: ignore[reportArgumentType]
    return build_ledger(model, Workload(seq_len=seq, train=parse_train(train), recompute=said))


@pytest.mark.parametrize(
    ("seq", "early_stop", "ratio"), [(2048, False, 1.311), (8192, False, 1.313), (2048, True, 1.230)]
)
def test_hardware_over_model_flops_of_llama_8b(seq: int, early_stop: bool, ratio: float) -> None:
    """The published ratios of full recompute, the head outside the blocks (calculators, C4)."""
    ledger = count("llama-3.1-8b", seq=seq, recompute="full", early_stop=early_stop).ledger
    assert round(ledger.hardware / ledger.model, 3) == ratio


def test_without_attention_full_recompute_is_the_share_of_the_blocks() -> None:
    """1.310: attention is left out of numerator and denominator."""
    terms = [term for term in count("llama-3.1-8b", seq=2048, recompute="full").ledger if term.is_matmul]
    model = sum(term.forward + term.backward_input + term.backward_weight for term in terms)
    assert round(1 + sum(term.recompute for term in terms) / model, 3) == 1.310


@LAWS
@given(seq=SEQ, train=TRAIN, policy=POLICIES, flags=st.tuples(st.booleans(), st.booleans()))
def test_model_flops_never_move(make: Make, seq: int, train: str, policy: str, flags: tuple[bool, bool]) -> None:
    model = make()
    plain = ledger_of(model, train, seq)
    ledger = ledger_of(model, train, seq, policy=policy, early_stop=flags[0], flash_backward=flags[1])
    assert (ledger.model, ledger.forward, ledger.backward) == (plain.model, plain.forward, plain.backward)
    assert ledger.hardware == plain.model + ledger.recompute >= plain.hardware


@LAWS
@given(seq=SEQ, inner=st.integers(1, 90))
def test_stopping_early_leaves_out_the_down_projection(make: Make, seq: int, inner: int) -> None:
    model = make(inner=inner, layers=3)
    whole, early = (ledger_of(model, seq=seq, policy="full", early_stop=stop).recompute for stop in (False, True))
    assert whole - early == 3 * seq * 2 * inner * 64


def test_with_an_adapter_on_the_last_linear_only_its_second_matrix_is_left_out(make: Make) -> None:
    whole, early = (
        ledger_of(make(layers=3), "lora:r=5,targets=all", policy="full", early_stop=stop).recompute
        for stop in (False, True)
    )
    assert whole - early == 3 * 8 * 2 * 5 * 64


def test_a_block_that_keeps_something_at_its_end_redoes_all(make: Make) -> None:
    """Routing weights multiply after the last matmul of a block of experts; a norm may follow an MLP."""
    for model in (make(experts=4, top_k=2), replace(make(), flow=Flow(closing=()))):
        whole, early = (ledger_of(model, policy="full", early_stop=stop) for stop in (False, True))
        assert whole.recompute == early.recompute


def test_a_selective_recompute_that_stops_early_redoes_the_first_product_alone(make: Make) -> None:
    whole, early = (ledger_of(make(), policy="selective", early_stop=stop).recompute for stop in (False, True))
    assert 2 * early == whole > 0


@LAWS
@given(seq=SEQ, policy=POLICIES)
def test_the_flash_kernel_adds_half_an_attention_forward(make: Make, seq: int, policy: str) -> None:
    model = make()
    plain, flash = (ledger_of(model, seq=seq, policy=policy, flash_backward=on) for on in (False, True))
    scores = sum(term.forward for term in plain if term.component == "attn_scores")
    assert 2 * (flash.recompute - plain.recompute) == scores


def test_layers_that_the_backward_pass_does_not_reach_are_not_redone(make: Make) -> None:
    model = make(layers=4)
    one, four = (ledger_of(model, f"last:{n}", policy="full", flash_backward=True).recompute for n in (1, 4))
    assert four == 4 * one > 0
    every = ledger_of(model, "last:2", policy="every", every=2).recompute
    assert 2 * every == ledger_of(model, "last:2", policy="full").recompute


def test_a_forward_pass_redoes_nothing() -> None:
    work = count("llama-3.1-8b", seq=64, mode="forward", recompute="full", flash_backward=True)
    assert work.ledger.recompute == 0


def test_stopping_early_without_a_recompute_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is recomputed") as caught:
        count("llama-3.1-8b", seq=64, early_stop=True)
    assert caught.value.where == "--early-stop"


def test_the_answer_says_what_was_declared() -> None:
    work = count("llama-3.1-8b", seq=64, recompute="every:4", early_stop=True, flash_backward=True).to_dict()
    said = {key: work["workload"][key] for key in ("recompute", "early_stop", "flash_backward")}
    assert said == {"recompute": "every:4", "early_stop": True, "flash_backward": True}
    assert work["flop"]["hardware"] == work["flop"]["model"] + work["flop"]["recompute"]


def test_a_feed_forward_beside_the_only_adapters_keeps_nothing_in_the_first_layer(make: Make) -> None:
    """There a recomputation stops early in attention: before the second matrix of the adapter on o, or before o."""
    model = replace(make(layers=2), flow=Flow(parallel=True))
    feed, output = 8 * 2 * 3 * 64 * 96, 8 * 2 * 96 * 64
    for targets, last in (("qv", output), ("qkvo", 8 * 2 * 3 * 64)):
        whole, early = (
            ledger_of(model, f"lora:r=3,targets={targets}", policy="full", early_stop=stop).recompute
            for stop in (False, True)
        )
        assert whole - early == (feed + last) + feed // 3  # the second layer: its down projection
