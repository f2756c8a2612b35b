"""reference/model-types.md from the table of model types and the library's own list of them by kind."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from pages.markdown import opening, page, table
from peakwise.facts.model_types import list_model_types, load_model_type

KINDS = Path(__file__).with_name("model_kinds.toml")
# What a type without a row is, by its kind; a composite's parts are named instead.
BUILDS = {
    "causal": "a decoder whose layers no row describes",
    "state space": "a recurrence that no row describes",
    "encoder": "an encoder whose layers no row describes",
    "encoder-decoder": "an encoder and a decoder that no row describes",
    "vision": "image layers that no row describes",
    "audio": "audio layers that no row describes",
    "composite": "parts that no row joins",
    "part": "a part of composites that no row describes",
    "other": "layers that no row describes",
}


def write() -> str:
    """The page of model types: the share that is counted by kind, what is refused and why, what is counted."""
    kinds: dict[str, dict[str, list[str]]] = tomllib.loads(KINDS.read_text(encoding="utf-8"))
    n_types = sum(len(types) for types in kinds.values())
    n_counted = sum(_is_counted(name) for types in kinds.values() for name in types)
    lines = opening(
        "Model types",
        f"Of the {n_types} model types of the pinned library {n_counted} are counted ({n_counted / n_types:.0%}), "
        "parameters and FLOPs equal to its own counter to the integer; every other is refused by its name. The sweep "
        "of `make test` builds small models of each counted type, compares both figures, and fails where a type is "
        "counted and compared with nothing. A type that is not here is refused with the nearest names, unless `--like` "
        "names its kin.",
    )
    lines += ["## The share by kind", "", *table(["kind", "counted:", "of:", "share:"], _shares(kinds))]
    lines += ["A part is what only other types hold: the image tower of a composite, its text decoder.", ""]
    lines += ["## Refused", ""]
    for kind, types in kinds.items():
        refused = [(f"`{name}`", *_reason(name, kind, parts)) for name, parts in types.items() if not _is_counted(name)]
        lines += [f"### Refused: {kind}", "", *table(["model_type", "what is not counted", ""], refused)]
    counted = [(f"`{name}`", load_model_type(name).source) for name in list_model_types() if _is_counted(name)]
    lines += ["## Counted", "", "With the types that the library does not have and other code builds.", ""]
    return page([*lines, *table(["model_type", "read from"], counted)])


def _is_counted(name: str) -> bool:
    return name in list_model_types() and not load_model_type(name).not_there


def _shares(kinds: dict[str, dict[str, list[str]]]) -> Iterator[tuple[str, ...]]:
    for kind, types in kinds.items():
        n_counted = sum(map(_is_counted, types))
        yield kind, str(n_counted), str(len(types)), f"{n_counted / len(types):.0%}"


def _reason(name: str, kind: str, parts: list[str]) -> tuple[str, str]:
    """What of a refused type is not counted, and the class of it that is."""
    if name in list_model_types():
        facts = load_model_type(name)
        return facts.not_there, f"`{facts.unless}` alone is counted" if facts.unless else ""
    joined = ", ".join(f"`{part}`" for part in parts)
    return (f"what joins its parts: {joined}" if joined else BUILDS[kind]), ""
