"""A config of several parts: encoder and decoder, or a language model beside its towers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from peakwise.core.errors import CatalogError, ConfigError, UnknownModel
from peakwise.core.fields import as_table, as_text
from peakwise.core.model import Stream
from peakwise.facts.model_types import ModelTypeFacts, PartFacts, load_defaults, load_model_type, load_row
from peakwise.readers.configs.outside import find_head
from peakwise.readers.configs.pool import Pool
from peakwise.readers.configs.sizes import Sizes
from peakwise.readers.configs.tower import Tower, build_tower, open_tower
from peakwise.readers.configs.unread import check_unread

# What a composite says at its top for the part that has its head: whether the head is tied, whatever the part says,
# and the class, where the part names none.
TIED = "tie_word_embeddings"
SHARED = ("architectures", TIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The towers of a composite by name, what joins them, and the fields nobody read."""

    towers: Mapping[str, Tower]
    joint: Tower | None
    main: Tower
    unread: tuple[str, ...]

    @property
    def all(self) -> tuple[Tower, ...]:
        """Every part in order, what joins them last."""
        return (*self.towers.values(), *(() if self.joint is None else (self.joint,)))

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams of all parts. **Raises** CatalogError where two of one name differ."""
        found: dict[str, Stream] = {}
        for tower in self.all:
            for stream in tower.streams:
                if found.setdefault(stream.name, stream) != stream:
                    where = f"model_types.toml [{tower.sizes.facts.name}]"
                    raise CatalogError("two streams have one name", where=where, got=stream.name, expected="another")
        return tuple(found.values())


def read_parts(config: Mapping[str, object], facts: ModelTypeFacts) -> Parts:
    """Every part of a config by the `parts` of its row.

    **Raises** ConfigError for a part that is not there or is not understood.
    """
    tables = {name for part in facts.parts for name in part.at if name != "$"}
    top = {name: value for name, value in config.items() if name not in tables}
    towers: dict[str, Tower] = {}
    named: dict[str, Sizes] = {}
    for part in facts.parts:
        pool = _pool(part, facts, config, top)
        head = find_head(pool.config, facts.heads, pool.path, facts.usual) if part.head else None
        named[part.name] = open_tower(pool, head, named)
        towers[part.name] = build_tower(named[part.name], head)
    joint = None
    if facts.stack == "joint":
        pool = Pool(top, facts, load_defaults(facts.name))
        head = find_head(config, facts.heads, usual=facts.usual)
        joint = build_tower(open_tower(pool, head, named), head)
    main = next((towers[part.name] for part in facts.parts if part.head), next(reversed(towers.values())))
    parts = Parts(towers=towers, joint=joint, main=main, unread=())
    return Parts(towers=towers, joint=joint, main=main, unread=_unread(parts, facts))


def _pool(part: PartFacts, facts: ModelTypeFacts, config: Mapping[str, object], top: Mapping[str, object]) -> Pool:
    at = next((name for name in part.at if name == "$" or config.get(name) is not None), None)
    if at is None:
        raise ConfigError(
            f"{part.at[0]} is missing: a {facts.name} has a part there",
            where=f"$.{part.at[0]}",
            got="nothing",
            expected=f"the fields of the {part.name} part",
            hint="give the full config.json of the model",
        )
    if at == "$":
        row = load_row(part.row or part.default)
        return Pool(top, row, load_defaults(facts.name if row.name.startswith("_") else row.name))
    table, path = as_table(config[at], f"$.{at}"), f"$.{at}"
    row = load_row(part.row) if part.row else _row_of(table, part.default, path)
    if part.head:
        table |= {key: config[key] for key in SHARED if table.get(key) is None and config.get(key) is not None}
        tied = config.get(TIED, load_defaults(facts.name).get(TIED))
        table |= {} if tied is None else {TIED: tied}
    return Pool(table, row, load_defaults(row.name), path)


def _row_of(table: Mapping[str, object], default: str, path: str) -> ModelTypeFacts:
    """The row of a part by its own model_type. **Raises** ConfigError where that is not known or not counted."""
    value = table.get("model_type")
    if value in (None, ""):
        return load_row(default)
    name = as_text(value, f"{path}.model_type")
    try:
        row = load_model_type(name)
    except UnknownModel as error:
        raise UnknownModel(
            error.message, where=f"{path}.model_type", got=error.got, expected=error.expected, hint=error.hint
        ) from error
    if row.not_there or row.parts:
        raise ConfigError(
            f"the model type {name} is not there yet as a part: {row.not_there or 'it has parts of its own'}",
            where=f"{path}.model_type",
            got=name,
            expected="a tower or a decoder that is counted",
        )
    return row


def _unread(parts: Parts, facts: ModelTypeFacts) -> tuple[str, ...]:
    """Fields that no part read. At the top a field is read if any part that stands there reads it."""
    found: tuple[str, ...] = ()
    top: dict[str, object] | None = None
    neutral = facts.neutral
    for tower in parts.all:
        pool = tower.sizes.pool
        left = pool.unread(tower.sizes.understood())
        if pool.path != "$":
            found += check_unread(left, pool.facts.neutral, pool.path)
            continue
        neutral += pool.facts.neutral
        top = left if top is None else {name: value for name, value in left.items() if name in top}
    main = parts.main.sizes.pool
    repeated: Mapping[str, object] = {} if main.path == "$" else main.config
    left = {name: value for name, value in (top or {}).items() if name not in repeated or repeated[name] != value}
    return found + check_unread(left, neutral)
