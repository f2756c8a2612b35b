"""What of a model decoding and prefill need: weights that a step reads, FLOPs of a token, bytes of the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from peakwise.core.errors import ConfigError
from peakwise.core.model import Layer, Matmul, Model, Op, Scores
from peakwise.core.scan import Scan
from peakwise.counting.scan import recurrent_flop
from peakwise.predicting.decode import FLOP_PER_WEIGHT, expected_experts


class Experts(NamedTuple):
    """Routed experts of one layer: how many there are, how many a token meets, the weights of one."""

    n: int
    top_k: int
    weights: int


class Weights(NamedTuple):
    """Weights that matmuls read: those that every step reads, the head, and the routed experts layer by layer.

    **Counts / leaves out** lookups, norms and biases are out.
    """

    body: int
    head: int
    experts: tuple[Experts, ...]

    @property
    def active(self) -> int:
        """Weights of the blocks that one token meets, head out."""
        return self.body + sum(layer.top_k * layer.weights for layer in self.experts)


class Width(NamedTuple):
    """Bytes of one weight: of what every step reads, of routed experts, of the head."""

    body: float
    experts: float
    head: float


class Cache(NamedTuple):
    """What one layer keeps of a sequence: numbers for each token within `reach` (None: of all), and a constant state.

    Every new token writes its numbers; a state is read and written each step.
    """

    per_token: int
    reach: int | None
    state: int


def split_weights(model: Model) -> Weights:
    """The weights that a step of decoding reads."""
    body, experts = 0, list[Experts]()
    for layer in model.layers:
        routed: dict[tuple[int, int], int] = {}
        for op in layer.ops:
            if isinstance(op, Matmul) and op.stored > 1:
                routed[op.stored, op.used] = routed.get((op.stored, op.used), 0) + op.matrix_weights
            elif isinstance(op, Matmul | Scan):
                body += op.matrix_weights
        experts += [Experts(n, top_k, weights) for (n, top_k), weights in routed.items()]
    outside = [op for op in model.outside if isinstance(op, Matmul)]
    head = sum(op.matrix_weights for op in outside if op.component == "lm_head")
    body += sum(op.matrix_weights for op in outside if op.component != "lm_head")
    return Weights(body=body, head=head, experts=tuple(experts))


def weight_bytes(weights: Weights, width: Width, tokens: float) -> float:
    """Bytes of weights that one step of `tokens` tokens reads, experts as expected of even routing.

    **Formula** body·b + Σ layers E·(1 − (1 − k/E)^B)·expert·b + head·b.
    """
    routed = sum(layer.weights * expected_experts(layer.n, layer.top_k, tokens) for layer in weights.experts)
    return weights.body * width.body + routed * width.experts + weights.head * width.head


def _caches(layer: Layer) -> Iterator[Cache]:
    for op in layer.ops:
        if isinstance(op, Scores):
            reach = op.mask.window if op.mask.window is not None else op.mask.chunk
            yield Cache(per_token=_keys_and_values(layer), reach=reach, state=0)
        elif isinstance(op, Scan):
            kept = op.n_heads * (op.kernel - 1) if op.kind == "conv" else op.state
            yield Cache(per_token=0, reach=None, state=kept)


def _keys_and_values(layer: Layer) -> int:
    """Numbers that a layer keeps for a token: keys and values, or the one latent vector of latent attention."""
    widths = {op.name: op.d_out for op in layer.ops if isinstance(op, Matmul)}
    if "kv_a" in widths:
        return widths["kv_a"]
    if "k" in widths and "v" in widths:
        return widths["k"] + widths["v"]
    raise ConfigError(
        "a layer's keys and values are not known",
        where="KV cache",
        got=", ".join(sorted(widths)),
        expected="projections of keys and values",
    )


def list_caches(model: Model) -> tuple[Cache, ...]:
    """What every layer keeps of a sequence. **Raises** ConfigError where a layer's keys and values are not known."""
    return tuple(cache for layer in model.layers for cache in _caches(layer))


