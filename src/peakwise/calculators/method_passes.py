"""Training methods by the passes that they run over a token or a sequence, for any source of passes."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from peakwise.counting.methods import (
    Passes,
    RolloutStep,
    count_distillation,
    count_dpo,
    count_grpo,
    count_ppo,
    passes_per_parameter,
)

Method = Literal[
    "forward",
    "full",
    "lora",
    "qlora",
    "adapters-top",
    "top-only",
    "dpo",
    "dpo-cached",
    "dpo-lora",
    "reward",
    "distillation",
    "grpo",
    "ppo",
]
ROLLOUTS: tuple[Method, ...] = ("grpo", "ppo")
# Methods whose work hangs on which layers hold what, so that parameters alone do not give it.
OF_LAYERS: tuple[Method, ...] = ("adapters-top", "top-only")


class Source(Protocol):
    """Where passes come from: 2N and 4N by parameters alone, or a model's ledger. FLOPs of one token.

    `n_params`: weights of the matmuls that one token meets. `knows_recompute`: whether what runs again is known.
    """

    n_params: float
    knows_recompute: bool

    def full(self) -> Passes:
        """Everything trains."""
        ...

    def adapters(self, last: int | None) -> Passes | None:
        """Adapters train, in the last `last` layers or in all; None where it takes shapes that are not known."""
        ...

    def top(self, last: int) -> Passes | None:
        """The last `last` layers train; None where it takes shapes that are not known."""
        ...

    def over(self, tokens: float) -> Passes:
        """Everything trains on one sequence of so many tokens: FLOPs of the sequence."""
        ...


class Rollouts(NamedTuple):
    """One step of reinforcement learning: its prompts and responses, in tokens, and the models beside the policy."""

    prompts: int
    group: int
    prompt_tokens: float
    response_tokens: float
    prefill_shared: bool
    old_logprob: bool
    kl: bool
    updates: int
    n_reward: float | None
    n_critic: float | None


def count_method(method: Method, source: Source, *, last: int = 0, n_teacher: float = 0) -> Passes | None:
    """The passes of a method over one processed token; None where it takes shapes that are not known.

    Of preference tuning and reward models a token is one of either answer.
    **Formula** 2N forward; full 6N; adapters 4N and their own; live reference + 2N; distillation 6N_s + 2N_t.
    """
    match method:
        case "forward":
            return source.full().without_training()
        case "full" | "reward":
            return source.full()
        case "lora" | "qlora":
            return source.adapters(None)
        case "adapters-top":
            return source.adapters(last)
        case "top-only":
            return source.top(last)
        case "dpo":
            return count_dpo(source.full(), source.full())
        case "dpo-cached":
            return count_dpo(source.full(), None)
        case "dpo-lora":
            policy = source.adapters(None)
            return None if policy is None else count_dpo(policy, source.full())
        case "distillation":
            return count_distillation(source.full(), passes_per_parameter(n_teacher, 1, trains=False))
        case "grpo" | "ppo":
            raise AssertionError("a step of rollouts has no work of one token")


def count_step(source: Source, rollouts: Rollouts) -> RolloutStep:
    """The FLOPs of one step of reinforcement learning, by phase. Reward model and critic count by their parameters."""
    length = rollouts.prompt_tokens + rollouts.response_tokens
    whole = source.over(length)
    step = count_grpo(
        source.over(rollouts.prompt_tokens),
        whole,
        prompts=rollouts.prompts,
        group=rollouts.group,
        updates=rollouts.updates,
        prefill_shared=rollouts.prefill_shared,
        old_logprob=rollouts.old_logprob,
        reference=whole if rollouts.kl else None,
    )
    if rollouts.n_reward is None and rollouts.n_critic is None:
        return step
    return count_ppo(
        step,
        n_responses=rollouts.prompts * rollouts.group,
        updates=rollouts.updates,
        reward=passes_per_parameter(rollouts.n_reward or 0, length, trains=False),
        critic=passes_per_parameter(rollouts.n_critic or 0, length),
    )


class ByParameters:
    """Passes by parameters alone: 2N forward, 4N more to train all, 2N to train adapters; attention left out."""

    def __init__(self, n_params: float, *, again: bool | None) -> None:
        """`again`: whether every block runs forward twice; None where what runs again is not known."""
        self.n_params = n_params
        self.knows_recompute = again is not None
        self._again = bool(again)

    def full(self) -> Passes:
        """6N, and 2N again."""
        return self._with(passes_per_parameter(self.n_params, 1))

    def adapters(self, last: int | None) -> Passes | None:
        """4N, and 2N again: a frozen weight has no gradient of its own. In some layers only: not known."""
        if last is not None:
            return None
        forward = passes_per_parameter(self.n_params, 1).forward
        return self._with(Passes(forward=forward, backward=forward))

    def top(self, last: int) -> Passes | None:
        """Not known without shapes."""
        del last
        return None

    def over(self, tokens: float) -> Passes:
        """6N a token."""
        return passes_per_parameter(self.n_params, tokens)

    def _with(self, passes: Passes) -> Passes:
        return Passes(forward=passes.forward, backward=passes.backward, recompute=passes.forward if self._again else 0)
