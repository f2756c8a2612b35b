"""What a calculator may look up, handed to it as a value: chips, and the sizes of known mixtures of experts.

Named tuples where other nouns are dataclasses: a dataclass costs 2 ms of CPU at import, a tuple a fifth of it, and
the calculators' whole start-up budget is 200 ms. The same holds for the nouns of numbers and declarations.
"""

from __future__ import annotations

from typing import NamedTuple

from peakwise.core.chip import Chip


class Mixture(NamedTuple):
    """A mixture-of-experts model of the catalogue: all its parameters, and those used per token."""

    id: str
    name: str
    n_params: int
    n_active_params: int


class Catalogue(NamedTuple):
    """The rows that a calculator needs: the chip that was named, those that have the typed peak, every mixture."""

    chip: Chip | None = None
    near: tuple[Chip, ...] = ()
    mixtures: tuple[Mixture, ...] = ()
