"""Training methods as sums of passes: preference tuning, reward models, distillation, and steps of RL."""

from __future__ import annotations

from dataclasses import dataclass, fields

from peakwise.core.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """FLOPs of running a model over some tokens: the forward, what training adds for gradients, and what runs again.

    Any rule serves: the passes of a ledger, or 2 and 4 FLOPs for each parameter and token.
    """

    forward: float
    backward: float = 0
    recompute: float = 0

    @property
    def model(self) -> float:
        """Model FLOPs: forward + backward."""
        return self.forward + self.backward

    @property
    def hardware(self) -> float:
        """Hardware FLOPs: model + recompute."""
        return self.model + self.recompute

    def __add__(self, other: Passes) -> Passes:
        return Passes(
            forward=self.forward + other.forward,
            backward=self.backward + other.backward,
            recompute=self.recompute + other.recompute,
        )

    def times(self, n: float) -> Passes:
        """The same passes `n` times."""
        return Passes(forward=n * self.forward, backward=n * self.backward, recompute=n * self.recompute)

    def without_training(self) -> Passes:
        """The forward alone."""
        return Passes(forward=self.forward)


def passes_of(ledger: Ledger) -> Passes:
    """The passes of one workload."""
    return Passes(forward=ledger.forward, backward=ledger.backward, recompute=ledger.recompute)


def passes_per_parameter(n_params: float, tokens: float, *, trains: bool = True) -> Passes:
    """2 FLOPs for each parameter and token forward, 4 for the gradients; attention is left out."""
    forward = 2 * n_params * tokens
    return Passes(forward=forward, backward=2 * forward if trains else 0)


def count_dpo(policy: Passes, reference: Passes | None) -> Passes:
    """Preference tuning: the policy trains on chosen and rejected answers, a frozen reference runs over the same.

    `policy` and `reference` are over both answers. With adapters the reference is the model without them. A cached
    reference (None) costs nothing in a step.
    **Formula** 6N + 2N a token; 6N with a cached reference; adapters 4N + 2N.
    """
    return policy if reference is None else policy + reference.without_training()


def count_reward_model(chosen: Passes, rejected: Passes) -> Passes:
    """A reward model trains on both answers. **Formula** 6N a token of both."""
    return chosen + rejected


def count_distillation(student: Passes, teacher: Passes) -> Passes:
    """The student trains, the teacher runs forward over the same tokens. **Formula** 6N_s + 2N_t a token."""
    return student + teacher.without_training()


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutStep:
    """FLOPs of one step of RL by phase; `train` holds the policy's and the critic's updates."""

    decode: float
    prefill: float
    old: float
    reference: float
    reward: float
    value: float
    train: float

    @property
    def model(self) -> float:
        """All phases together."""
        return sum(self.phases.values())

    @property
    def phases(self) -> dict[str, float]:
        """FLOPs by phase, in the order they run."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def count_grpo(
    prompt: Passes,
    whole: Passes,
    *,
    prompts: int,
    group: int,
    updates: int = 1,
    prefill_shared: bool = True,
    old_logprob: bool = True,
    reference: Passes | None = None,
) -> RolloutStep:
    """FLOPs of one step of group-relative policy optimization.

    `prompt`: the policy over one prompt; `whole`: over a prompt and its response, training included; `reference`: the
    reference model over the same, None without a KL term.
    **Formula** decode = whole − prompt, forward, for each response: a generated token sees the same keys as in one
    forward pass over the sequence. Prefill once a prompt, or once a response. Old log-probabilities and reference: a
    forward each over prompt and response. `updates` training passes.
    **Counts / leaves out** the head at every position, also in decoding and prefill; sampling is out.
    """
    n_responses = prompts * group
    return RolloutStep(
        decode=n_responses * (whole.forward - prompt.forward),
        prefill=(prompts if prefill_shared else n_responses) * prompt.forward,
        old=n_responses * whole.forward if old_logprob else 0,
        reference=n_responses * reference.forward if reference else 0,
        reward=0,
        value=0,
        train=updates * n_responses * whole.model,
    )


def count_ppo(
    rollout: RolloutStep, *, n_responses: int, updates: int = 1, reward: Passes | None, critic: Passes | None
) -> RolloutStep:
    """FLOPs of one step of proximal policy optimization: what `count_grpo` gives, a reward model and a critic.

    `reward` and `critic` are over one prompt and its response.
    **Formula** 2N_r for the reward, 2N_c for the values, 6N_c for each update of the critic, a token.
    """
    return RolloutStep(
        decode=rollout.decode,
        prefill=rollout.prefill,
        old=rollout.old,
        reference=rollout.reference,
        reward=n_responses * reward.forward if reward else 0,
        value=n_responses * critic.forward if critic else 0,
        train=rollout.train + (updates * n_responses * critic.model if critic else 0),
    )
