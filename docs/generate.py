"""Writes the generated pages of the reference and the JSON schemas: `python docs/generate.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from pages import (  # noqa: E402
    calculators,
    causes,
    chips,
    cli,
    codes,
    columns,
    conventions,
    model_types,
    models,
    peak_tables,
    python,
    readers,
    schemas,
)

PAGES: dict[str, Callable[[], str]] = {
    "reference/calculators.md": calculators.write,
    "reference/causes.md": causes.write,
    "reference/chips.md": chips.write,
    "reference/cli.md": cli.write,
    "reference/codes.md": codes.write,
    "reference/columns.md": columns.write,
    "reference/conventions.md": conventions.write,
    "reference/model-types.md": model_types.write,
    "reference/models.md": models.write,
    "reference/peak-tables.md": peak_tables.write,
    "reference/python.md": python.write,
    "reference/readers.md": readers.write,
    **{f"schemas/{name}.json": document for name, document in schemas.WRITERS.items()},
}


def main() -> None:
    """Every generated page, written where it belongs."""
    for place, write in PAGES.items():
        path = DOCS / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(), encoding="utf-8")
        print(place)


if __name__ == "__main__":
    main()