def kv_bytes_per_token(model: Model, width: float) -> float:
    """Bytes that one more token adds to the cache of a long sequence: windowed layers add none.

    **Formula** Σ layers that see all 2·G·h·b; latent attention (rank + rotary)·b.
    """
    return sum(cache.per_token for cache in list_caches(model) if cache.reach is None) * width


def cache_bytes(model: Model, context: int, width: float) -> float:
    """Bytes of the cache of one sequence of `context` tokens, states of recurrences in.

    **Formula** Σ layers numbers·min(context, window)·b + state·b.
    """
    total = 0
    for cache in list_caches(model):
        tokens = context if cache.reach is None else min(context, cache.reach)
        total += cache.per_token * tokens + cache.state
    return total * width


def written_bytes(model: Model, width: float) -> float:
    """Bytes that one new token writes: its keys and values in every layer, and the states of recurrences."""
    return sum(cache.per_token + cache.state for cache in list_caches(model)) * width


def decode_flop(model: Model, context: int, *, absorbed: bool = False) -> int:
    """Model FLOPs of one new token that sees `context` keys, head in.

    **Formula** 2·weights a token meets + Σ layers 2·H·(d_qk + d_v)·min(context, window). `absorbed`: what a kernel
    runs on the latent cache of latent attention, 2·H·(2·rank + rotary) a key: hardware FLOPs, never those of MFU.
    """
    weights = split_weights(model)
    flop = FLOP_PER_WEIGHT * (weights.active + weights.head)
    for layer in model.layers:
        for op in layer.ops:
            if isinstance(op, Scores):
                flop += _flop_per_key(op, layer, absorbed=absorbed) * _seen(op, context)
            elif isinstance(op, Scan) and op.kind != "conv":
                flop += recurrent_flop(op)
    return flop


def prefill_flop(model: Model, computed: int, past: int = 0, *, full: bool = False) -> int:
    """Model FLOPs to take in `computed` tokens after `past` cached ones, logits of the last token alone.

    **Formula** 2·P·S + Σ layers 2·H·(d_qk + d_v)·pairs + 2·head; pairs Σ min(past + i, window), and with `full`
    S·min(past + S, window), every query seeing every key.
    """
    weights = split_weights(model)
    flop = FLOP_PER_WEIGHT * (weights.active * computed + weights.head)
    for layer in model.layers:
        for op in layer.ops:
            if isinstance(op, Scores):
                flop += _flop_per_key(op, layer, absorbed=False) * _pairs(op, computed, past, full=full)
            elif isinstance(op, Scan) and op.kind != "conv":
                flop += recurrent_flop(op) * computed
    return flop


def _flop_per_key(op: Scores, layer: Layer, *, absorbed: bool) -> int:
    latent = {other.name: other for other in layer.ops if isinstance(other, Matmul)}
    if absorbed and "kv_a" in latent and "kv_b" in latent:
        return FLOP_PER_WEIGHT * op.n_heads * (latent["kv_a"].d_out + latent["kv_b"].d_in)
    return FLOP_PER_WEIGHT * op.n_heads * (op.d_qk + op.d_v)


def _reach(op: Op) -> int | None:
    if not isinstance(op, Scores):
        return None
    return op.mask.window if op.mask.window is not None else op.mask.chunk


def _seen(op: Scores, context: int) -> int:
    reach = _reach(op)
    return context if reach is None else min(context, reach)


def _pairs(op: Scores, computed: int, past: int, *, full: bool) -> int:
    """Pairs of a query and a key that it sees."""
    if full:
        return computed * _seen(op, past + computed)
    reach = _reach(op)
    rising = computed if reach is None else max(0, min(computed, reach - past))  # queries that see all before them
    pairs = rising * past + rising * (rising + 1) // 2
    return pairs if reach is None else pairs + (computed - rising) * reach
