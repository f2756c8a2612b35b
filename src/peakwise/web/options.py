"""The ids that a page offers to pick from: chips, models, published cases, readers of logs, currencies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from peakwise.core.units import to_giga

# Currencies offered; any other of ISO 4217 may be typed in a link. The most traded ones first.
_CURRENCIES = ("USD", "EUR", "JPY", "GBP", "CNY", "AUD", "CAD", "CHF", "INR", "BRL", "MXN", "ARS", "RUB")


class Option(NamedTuple):
    """One id and how it is shown."""

    value: str
    label: str


class Size(NamedTuple):
    """The parameters of a model: all, and those used per token."""

    n_params: int
    n_active_params: int


@cache
def options_of(key: str) -> tuple[Option, ...]:
    """What a field takes that is an id; empty where it takes any text."""
    match key:
        case "chip":
            return _chips()
        case "model":
            return models()
        case "a_case" | "b_case":
            return _cases()
        case "format":
            return _formats()
        case "currency":
            return tuple(Option(code, code) for code in _CURRENCIES)
        case _:
            return ()


def _chips() -> tuple[Option, ...]:
    from peakwise.core.catalog import ChipRow
    from peakwise.core.number import format_plain
    from peakwise.verbs.catalog import catalog

    found: list[Option] = []
    for row in catalog("chips").rows:
        if isinstance(row, ChipRow):
            memory = "" if row.memory is None else f" · {format_plain(to_giga(row.memory.value))}\u00a0GB"
            found.append(Option(row.id, row.name + memory))
    return tuple(sorted(found, key=lambda option: option.label.casefold()))


@cache
def models() -> tuple[Option, ...]:
    """The models of the catalogue."""
    from peakwise.verbs.catalog import catalog

    return tuple(Option(row.id, row.name) for row in catalog("models").rows)


@cache
def model_sizes() -> Mapping[str, Size]:
    """The parameters of each model of the catalogue, by id."""
    from peakwise.core.catalog import ModelRow
    from peakwise.verbs.catalog import catalog

    rows = [row for row in catalog("models").rows if isinstance(row, ModelRow)]
    return {row.id: Size(int(row.n_params.value), int(row.n_active_params.value)) for row in rows}


def _cases() -> tuple[Option, ...]:
    from peakwise.facts.cases import load_cases

    return tuple(Option(key, case.name) for key, case in load_cases().items())


def _formats() -> tuple[Option, ...]:
    from peakwise.readers.find import BUILT_IN

    return tuple(Option(reader.name, reader.name) for reader in BUILT_IN)
