"""The framework that modules come from, loaded when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from peakwise.core.errors import MissingExtra


def load_torch() -> Any:
    """The framework, with the parts that a trace needs. **Raises** MissingExtra where it is not installed."""
    try:
        import torch

        import_module("torch._subclasses.fake_tensor")  # parts that the framework does not load by itself
        import_module("torch.utils._python_dispatch")
        import_module("torch.utils.flop_counter")
    except ImportError as error:
        raise _missing("torch", "to trace a module", error) from error
    return torch


def load_transformers() -> Any:
    """The library of models. **Raises** MissingExtra where it is not installed."""
    load_torch()
    try:
        import transformers
    except ImportError as error:
        raise _missing("transformers", "to build a model from its config", error) from error
    return transformers


def _missing(name: str, purpose: str, error: ImportError) -> MissingExtra:
    return MissingExtra(
        f"{name} is needed {purpose}",
        where=name,
        got=str(error),
        expected="the extra torch",
        hint='pip install "peakwise[torch]"',
    )
