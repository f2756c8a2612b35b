"""Modules made for one test each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def load_torch() -> Any:
    """The framework, imported late: a machine without it collects these tests all the same."""
    import torch

    return torch


def make_module(forward: Callable[..., Any], **weights: Any) -> Any:
    """A module of these weights that runs `forward(module, …)`."""
    torch = load_torch()

    class Made(torch.nn.Module):
        def forward(self, *args: Any) -> Any:
            return forward(self, *args)

    made = Made()
    for name, weight in weights.items():
        setattr(made, name, torch.nn.Parameter(weight))
    return made
