"""What a calculator may look up, handed to it as a value: chips, and the sizes of known mixtures of experts.

Named tuples where other nouns are dataclasses: a dataclass costs 2 ms of CPU at import, a tuple a fifth of it, and
the calculators' whole start-up budget is 200 ms. The same holds for the nouns of numbers and declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from peakwise.core.chip import Chip

if TYPE_CHECKING:
    from peakwise.core.case import Case
    from peakwise.core.model import Model
    from peakwise.core.records import Records


class Mixture(NamedTuple):
    """A mixture-of-experts model of the catalogue: all its parameters, and those used per token."""

    id: str
    name: str
    n_params: int
    n_active_params: int


class Catalogue(NamedTuple):
    """The rows that a calculator needs: the chip that was named, those that have the typed peak, every mixture, the
    model that was named, the published cases by id, the records of the log that was given, and the currency's code.
    """

    chip: Chip | None = None
    near: tuple[Chip, ...] = ()
    mixtures: tuple[Mixture, ...] = ()
    model: Model | None = None
    cases: Mapping[str, Case] = {}
    log: Records | None = None
    currency: str | None = None
