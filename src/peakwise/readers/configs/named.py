"""The model that a person named, read from wherever its config is."""

from __future__ import annotations

from collections.abc import Callable

from peakwise.core.model import Model
from peakwise.facts.models import match_model
from peakwise.readers.configs.find import find_config
from peakwise.readers.configs.read import read_config


def read_named(model: str | Model, stdin: Callable[[], bytes] | None = None, like: str | None = None) -> Model:
    """The model of a catalogue id, a path or a Hub id; a Model, which another reader gave, is itself.

    **Raises** as `find_config` and `read_config`.
    """
    if isinstance(model, Model):
        return model
    source = find_config(model, stdin)
    return read_config(source.data, where=source.where, like=like, id=source.id, name=source.name)


def read_catalogued(name: str) -> Model:
    """A model of the catalogue alone: a client's name never opens another file. **Raises** UnknownModel."""
    row = match_model(name)
    return read_config(row.config_path.read_bytes(), where=row.id, like=None, id=row.id, name=row.name)
