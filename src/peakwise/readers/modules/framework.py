"""The framework that modules come from, loaded when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from peakwise.core.errors import MissingExtra

_PARTS = ("torch.utils.flop_counter", "torch.utils._python_dispatch", "torch._subclasses.fake_tensor", "torch.overrides")


def load_torch() -> Any:
    """The framework. **Raises** MissingExtra where it is not installed."""
    for part in _PARTS:
        _load(part, "to trace a module")
    return _load("torch", "to trace a module")


def load_transformers() -> Any:
    """The library of models. **Raises** MissingExtra where it is not installed."""
    load_torch()
    return _load("transformers", "to build a model from its config")


def _load(name: str, purpose: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"{name} is needed {purpose}",
            where=name,
            got=str(error),
            expected="the extra torch",
            hint='pip install "peakwise[torch]"',
        ) from error
