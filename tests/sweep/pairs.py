"""The query-key pairs that the framework's own attention lets see each other, read off its softmax."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .framework import Small, class_of


class _SeenPairs(TorchDispatchMode):
    """Counts the probabilities above zero in every softmax over keys; a sink's own column is left out."""

    def __init__(self, seq_len: int) -> None:
        super().__init__()
        self.seq_len = seq_len
        self.n_pairs = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        over_keys = "softmax" in str(func) and out.ndim >= 3 and out.shape[-2] == self.seq_len
        if over_keys and out.shape[-1] in (self.seq_len, self.seq_len + 1):  # one more: a sink
            self.n_pairs += int((out[..., : self.seq_len] > 0).sum())
        return out


def count_seen_pairs(small: Small, seq_len: int) -> int:
    """Visible pairs of all heads and layers, of a sequence of `seq_len` tokens run on the CPU."""
    config = small.config
    config._attn_implementation = "eager"
    config._experts_implementation = "eager"
    torch.manual_seed(0)
    model = class_of(small.model_type)(config).eval().requires_grad_(False)
    for weight in model.parameters():
        if weight.ndim > 1:
            weight.normal_(0, 0.02)  # small, so that no visible pair's probability vanishes
    with _SeenPairs(seq_len) as seen:
        model(input_ids=torch.randint(4, 200, (1, seq_len)), use_cache=False)
    return seen.n_pairs
