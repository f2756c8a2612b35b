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
_OTHER = {"--format": "format"}  # a text whose reader's name is at fault


class Found(NamedTuple):
    """The rows that the names stand for, and the error of each name that stands for none, by key."""

    rows: Catalogue
    refused: Mapping[str, PeakwiseError]


def look_up(declaration: Declaration, given: Mapping[str, object], *, local: bool) -> Found:
    """The rows of a calculator's names; `local`: whether a model may be a file of this machine."""
    refused: dict[str, PeakwiseError] = {}

    def named(key: str, find: Callable[[str], _Row]) -> _Row | None:
        try:
            return find(value.strip()) if isinstance(value := given.get(key), str) and value.strip() else None
        except PeakwiseError as error:
            refused[_OTHER.get(error.where, key)] = error
            return None

    asks = declaration.lookups
    rows = Catalogue(
        chip=named("chip", _chip) if "chip" in asks else None,
        mixtures=_mixtures() if "mixtures" in asks else (),
        model=named("model", lambda name: _model(name, local=local)) if "model" in asks else None,
        cases=_cases(named) if "cases" in asks else {},
        log=named("text", lambda _: _records(given)) if "log" in asks else None,
        currency=named("currency", _currency) if "currency" in asks else None,
    )
    return Found(rows, refused)


def _mixtures() -> tuple[Mixture, ...]:
    from peakwise.facts.mixtures import load_mixtures

    return load_mixtures()


def _cases(named: Callable[[str, Callable[[str], Case]], Case | None]) -> Mapping[str, Case]:
    """The published runs that were named, with their models, and the other versions of the same runs without."""
    from peakwise.facts.cases import find_case, list_kin

    found = [case for key in ("a_case", "b_case") if (case := named(key, find_case)) is not None]
    models = {case.id: _model(case.config, local=False) if case.config else None for case in found}
    return {case.id: case._replace(model=models.get(case.id)) for case in list_kin(found)}


def _chip(name: str) -> Chip:
    from peakwise.facts.match import find_chip

    return find_chip(name)


def _model(name: str, *, local: bool) -> Model:
    from peakwise.readers.configs.named import read_catalogued, read_named

    return read_named(name) if local else read_catalogued(name)


def _currency(code: str) -> str:
    from peakwise.facts.currencies import find_currency

    return find_currency(code)


def _records(given: Mapping[str, object]) -> Records:
    from peakwise.readers.pasted import read_pasted

    return read_pasted(str(given["text"]), str(given.get("format") or "").strip())
