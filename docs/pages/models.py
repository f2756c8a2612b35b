"""reference/models.md from the model catalogue."""

from __future__ import annotations

from pages.markdown import opening, page, table
from peakwise.core.catalog import ModelRow
from peakwise.verbs.catalog import catalog


def write() -> str:
    """The page of models: id, Hub id, type and parameters."""
    rows = [row for row in catalog("models").rows if isinstance(row, ModelRow)]
    lines = opening(
        "Models",
        "Models that `--model` and `peakwise count` know by name. Parameters are counted from each config.json.",
    )
    heads = ["id", "name", "model_type", "Hub id", "parameters:", "active per token:"]
    cells = [
        (
            f"`{row.id}`",
            row.name,
            row.model_type,
            row.hub_id,
            f"{row.n_params.value:,}",
            f"{row.n_active_params.value:,}",
        )
        for row in rows
    ]
    return page([*lines, *table(heads, cells)])
