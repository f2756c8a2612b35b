"""Attention of one token, from the four sizes a person types."""

from __future__ import annotations

from typing import Literal

Attention = Literal["causal", "full"]
Pairs = Literal["exact", "half"]


def mean_keys(seq_len: int, attention: Attention, pairs: Pairs, window: int | None) -> float:
    """Keys that a query sees, mean over the sequence.

    **Formula** causal, exact: (S + 1)/2, in a window of W: W − W(W − 1)/2S; half: S/2 and W, as most published
    figures count; full: S, windows ignored.

    **Example**
    >>> mean_keys(8192, "causal", "exact", None), mean_keys(8192, "causal", "half", None)
    (4096.5, 4096.0)
    """
    if attention == "full":
        return float(seq_len)
    bound = window if window is not None and window < seq_len else None
    if pairs == "half":
        return seq_len / 2 if bound is None else float(bound)
    keys = bound or seq_len
    return keys - keys * (keys - 1) / (2 * seq_len)


def forward_flop(n_layers: int, d_q: int, keys: float) -> float:
    """Forward FLOPs of attention for one token, over all layers.

    **Formula** layers × 2 products × 2 FLOPs (multiply, add) × d_q × keys; d_q = query heads × head width.
    """
    return n_layers * 4 * d_q * keys
