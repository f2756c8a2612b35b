"""Which models of the catalogue a query fits."""

from __future__ import annotations

from peakwise.core.errors import UnknownModel
from peakwise.facts.chip_names import is_run, plain_tokens
from peakwise.facts.models import CatalogModel, load_models, nearest_models

_SHOWN = 100


def list_models(query: str | None) -> tuple[CatalogModel, ...]:
    """The models of which a name holds the tokens of `query` in this order, sorted by id; all without a query.

    **Raises** UnknownModel, with the nearest ids, when nothing fits.
    """
    if query is None:
        return load_models()
    wanted = plain_tokens(query[:_SHOWN])
    found = tuple(row for row in load_models() if any(is_run(wanted, plain_tokens(name)) for name in _names(row)))
    if found:
        return found
    shown = "".join(char if char.isprintable() else " " for char in query[:_SHOWN])
    raise UnknownModel(
        f'no model matches "{shown}"',
        where="QUERY",
        got=shown,
        expected=f"a part of a model's id, name or Hub id; the nearest are {', '.join(nearest_models(shown))}",
        hint="peakwise catalog models",
    )


def _names(row: CatalogModel) -> tuple[str, ...]:
    return (row.id, row.name, row.hub_id, row.model_type, *row.aliases)
