"""The table of names for the same config field, and of what an unread field means, from synonyms.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("synonyms.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Synonyms:
    """`kinds` and `names` by canonical field; `always_written` fields take no class default.

    The rest sorts fields that nobody read (the table explains each).
    """

    kinds: Mapping[str, str]
    names: Mapping[str, tuple[str, ...]]
    always_written: frozenset[str]
    null_is_a_value: frozenset[str]
    weight_words: tuple[str, ...]
    weight_starts: tuple[str, ...]
    weight_names: frozenset[str]
    neutral_starts: tuple[str, ...]
    neutral_ends: tuple[str, ...]
    neutral: frozenset[str]


@cache
def load_synonyms() -> Synonyms:
    """The whole table."""
    data = tomllib.loads(PATH.read_text(encoding="utf-8"))
    fields: dict[str, list[str]] = data["fields"]
    unread: dict[str, list[str]] = data["unread"]
    return Synonyms(
        kinds={name: entry[0] for name, entry in fields.items()},
        names={name: tuple(entry[1:]) for name, entry in fields.items()},
        always_written=frozenset(data["written"]["always"]),
        null_is_a_value=frozenset(unread["null_is_a_value"]),
        weight_words=tuple(unread["weight_words"]),
        weight_starts=tuple(unread["weight_starts"]),
        weight_names=frozenset(unread["weight_names"]),
        neutral_starts=tuple(unread["neutral_starts"]),
        neutral_ends=tuple(unread["neutral_ends"]),
        neutral=frozenset(unread["neutral"]),
    )
