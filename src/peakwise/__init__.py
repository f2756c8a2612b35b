"""Peakwise: how much of an accelerator's peak a model really uses, and where the rest goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peakwise.core.errors import InputError as InputError
    from peakwise.core.errors import PeakwiseError as PeakwiseError
    from peakwise.core.quantity import Quantity as Quantity
    from peakwise.integrations.torch import trace_flops as trace_flops
    from peakwise.verbs.calc import calc as calc
    from peakwise.verbs.catalog import catalog as catalog
    from peakwise.verbs.count import count as count
    from peakwise.verbs.explain import explain as explain
    from peakwise.verbs.measure import measure as measure

    __version__: str

# What the package offers, and where each name lives; nothing is imported before it is asked for.
_FACE = {
    "InputError": "peakwise.core.errors:InputError",
    "PeakwiseError": "peakwise.core.errors:PeakwiseError",
    "Quantity": "peakwise.core.quantity:Quantity",
    "__version__": "peakwise.core.version:VERSION",
    "calc": "peakwise.verbs.calc:calc",
    "catalog": "peakwise.verbs.catalog:catalog",
    "count": "peakwise.verbs.count:count",
    "explain": "peakwise.verbs.explain:explain",
    "measure": "peakwise.verbs.measure:measure",
    "trace_flops": "peakwise.integrations.torch:trace_flops",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _FACE:
        raise AttributeError(f"module 'peakwise' has no attribute '{name}'")
    module, attribute = _FACE[name].split(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(_FACE)
