"""How values pass through the blocks of a model_type, from flows.toml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

from peakwise.core.errors import CatalogError
from peakwise.core.flow import Flow
from peakwise.facts.section import list_sections, load_section

PATH = Path(__file__).with_name("flows.toml")
_KEYS = {"source", "parallel", "absent", "normed", "fused", "closing"}


class FlowFacts(NamedTuple):
    """The flow of a type, and the fields of a config of which one makes its blocks parallel."""

    flow: Flow
    parallel_fields: tuple[str, ...] = ()


def list_flows() -> tuple[str, ...]:
    """Every model_type that has a row."""
    return list_sections(PATH)


@cache
def load_flow(name: str) -> FlowFacts:
    """The flow of one model_type; that of a Llama where it has no row.

    **Raises** CatalogError where the row breaks the rules.
    """
    row = load_section(PATH, name)
    if row is None:
        return FlowFacts(Flow())
    unknown = sorted(set(row) - _KEYS)
    if unknown or not row.get("source"):
        got = ", ".join(unknown) or "no source"
        raise CatalogError("a row breaks the rules", where=f"flows.toml [{name}]", got=got, expected="its known keys")
    parallel = row.get("parallel", False)
    fields = () if isinstance(parallel, bool) else tuple(cast(list[str], parallel))
    flow = Flow(
        parallel=bool(row.get("absent", False)) if fields else parallel is True,
        normed=bool(row.get("normed", True)),
        fused=tuple(tuple(group.split()) for group in cast(list[str], row.get("fused", []))),
        closing=tuple(cast(list[str], row.get("closing", ["down"]))),
    )
    return FlowFacts(flow, fields)
