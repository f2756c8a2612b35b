"""What happens to a field that nobody read: inert, worth a warning, or refused because it may hold weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from peakwise.core.errors import ConfigError
from peakwise.core.fields import shown
from peakwise.facts.synonyms import load_synonyms

_PLAIN_KINDS = ("full_attention", "attention")


def _is_inert(name: str, neutral: tuple[str, ...]) -> bool:
    table = load_synonyms()
    return (
        name in table.neutral
        or name in neutral
        or name.startswith(table.neutral_starts)
        or name.endswith(table.neutral_ends)
    )


def _says_something(value: object) -> bool:
    if isinstance(value, list) and all(item in _PLAIN_KINDS for item in cast(list[object], value)):
        return False
    return value not in (None, False, 0, 0.0, "", [], {})


def _may_hold_weights(name: str, value: object) -> bool:
    table = load_synonyms()
    lower = name.lower()
    named = lower in table.weight_names or lower.startswith(table.weight_starts)
    named = named or any(word in lower for word in table.weight_words)
    return named and _says_something(value)


def check_unread(unread: Mapping[str, object], neutral: tuple[str, ...], path: str = "$") -> tuple[str, ...]:
    """The names of unread fields that are worth a warning.

    **Raises** ConfigError that names every unread field which may hold weights.
    """
    strange = {name: value for name, value in unread.items() if not _is_inert(name.rpartition(".")[2], neutral)}
    heavy = {name: value for name, value in strange.items() if _may_hold_weights(name.rpartition(".")[2], value)}
    if heavy:
        names = ", ".join(sorted(heavy))
        raise ConfigError(
            f"the config has fields that may hold weights and are not understood: {names}",
            where=f"{path}.{min(heavy)}",
            got="; ".join(f"{name} = {shown(heavy[name])}" for name in sorted(heavy)),
            expected="fields this model type is known to have",
            hint="take them out if they carry nothing, or count a model type that knows them with --like",
        )
    return tuple(sorted(name for name, value in strange.items() if _says_something(value)))
