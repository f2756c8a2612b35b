"""The fields of one config under their canonical names, with what was read and which defaults were used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from peakwise.core.errors import ConfigError
from peakwise.core.fields import as_bool, as_float, as_int, as_list, as_table, as_text, shown
from peakwise.facts.model_types import ModelTypeFacts
from peakwise.facts.synonyms import load_synonyms

_EMPTY: tuple[str, ...] = ()


def _numbers(value: object, path: str) -> list[int]:
    return [as_int(item, f"{path}[{i}]") for i, item in enumerate(as_list(value, path))]


def _texts(value: object, path: str) -> list[str]:
    return [as_text(item, f"{path}[{i}]") for i, item in enumerate(as_list(value, path))]


def _any(value: object, path: str) -> object:
    """A whole number, a text or a list: what a formula can use."""
    if isinstance(value, list | str):
        return cast(object, value)
    return as_int(value, path, least=-1)  # -1: "the last layer" in moe_layer_end_index


def _layers(value: object, path: str) -> object:
    """A layer by its index, negative from the end, or a list of them."""
    if isinstance(value, list):
        return [_layers(item, f"{path}[{i}]") for i, item in enumerate(cast(list[object], value))]
    return as_int(value, path, least=-1000)  # the layer that many before the end


KINDS: Mapping[str, Callable[[object, str], object]] = {
    "size": lambda value, path: as_int(value, path, least=1),
    "count": as_int,
    "flag": as_bool,
    "text": as_text,
    "number": as_float,
    "numbers": _numbers,
    "texts": _texts,
    "list": as_list,
    "any": _any,
    "layers": _layers,
    "switch": lambda value, path: value if isinstance(value, bool) else as_text(value, path),
}


class Pool:
    """Fields by canonical name. `path` is where the config stands in its file (`$`, or `$.text_config`)."""

    def __init__(
        self, config: Mapping[str, object], facts: ModelTypeFacts, class_defaults: Mapping[str, object], path: str = "$"
    ) -> None:
        self.config = config
        self.facts = facts
        self.path = path
        self.read: set[str] = set()
        self.defaults_used: dict[str, str] = {}
        self._class_defaults = class_defaults
        self._tables = [("", config)] + [
            (name, as_table(config[name], f"{path}.{name}")) for name in facts.nested if config.get(name) is not None
        ]
        self._found: dict[str, object] = {}

    def names(self, canonical: str) -> tuple[str, ...]:
        """Every name a field may have in this type, the canonical one first."""
        other = self.facts.synonyms.get(canonical)
        return (canonical, *(load_synonyms().names.get(canonical, _EMPTY) if other is None else other))

    def knows(self, canonical: str) -> bool:
        """Is this the name of a field of the tables?"""
        return canonical in self.facts.fields or canonical in load_synonyms().kinds

    def place(self, canonical: str) -> str:
        """The path of a field as the file writes it, for errors."""
        for table, config in self._tables:
            for spelling in self.names(canonical):
                inside, _, name = spelling.rpartition(".")
                if name in config and inside in ("", table):
                    return ".".join(part for part in (self.path, table, name) if part)
        return f"{self.path}.{canonical}"

    def get(self, canonical: str) -> object:
        """The value of a field: from the file, else the class default, else None.

        **Raises** ConfigError where it has the wrong type, or two of its names disagree.
        """
        if canonical not in self._found:
            self._found[canonical] = self._take(canonical)
        return self._found[canonical]

    def _take(self, canonical: str) -> object:
        kind = KINDS[self.facts.fields.get(canonical) or load_synonyms().kinds[canonical]]
        value: object = None
        first, is_null = "", False
        for table, config in self._tables:
            for spelling in self.names(canonical):
                inside, _, name = spelling.rpartition(".")
                if name not in config or inside not in ("", table):
                    continue
                place = ".".join(part for part in (self.path, table, name) if part)
                self.read.add(f"{table}.{name}" if table else name)
                if config[name] is None:
                    is_null = True
                    continue
                found = kind(config[name], place)
                if first and found != value:
                    raise ConfigError(
                        f"{first} and {place} name the same thing and differ",
                        where=place,
                        got=f"{shown(value)} and {shown(found)}",
                        expected="one value",
                        hint="correct or take out the wrong one",
                    )
                first, value = place, found
        if first or (is_null and canonical in load_synonyms().null_is_a_value):
            return value
        return self._default(canonical, kind)

    def _default(self, canonical: str, kind: Callable[[object, str], object]) -> object:
        for source in (self._class_defaults, self.facts.defaults):
            for name in self.names(canonical):
                if source.get(name) is not None:
                    value = kind(source[name], name)
                    if self.path == "$" and canonical in load_synonyms().always_written:
                        raise self._never_left_out(canonical, value)
                    if value not in (False, 0, []):
                        text = shown(value)
                        self.defaults_used[canonical] = f"{canonical} = {text} (class default of {self.facts.name})"
                    return value
        return None

    def _never_left_out(self, canonical: str, default: object) -> ConfigError:
        return ConfigError(
            f"{canonical} is missing",
            where=f"{self.path}.{canonical}",
            got="nothing",
            expected=f"the model's own value ({shown(default)} is only the class default of {self.facts.name})",
            hint=f"add {canonical} to the file",
        )

    def is_given(self, canonical: str) -> bool:
        """Does the file give this field a value under any of its names?"""
        return any(config.get(name) is not None for _, config in self._tables for name in self.names(canonical))

    def unread(self, understood: frozenset[str]) -> dict[str, object]:
        """Every field that no formula read or could read (`understood`), nested tables by dotted name."""
        known = {name for canonical in understood for name in self.names(canonical)}
        left: dict[str, object] = {}
        for table, config in self._tables:
            for name, value in config.items():
                dotted = f"{table}.{name}" if table else name
                is_table = not table and name in self.facts.nested
                if dotted not in self.read and known.isdisjoint((name, dotted)) and not is_table:
                    left[dotted] = value
        return left
