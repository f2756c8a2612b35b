"""Attention's share of a model's FLOPs against the length, and the length at which it is a tenth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from peakwise.calculators.token_work import Counting, TokenWork
from peakwise.core.model import Layer, Model, Scores
from peakwise.counting.attention import FLOP_PER_MULTIPLY_ADD, count_pairs
from peakwise.counting.pair_rule import PairRule, twice_the_pairs

TENTH = 0.1  # the product's figure: where attention can no longer be left out


class _Line(NamedTuple):
    """FLOPs of one token that grow with the length S: slope·S + start."""

    slope: float = 0
    start: float = 0


def find_length(model: Model, work: TokenWork, counting: Counting) -> float | None:
    """The length of one sequence at which attention is a tenth of the FLOPs, tokens; None where there is none.

    `work`: of any length; all of it but attention counts.
    **Formula** a·S + b = (rest + (a + a')·S + b + b')/10: attention in the layers (a, b) and the MTP modules (a', b').
    A query sees (S + 1)/2 keys exactly, S/2 by half, S where it sees later ones.
    **Counts / leaves out** a layer with a window or chunks has no such line: its keys stop growing, so there is none.
    """
    cores, more = list(_cores(model.layers)), list(_cores(model.mtp if counting.mtp else ()))
    bounded = any(core.mask.window is not None or core.mask.chunk is not None for core in (*cores, *more))
    if counting.pairs == "none" or not cores or (bounded and counting.pairs != "full"):
        return None
    rest = _rest(work)
    layers, modules = _sum(cores, counting.pairs), _sum(more, counting.pairs)
    rise = layers.slope - TENTH * (layers.slope + modules.slope)
    if rise <= 0:
        return None
    length = (TENTH * (rest + layers.start + modules.start) - layers.start) / rise
    return length if length >= 1 else None


def _cores(layers: Iterable[Layer]) -> Iterator[Scores]:
    for layer in layers:
        for op in layer.ops:
            if isinstance(op, Scores) and op.queries == op.keys == "token":
                yield op


def _sum(cores: list[Scores], rule: PairRule) -> _Line:
    slope = start = 0.0
    for core in cores:
        flop = _flop_of_a_key(core)
        if rule in ("full", "noncausal") or not core.mask.causal:
            slope += flop
        else:
            slope += flop / 2
            start += flop / 2 if rule == "exact" else 0
    return _Line(slope, start)


def _rest(work: TokenWork) -> float:
    """FLOPs forward of one token without attention."""
    return work.each(sum(term.forward for term in work.ledger if term.component != "attn_scores"))


def _flop_of_a_key(core: Scores) -> int:
    return FLOP_PER_MULTIPLY_ADD * core.n_heads * (core.d_qk + core.d_v)


def share_by_length(model: Model, work: TokenWork, counting: Counting, lengths: Iterable[int]) -> tuple[float, ...]:
    """Attention's share of the FLOPs of one sequence of each length, fractions; of the layers, as the result says it.

    `work`: of any length; all of it but attention counts.
    """
    rest = _rest(work)
    layers = Counter(_cores(model.layers))
    modules = Counter(_cores(model.mtp if counting.mtp else ()))
    shares: list[float] = []
    for length in lengths:
        attention = _sum_keys(layers, counting.pairs, length)
        shares.append(attention / (rest + attention + _sum_keys(modules, counting.pairs, length)))
    return tuple(shares)


def _sum_keys(cores: Counter[Scores], rule: PairRule, length: int) -> float:
    return sum(times * _flop_of_a_key(core) * _keys(core, rule, length) for core, times in cores.items())


def _keys(core: Scores, rule: PairRule, length: int) -> float:
    """Keys that a query sees, mean over the sequence."""
    if rule in ("half", "noncausal") and core.mask.causal:
        return twice_the_pairs(length, core.mask, half=rule == "half") / 2 / length
    return count_pairs(length, core.mask, "full" if rule == "full" else "causal") / length
