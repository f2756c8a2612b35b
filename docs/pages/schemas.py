"""schemas/*.json: a JSON schema for each document, made from its type."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import msgspec

from pages import catalog_documents, documents

DOCUMENTS: dict[str, type] = {
    "calc": documents.CalcDocument,
    "catalog-chips": catalog_documents.ChipCatalogDocument,
    "catalog-models": catalog_documents.ModelCatalogDocument,
    "count": documents.CountDocument,
    "error": documents.ErrorDocument,
    "explain": documents.ExplainDocument,
    "measure": documents.MeasureDocument,
}


def write(name: str) -> str:
    """The schema of one document as JSON text."""
    made = msgspec.json.schema(DOCUMENTS[name])
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"peakwise.{name.split('-', maxsplit=1)[0]}/1",
        **made,
    }
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


WRITERS: dict[str, Callable[[], str]] = {name: partial(write, name) for name in DOCUMENTS}
