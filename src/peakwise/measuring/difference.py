"""What one counting rule counts otherwise than `exact`, in FLOPs per token by cause."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from peakwise.core.count import Count, Rule
from peakwise.core.workload import Recompute
from peakwise.measuring.work import recount, rule_flop_per_token

# Counts are whole numbers of weights, so causes explain a difference to the last weight: what is left is float
# rounding (10⁻⁹), or a rule's own small change (10⁻⁶; one adds 4·h), which then stands as `other`.
ROUNDING = 1e-9
NEARLY = 1e-6
# Rules with whole or half squares: how much more they count of attention than the visible pairs.
HALF = (1.9, 2.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """FLOPs per token that our count has more (or, negative, fewer) than the rule's, and why.

    `key`: attention, recompute, embedding, experts, norms, router, head or other. `detail` says how much of what.
    """

    key: str
    label: str
    flop_per_token: float
    detail: str


def explain_difference(count: Count, rule: Rule) -> tuple[Cause, ...]:
    """Causes whose FLOPs per token sum to `exact` − rule, the largest first.

    **Formula** the rule's part that grows with the length is its attention; the rest of it is compared with the
    weights of the ledger: the fewest of embedding, norms, idle experts, router, head and recomputed blocks that
    explain it exactly; what they do not explain stands as `other`.
    """
    assert rule.flop_per_token is not None  # only rules that apply are explained
    exact, tokens = count.ledger, count.workload.tokens
    base = _base(count, rule.id)
    attention = rule.flop_per_token - base
    ours = sum(term.forward + term.backward_input for term in exact if term.component == "attn_scores") / tokens
    rest = base - (exact.model / tokens - ours)
    causes = _explain_rest(_candidates(count, rule.kind), rest, exact.model / tokens)
    if any(cause.key == "recompute" for cause in causes):  # the attention of the blocks ran once more too
        again = attention / 4
        causes = [_with_more(cause, -again) if cause.key == "recompute" else cause for cause in causes]
        attention -= again
    causes.append(_attention(ours, attention))
    return tuple(sorted((cause for cause in causes if cause.flop_per_token), key=lambda it: -abs(it.flop_per_token)))


def _base(count: Count, rule_id: str) -> float:
    """The rule's FLOPs per token without attention: lengths 1 and 2 carried on to 0."""
    one = rule_flop_per_token(recount(count, seq_len=1), rule_id)
    two = rule_flop_per_token(recount(count, seq_len=2), rule_id)
    assert one is not None  # whether a rule applies does not depend on the length
    assert two is not None
    return 2 * one - two


def _attention(ours: float, theirs: float) -> Cause:
    if not theirs:
        label, detail = "attention left out", "the rule counts weights alone"
    elif HALF[0] <= theirs / (ours or 1.0) <= HALF[1]:
        label, detail = "masked half of attention", "pairs that no query may see"
    elif theirs > ours:
        label, detail = "masked pairs of attention", "pairs that no query may see"
    else:
        label, detail = "attention pairs left out", "pairs that the rule does not count"
    return Cause(key="attention", label=label, flop_per_token=ours - theirs, detail=detail)


def _candidates(count: Count, kind: str) -> list[Cause]:
    """What a rule may count besides or leave out, as our count minus the rule's. 6: forward and two gradients."""
    ledger, tokens = count.ledger, count.workload.tokens
    plain = sum(term.layers * term.plain_weights for term in ledger if term.component != "embedding")
    idle = sum(term.layers * term.idle_weights for term in ledger)
    found = [
        Cause(key="norms", label="norm weights", flop_per_token=-6.0 * plain, detail=f"{plain:,} weights"),
        Cause(key="experts", label="idle experts", flop_per_token=-6.0 * idle, detail=f"{idle:,} weights"),
    ]
    for term in ledger:
        if term.component == "embedding":
            weights = term.weights
            found.append(
                Cause(
                    key="embedding",
                    label=f"{term.name} lookup",
                    flop_per_token=-6.0 * weights,
                    detail=f"{weights:,} weights",
                )
            )
    for key, component, label in (("router", "router", "router"), ("head", "lm_head", "head")):
        flop = sum(t.forward + t.backward_input + t.backward_weight for t in ledger if t.component == component)
        found.append(Cause(key=key, label=label, flop_per_token=flop / tokens, detail="left out by the rule"))
        if key == "head":
            words = "the rule counts its forward alone"
            found.append(Cause(key=key, label="head's gradients", flop_per_token=flop / tokens * 2 / 3, detail=words))
    if kind == "hardware":
        full = recount(count, recompute=Recompute(policy="full")).ledger
        again = sum(term.recompute for term in full if term.component != "attn_scores") / tokens
        found.append(Cause(key="recompute", label="recompute", flop_per_token=-again, detail="blocks run twice"))
    return [cause for cause in found if cause.flop_per_token]


def _explain_rest(candidates: list[Cause], rest: float, whole: float) -> list[Cause]:
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            left = rest + sum(cause.flop_per_token for cause in chosen)
            if abs(left) <= ROUNDING * whole:
                return list(chosen)
            if abs(left) <= NEARLY * whole:
                return [*chosen, _other(left)]
    return [_other(rest)]


def _other(rest: float) -> Cause:
    return Cause(key="other", label="other weights", flop_per_token=-rest, detail="weights the rule counts otherwise")


def _with_more(cause: Cause, flop_per_token: float) -> Cause:
    return Cause(
        key=cause.key,
        label=cause.label,
        flop_per_token=cause.flop_per_token + flop_per_token,
        detail=cause.detail,
    )
