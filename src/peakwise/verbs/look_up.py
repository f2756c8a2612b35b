"""What a calculator looks up by the names that were given: chip, model, published case, log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from peakwise.core.case import Case
from peakwise.core.catalogue import Catalogue, Mixture
from peakwise.core.chip import Chip
from peakwise.core.declaration import Declaration
from peakwise.core.errors import PeakwiseError
from peakwise.core.model import Model
from peakwise.core.records import Records

_Row = TypeVar("_Row")


class Found(NamedTuple):
    """The rows that the names stand for, and the error of each name that stands for none, by key."""

    rows: Catalogue
    refused: Mapping[str, PeakwiseError]


def look_up(declaration: Declaration, given: Mapping[str, object], *, local: bool) -> Found:
    """The rows of a calculator's names; `local`: whether a model may be a file of this machine."""
    refused: dict[str, PeakwiseError] = {}

    def named(key: str, find: Callable[[str], _Row]) -> _Row | None:
        value = given.get(key)
        try:
            return find(value.strip()) if isinstance(value, str) and value.strip() else None
        except PeakwiseError as error:
            refused[key] = error
            return None

    asks = declaration.lookups
    rows = Catalogue(
        chip=named("chip", _chip) if "chip" in asks else None,
        mixtures=_mixtures() if "mixtures" in asks else (),
        model=named("model", _model if local else _catalogued) if "model" in asks else None,
        cases=_cases() if "cases" in asks else {},
        log=named("text", lambda _: _records(given)) if "log" in asks else None,
    )
    return Found(rows, refused)


def _mixtures() -> tuple[Mixture, ...]:
    from peakwise.facts.mixtures import load_mixtures

    return load_mixtures()


def _cases() -> Mapping[str, Case]:
    from peakwise.facts.cases import load_cases

    return load_cases()


def _chip(name: str) -> Chip:
    from peakwise.facts.match import find_chip

    return find_chip(name)


def _model(name: str) -> Model:
    from peakwise.readers.configs.named import read_named

    return read_named(name)


def _catalogued(name: str) -> Model:
    """A model of the catalogue alone: a client's name never opens another file."""
    from peakwise.facts.models import match_model
    from peakwise.readers.configs.read import read_config

    row = match_model(name)
    return read_config(row.config_path.read_bytes(), where=row.id, like=None, id=row.id, name=row.name)


def _records(given: Mapping[str, object]) -> Records:
    from peakwise.readers.pasted import read_pasted

    return read_pasted(str(given["text"]), str(given.get("format") or "").strip())
