"""Sizes of the catalogue's mixtures of experts: an index, so that a calculator need not count ten models to start.

Every row is what `count` gives for the catalogue's own config; tests/facts/test_mixtures.py counts them all again.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path

from peakwise.core.catalogue import Mixture


@functools.cache
def load_mixtures() -> tuple[Mixture, ...]:
    """The mixtures of experts of the catalogue, sorted by id: all parameters, and those used per token."""
    with Path(__file__).with_name("mixtures.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Mixture(
                id=row["id"],
                name=row["name"],
                n_params=int(row["n_params"]),
                n_active_params=int(row["n_active_params"]),
            )
            for row in csv.DictReader(file)
        )
