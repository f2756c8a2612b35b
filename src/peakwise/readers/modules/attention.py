"""Fused attention operators: their operands, in each one's own layout, as visible pairs and head widths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from peakwise.core.flop_trace import TracedAttention
from peakwise.counting.operators import Attended, Visible

# The lengths of packed sequences from a tensor of offsets; None where only its shape is known.
Lengths = Callable[[Any], list[int] | None]

_HEADS_FIRST = (
    "aten._scaled_dot_product_flash_attention",
    "aten._scaled_dot_product_flash_attention_for_cpu",
    "aten._scaled_dot_product_efficient_attention",
    "aten._scaled_dot_product_cudnn_attention",
    "aten._scaled_dot_product_fused_attention_overrideable",
    "aten._scaled_dot_product_attention_math_for_mps",
)
# (batch, length, heads, width), or packed: (tokens, heads, width), for `_efficient` with a batch of 1.
_LENGTH_FIRST = ("aten._flash_attention", "aten._efficient_attention", "aten._cudnn_attention")
_VARLEN = "torch_attn._varlen_attn"

FORWARD = frozenset({*_HEADS_FIRST, *(f"{name}_forward" for name in _LENGTH_FIRST), _VARLEN, f"{_VARLEN}_out"})
BACKWARD = frozenset(
    {f"{name}_backward" for name in (*_HEADS_FIRST, *_LENGTH_FIRST, _VARLEN)} - {f"{_HEADS_FIRST[-1]}_backward"}
)
# `custom_mask_type` of the memory-efficient kernel: 0 none, 1 from the top left, 2 from the bottom right.
_MASK_TYPES = {1: "top_left", 2: "bottom_right"}


def read_attention(name: str, call: Mapping[str, Any], attention: TracedAttention, lengths: Lengths) -> Attended:
    """One call of a fused kernel. `full` counts every pair of a sequence, `causal` what the kernel's mask shows."""
    query, key, value = call["query"].shape, call["key"].shape, call["value"].shape
    visible = _visible(name, call) if attention == "causal" else Visible()
    queries = next(
        (call[each] for each in ("cum_seq_q", "cu_seqlens_q", "cu_seq_q") if call.get(each) is not None), None
    )
    if name.startswith(_HEADS_FIRST):
        pairs = query[0] * query[1] * visible.pairs(query[2], key[2])
    elif queries is None:
        pairs = query[0] * query[2] * visible.pairs(query[1], key[1])
    else:
        pairs = query[-2] * _packed_pairs(call, queries, visible, lengths)
    return Attended(pairs=pairs, d_qk=query[-1], d_v=value[-1])


def _packed_pairs(call: Mapping[str, Any], queries: Any, visible: Visible, lengths: Lengths) -> int:
    """Visible pairs of packed sequences; the longest stated length stands for each whose offsets are unknown."""
    keys = next(
        (call[each] for each in ("cum_seq_k", "cu_seqlens_k", "cu_seq_k") if call.get(each) is not None), queries
    )
    longest_q = call["max_q"] if "max_q" in call else call["max_seqlen_q"]
    longest_k = call["max_k"] if "max_k" in call else call["max_seqlen_k"]
    n = queries.shape[0] - 1
    of_queries = lengths(queries) or [int(longest_q)] * n
    of_keys = lengths(keys) or [int(longest_k)] * n
    return sum(visible.pairs(one, other) for one, other in zip(of_queries, of_keys, strict=True))


def _visible(name: str, call: Mapping[str, Any]) -> Visible:
    if name.startswith("aten._efficient"):
        causal = _MASK_TYPES.get(call["custom_mask_type"], "no")
        window = call.get("window_size")
        left = window - 1 if window else None  # it counts the query itself
        return Visible(causal=causal, left=left, right=None)  # type: ignore[arg-type]
    if name.startswith(_HEADS_FIRST):
        return Visible(causal="top_left" if call["is_causal"] else "no")
    left, right = call.get("window_size_left"), call.get("window_size_right")
    if call.get("window_size"):
        left, right = call["window_size"]
    return Visible(causal="bottom_right" if call["is_causal"] else "no", left=_end(left), right=_end(right))


def _end(window: int | None) -> int | None:
    """Negative windows have no end."""
    return None if window is None or window < 0 else int(window)
