"""What the framework counts when a part of a small model trains, or its layers are checkpointed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode
from transformers.pytorch_utils import Conv1D

from .framework import Small, class_of, device_of

RANK = 4


class _Adapted(nn.Module):
    """A linear with a low-rank adapter beside it."""

    def __init__(self, linear: Any) -> None:
        super().__init__()
        self.linear = linear
        self.weight = linear.weight  # some layers read their linears' type from it
        d_in, d_out = linear.weight.shape if isinstance(linear, Conv1D) else reversed(linear.weight.shape)
        device = linear.weight.device
        self.a = nn.Linear(d_in, RANK, bias=False, device=device)
        self.b = nn.Linear(RANK, d_out, bias=False, device=device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + self.b(self.a(x)) * 2.0


def build(small: Small) -> nn.Module:
    """The model of a small config, everything trainable."""
    small.config._attn_implementation = "eager"
    small.config._experts_implementation = "batched_mm"
    with torch.device(device_of(small.model_type)):
        return class_of(small.model_type)(small.config).eval()


def list_layers(model: nn.Module) -> nn.ModuleList:
    """The stack of a model: its largest list of modules."""
    lists = [module for module in model.modules() if isinstance(module, nn.ModuleList) and len(module) > 1]
    return max(lists, key=lambda module: sum(weight.numel() for weight in module.parameters()))


def freeze_tables(model: nn.Module) -> None:
    """Freezes every lookup table, and a head that is one."""
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.requires_grad_(False)


def train_last(model: nn.Module, n_layers: int) -> None:
    """Freezes all but the last layers; the head too."""
    model.requires_grad_(False)
    for layer in list_layers(model)[-n_layers:]:
        layer.requires_grad_(True)


def adapt(model: nn.Module, *, attention_alone: bool) -> None:
    """Freezes all and puts adapters on every linear of the layers, or of their attention (experts are no linears)."""
    model.requires_grad_(False)
    for layer in list_layers(model):
        for path, parent in list(layer.named_modules()):
            if attention_alone and not ("attn" in path or "attention" in path):
                continue
            for name, child in list(parent.named_children()):
                if isinstance(child, (nn.Linear, Conv1D)):
                    setattr(parent, name, _Adapted(child))


def count_step(model: nn.Module, seq_len: int, early_stop: bool | None = None) -> int:
    """FLOPs of a step over one sequence; with `early_stop` every layer is checkpointed and stops early or not."""
    device = next(model.parameters()).device
    ids = torch.zeros((1, seq_len), dtype=torch.long, device=device)
    plain: list[tuple[nn.Module, Callable[..., Any]]] = []
    if early_stop is not None:
        for layer in list_layers(model):
            plain.append((layer, layer.forward))
            kept = functools.partial(checkpoint, layer.forward, use_reentrant=False, early_stop=early_stop)
            layer.forward = kept
    counter = FlopCounterMode(display=False)
    with device, counter:
        model(input_ids=ids, use_cache=False).logits.sum().backward()
    for layer, forward in plain:
        layer.forward = forward
    return counter.get_total_flops()
