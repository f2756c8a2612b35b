"""The calculators by id; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from peakwise.calculators.check import Checked
from peakwise.core.calculation import Calculation
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Declaration
from peakwise.core.errors import InputError

CALCULATORS: tuple[str, ...] = (
    "mfu",
    "flops-per-token",
    "inference-roofline",
    "hfu",
    "finetune-throughput",
    "finetune-duration",
    "method-flops",
    "lengths",
    "compare",
    "parse-log",
)


class Calculator(NamedTuple):
    """A declaration and the pure function that answers it."""

    declaration: Declaration
    calculate: Callable[[Checked, Catalogue], Calculation]


def find_calculator(name: str) -> Calculator:
    """The calculator of an id. **Raises** InputError with the nearest ids for an unknown one."""
    if name not in CALCULATORS:
        from difflib import get_close_matches

        near = get_close_matches(name, CALCULATORS, n=3, cutoff=0.0)
        raise InputError(
            f'unknown calculator "{name[:40]}"',
            where="calc",
            got=name[:40],
            expected="one of " + ", ".join(near),
            hint=f"peakwise calc {near[0]} --help",
        )
    room = import_module(f"peakwise.calculators.{name.replace('-', '_')}")
    return Calculator(declaration=room.DECLARATION, calculate=room.calculate)
