"""Figures that other documents give for a chip: shown beside the catalogue's, never used for it."""

from __future__ import annotations

import csv
import functools
from itertools import pairwise
from pathlib import Path

from peakwise.core.catalog import Alternative
from peakwise.core.chip import PRECISIONS, Chip
from peakwise.core.errors import CatalogError
from peakwise.core.quantity import Quantity
from peakwise.core.units import from_tera
from peakwise.facts.chips import chip_by_id


def alternatives_of(chip: Chip) -> tuple[Alternative, ...]:
    """Other figures for one device of this chip, each with whose it is."""
    return _load().get(chip.id, ())


@functools.cache
def _load() -> dict[str, tuple[Alternative, ...]]:
    """Every alternative by chip. **Raises** CatalogError for a row without source or chip, or out of order."""
    with Path(__file__).with_name("chip_alternatives.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if any(_key(before) >= _key(after) for before, after in pairwise(rows)):
        raise CatalogError("chip_alternatives.csv is not sorted", where="chip_alternatives.csv")
    found: dict[str, tuple[Alternative, ...]] = {}
    for row in rows:
        found[row["chip"]] = (*found.get(row["chip"], ()), _read(row))
    return found


def _key(row: dict[str, str]) -> tuple[str, str, float]:
    return row["chip"], row["figure"], float(row["package_value"])


def _read(row: dict[str, str]) -> Alternative:
    chip = chip_by_id(row["chip"])
    if chip is None or not row["source"] or row["unit"] != "TFLOP/s" or row["figure"] not in PRECISIONS:
        raise CatalogError("an alternative needs a chip, a type, TFLOP/s and a source", where=row["chip"])
    value = from_tera(float(row["package_value"])) / chip.devices_per_package
    return Alternative(
        figure=row["figure"], flop_per_s=Quantity(value=value, unit="FLOP/s", basis="stated", source=row["source"])
    )
