"""How values pass through the blocks of one config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from peakwise.core.errors import ConfigError
from peakwise.core.fields import shown
from peakwise.core.flow import Flow
from peakwise.facts.flows import load_flow


def read_flow(config: Mapping[str, object], name: str, path: str = "$") -> Flow:
    """The flow of a config of the model_type `name`. **Raises** ConfigError where a field of it is no true or false."""
    facts = load_flow(name)
    given = {field: config[field] for field in facts.parallel_fields if config.get(field) is not None}
    for field, value in given.items():
        if not isinstance(value, bool):
            where = f"{path}.{field}"
            raise ConfigError(f"{field} is no flag", where=where, got=shown(value), expected="true or false")
    return replace(facts.flow, parallel=any(given.values())) if given else facts.flow
