"""A number that a person will read: its value, unit, basis and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peakwise.core.errors import Json

Basis = Literal["stated", "measured", "derived", "solved", "assumed"]

# DESIGN, "Numbers with a basis": the order from strongest to weakest.
BASES: tuple[Basis, ...] = ("stated", "measured", "derived", "solved", "assumed")


def weakest(*bases: Basis) -> Basis:
    """The basis of a result: the weakest of its inputs; stated or measured inputs give `derived`.

    **Example**
    >>> weakest("stated", "measured")
    'derived'
    >>> weakest("stated", "assumed", "solved")
    'assumed'
    """
    worst = max((BASES.index(basis) for basis in bases), default=0)
    return BASES[max(worst, BASES.index("derived"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A value in a base unit (FLOP, FLOP/s, byte, s, fraction, token …) and where it comes from."""

    value: int | float
    unit: str
    basis: Basis
    source: str

    def to_dict(self) -> Json:
        """The quantity of the JSON contract."""
        return {"value": self.value, "unit": self.unit, "basis": self.basis, "source": self.source}


def quantity_dict(quantity: Quantity | None) -> Json | None:
    """A quantity's document, or null where it is unknown."""
    return None if quantity is None else quantity.to_dict()
