"""The arithmetic of decoding: bytes that a step moves, and the rates that bandwidth and peak allow.

All arguments are plain numbers in base units, of all devices together unless they say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

# A multiply and an add for each weight that a token meets.
FLOP_PER_WEIGHT = 2

# A target counts as reached when the rate is this close: 12 digits, below which doubles of one formula differ.
_REACHED = 1e-12
_MOST_STREAMS = 2**62


def expected_experts(n_experts: int, top_k: int, tokens: float) -> float:
    """Distinct experts of one layer that a step reads, expected, where each token picks `top_k` of them evenly.

    **Formula** E·(1 − (1 − k/E)^B). Uneven routing reads fewer, so this is an upper estimate; k is the lower one.

    **Example**
    >>> expected_experts(8, 2, 2)
    3.5
    """
    return n_experts * -math.expm1(tokens * math.log1p(-top_k / n_experts)) if top_k < n_experts else float(n_experts)


def read_bytes(dense: float, experts: float, n_experts: int, top_k: int, tokens: float) -> float:
    """Bytes of weights that one step of `tokens` tokens reads.

    **Formula** dense + experts·(1 − (1 − k/E)^B), `experts` being the bytes of all routed experts.
    """
    if not experts:
        return dense
    return dense + experts * expected_experts(n_experts, top_k, tokens) / n_experts


def read_bytes_at_most(total: float, active: float, tokens: float) -> float:
    """Bytes of weights that a step reads at most, where only the bytes of all and of one token's weights are known.

    **Formula** min(total, active·B): every token meets other experts until all are read.
    """
    return min(total, active * tokens)


def ridge_intensity(peak: float, bandwidth: float) -> float:
    """FLOP per byte at which compute takes over from memory. **Formula** peak ÷ bandwidth."""
    return peak / bandwidth


def ridge_batch(
    weight_bytes: float, kv_bytes: float, flop_per_token: float, peak: float, bandwidth: float
) -> float | None:
    """Sequences from which a dense model is bound by compute; None where the KV cache keeps it bound by memory.

    **Formula** B·F/peak = (W + B·K)/bandwidth, so B = W·peak ÷ (bandwidth·F − K·peak).

    **Example** 8×10⁹ parameters of 2 bytes at 989 TFLOP/s and 3.35 TB/s
    >>> round(ridge_batch(16e9, 0, 16e9, 989e12, 3.35e12), 1)
    295.2
    """
    left = bandwidth * flop_per_token - kv_bytes * peak
    return weight_bytes * peak / left if left > 0 else None


def memory_rate(batch: float, weight_bytes: float, kv_bytes: float, bandwidth: float) -> float:
    """Tokens per second that the memory allows. **Formula** B·bandwidth ÷ (W(B) + B·K)."""
    return batch * bandwidth / (weight_bytes + batch * kv_bytes)


def compute_rate(flop_per_token: float, peak: float) -> float:
    """Tokens per second that the arithmetic allows. **Formula** peak ÷ F."""
    return peak / flop_per_token


def bandwidth_share(rate: float, batch: float, weight_bytes: float, kv_bytes: float, bandwidth: float) -> float:
    """Memory bandwidth utilization at a rate, fraction. **Formula** rate/B·(W(B) + B·K) ÷ bandwidth.

    **Counts / leaves out** weights and KV cache that must move; activations and what is written are out.
    """
    return rate / batch * (weight_bytes + batch * kv_bytes) / bandwidth


def batch_that_fits(memory: float, weight_bytes: float, kv_bytes: float) -> int:
    """Most sequences whose KV cache fits beside the weights. **Formula** ⌊(memory − W) ÷ K⌋, at least 0."""
    return max(0, math.floor((memory - weight_bytes) / kv_bytes))


def streams_for(target: float, rate: Callable[[int], float]) -> int | None:
    """The least batch whose rate reaches a target; None where none does. `rate` must not fall as the batch grows."""
    wanted = target * (1 - _REACHED)
    if target <= 0:
        return 0
    high = 1
    while rate(high) < wanted:
        high *= 2
        if high > _MOST_STREAMS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rate(middle) >= wanted else (middle, high)
    return high


def step_time(moved_bytes: float, flop: float, bandwidth: float, peak: float) -> float:
    """Seconds that one step takes at least. **Formula** max(bytes ÷ bandwidth, FLOP ÷ peak)."""
    return max(moved_bytes / bandwidth, flop / peak)


def step_time_apart(weight_bytes: float, kv_bytes: float, matmul_flop: float, bandwidth: float, peak: float) -> float:
    """Seconds of a step whose attention does not overlap with its matmuls.

    **Formula** KV ÷ bandwidth + max(W ÷ bandwidth, matmul FLOP ÷ peak); `kv_bytes` of all sequences.
    """
    return kv_bytes / bandwidth + max(weight_bytes / bandwidth, matmul_flop / peak)
