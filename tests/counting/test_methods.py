"""Training methods are sums of passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.model import Model
from peakwise.core.training import FULL, Train
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.methods import (
    Passes,
    count_distillation,
    count_dpo,
    count_grpo,
    count_ppo,
    count_reward_model,
    passes_of,
    passes_per_parameter,
)
from peakwise.counting.total import build_ledger

N = 8.03e9  # Llama-3.1-8B by the rule of six


def test_dpo_with_a_live_reference_is_eight_per_parameter() -> None:
    policy = passes_per_parameter(N, 1)
    assert count_dpo(policy, passes_per_parameter(N, 1)).model == pytest.approx(64.24e9)
    assert count_dpo(policy, None).model == pytest.approx(48.18e9)


def test_dpo_on_both_answers_is_eight_thirds_of_tuning_on_one() -> None:
    tuned = passes_per_parameter(N, 512)
    both = passes_per_parameter(N, 1024)
    assert count_dpo(both, both).model / tuned.model == pytest.approx(8 / 3)
    assert count_dpo(both, None).model / tuned.model == pytest.approx(2)
    assert count_reward_model(tuned, tuned) == both


def test_distillation_is_six_of_the_student_and_two_of_the_teacher() -> None:
    work = count_distillation(passes_per_parameter(N, 1), passes_per_parameter(70.55e9, 1))
    assert work.model == pytest.approx(189.28e9)


def test_grpo_of_64_prompts_by_8_has_the_published_figures() -> None:
    """8.03 ×10⁹ parameters, 256 + 1,024 tokens, everything on, one update (calculators, C7)."""
    prompt, whole = passes_per_parameter(N, 256), passes_per_parameter(N, 1280)
    step = count_grpo(prompt, whole, prompts=64, group=8, reference=whole)
    assert step.model == pytest.approx(6.130860032e16)
    shares = {name: round(flop / step.model, 3) for name, flop in step.phases.items()}
    assert shares == {
        "decode": 0.137,
        "prefill": 0.004,
        "old": 0.172,
        "reference": 0.172,
        "reward": 0,
        "value": 0,
        "train": 0.515,
    }
    bare = count_grpo(prompt, whole, prompts=64, group=8, old_logprob=False)
    assert bare.model == pytest.approx(4.025843712e16)


def test_ppo_adds_a_reward_model_and_a_critic() -> None:
    prompt, whole = passes_per_parameter(N, 256), passes_per_parameter(N, 1280)
    rollout = count_grpo(prompt, whole, prompts=64, group=1, updates=2, reference=whole)
    step = count_ppo(rollout, n_responses=64, updates=2, reward=whole, critic=whole)
    assert step.model - rollout.model == pytest.approx(64 * 1280 * (2 + 2 + 2 * 6) * N)
    assert count_ppo(rollout, n_responses=64, reward=None, critic=None) == rollout


@given(prompt=st.integers(1, 40), response=st.integers(1, 40))
def test_decoding_sees_the_keys_that_one_pass_over_the_sequence_sees(
    make: Callable[..., Model], prompt: int, response: int
) -> None:
    """Token by token: at position t there are t + 1 keys, the prompt's and the token's own in."""
    model = make()
    works = [passes_of(build_ledger(model, Workload(seq_len=n))) for n in (prompt, prompt + response)]
    step = count_grpo(*works, prompts=1, group=1)
    one = passes_of(build_ledger(model, Workload(seq_len=1))).forward
    of_a_pair = 3 * 2 * 4 * 48  # layers, FLOPs of a multiply-add, heads, widths of query and value together
    assert step.decode == sum(one + position * of_a_pair for position in range(prompt, prompt + response))


def test_adapters_without_their_matrices_are_the_reference_of_dpo(make: Callable[..., Model]) -> None:
    """4N + 2N: the frozen model needs no gradient of its weights, and runs once more without adapters."""
    work = Workload(seq_len=32, train=Train(kind="lora", rank=1), recompute=Recompute(policy="full"))
    policy = passes_of(build_ledger(make(), work))
    base = passes_of(build_ledger(make(), Workload(seq_len=32, train=FULL)))
    both = count_dpo(policy, base)
    assert both.model == policy.model + base.forward
    assert both.hardware == policy.hardware + base.forward
    assert both.model < 3.1 * base.forward


def test_passes_add_and_multiply() -> None:
    one = Passes(forward=1, backward=2, recompute=1)
    assert one.times(3) == one + one + one
    assert one.hardware == 4
    assert passes_per_parameter(2, 3, trains=False).model == 12
