"""Visible query–key pairs, and the term of an attention core."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.ledger import Term
from peakwise.core.model import Mask, Scores, Stream
from peakwise.core.workload import Attention, Workload
from peakwise.counting.streams import positions_of_sample

# One pair costs a multiply-add per element of the query–key and of the value head, 2 FLOPs each.
FLOP_PER_MULTIPLY_ADD = 2


def count_pairs(n_tokens: int, mask: Mask, attention: Attention) -> int:
    """Query–key pairs of one sequence of `n_tokens`, an exact integer.

    **Formula** causal n(n+1)/2; window W < n: W(W+1)/2 + (n−W)·W; chunk c: full chunks and the rest, each causal;
    full n². A window that is not causal lets |i−j| ≤ W see each other. Chunks of a square: the pairs along a side,
    to the power of its dimensions.
    **Counts / leaves out** the diagonal is in. `attention="full"` lets every query see every key and ignores windows.

    **Example**
    >>> count_pairs(2048, Mask(window=512), "causal") / 2048
    448.125
    """
    n = n_tokens
    if mask.dims > 1 and attention != "full":
        side = round(n ** (1 / mask.dims))
        assert side**mask.dims == n  # a stream of that many dimensions, without extra positions
        return count_pairs(side, replace(mask, dims=1), attention) ** mask.dims
    if attention == "full" or (not mask.causal and mask.window is None and mask.chunk is None):
        return n * n
    if mask.chunk is not None:
        whole, rest = divmod(n, mask.chunk)
        if mask.causal:
            return whole * _triangle(mask.chunk) + _triangle(rest)
        return whole * mask.chunk**2 + rest**2
    if not mask.causal:
        assert mask.window is not None
        reach = min(mask.window, n - 1)
        return n + 2 * reach * n - reach * (reach + 1)
    if mask.window is None or mask.window >= n:
        return _triangle(n)
    return _triangle(mask.window) + (n - mask.window) * mask.window


def _triangle(n: int) -> int:
    return n * (n + 1) // 2


def sum_pairs(scores: Scores, streams: tuple[Stream, ...], workload: Workload) -> int:
    """Query–key pairs of the whole workload; packed documents do not see each other."""
    if scores.queries != scores.keys:
        queries = positions_of_sample(scores.queries, streams, workload)
        return workload.batch * queries * positions_of_sample(scores.keys, streams, workload)
    if workload.lengths and scores.queries == "token":
        return sum(count_pairs(length, scores.mask, workload.attention) * n for length, n in workload.by_length)
    n_positions = positions_of_sample(scores.queries, streams, workload)
    return workload.batch * count_pairs(n_positions, scores.mask, workload.attention) if n_positions else 0


def count_attention(
    scores: Scores,
    streams: tuple[Stream, ...],
    workload: Workload,
    *,
    layers: int,
    n_recomputed: int,
    in_block: bool,
) -> Term:
    """The term of the two products of softmax attention, Q·Kᵀ and P·V.

    **Formula** 2 · H · (d_qk + d_v) FLOPs a pair. PaLM's 12·L·H·d·T per token is the same with full attention.
    **Counts / leaves out** softmax, scaling, rotary and masks are out.
    """
    return Term(
        component="attn_scores",
        name=scores.name,
        layers=layers,
        over="pair",
        repeats=sum_pairs(scores, streams, workload),
        flop=FLOP_PER_MULTIPLY_ADD * scores.n_heads * (scores.d_qk + scores.d_v),
        query_key_flop=FLOP_PER_MULTIPLY_ADD * scores.n_heads * scores.d_qk,
        is_matmul=False,
        in_block=in_block,
        n_recomputed=n_recomputed,
    )
