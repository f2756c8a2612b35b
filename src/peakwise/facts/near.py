"""The few chips that a typed peak may belong to, without building the whole catalogue."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

from peakwise.core.chip import Chip
from peakwise.core.units import to_tera
from peakwise.facts.chips import SAME_WITHIN, read_chips

_SUFFIXES = ("_tflops", "_tops")  # columns that hold a peak


@functools.lru_cache(maxsize=256)
def chips_near(peak_flop_per_s: float) -> tuple[Chip, ...]:
    """The chips that have a figure, dense or sparse, within 0.1 % of `peak_flop_per_s` (FLOP/s of one device).

    The rows are sifted as text first: a calculator that checks one number should not start by reading a hundred chips.
    """
    wanted = to_tera(peak_flop_per_s)
    rows = [row for row, figures in _sifted() if any(_alike(figure, wanted) for figure in figures)]
    return tuple(chip for chip in read_chips(rows) if any(_close(chip, peak_flop_per_s)))


@functools.cache
def _sifted() -> tuple[tuple[Mapping[str, str], tuple[float, ...]], ...]:
    """The rows as text with their figures; read once, for a server that answers many."""
    with Path(__file__).with_name("chips.csv").open(encoding="utf-8", newline="") as file:
        return tuple((row, tuple(_figures(row))) for row in csv.DictReader(file))


def _close(chip: Chip, peak_flop_per_s: float) -> Iterator[bool]:
    for figure in chip.catalogued:
        yield abs(peak_flop_per_s - figure.flop_per_s) <= SAME_WITHIN * figure.flop_per_s


def _alike(figure: float, wanted: float) -> bool:
    return abs(wanted - figure) <= 2 * SAME_WITHIN * figure  # wider than the rule, which is applied to the chip


def _figures(row: Mapping[str, str]) -> Iterator[float]:
    """Every figure that the row may give for one device, TFLOP/s: as printed, and times its sparsity factor."""
    devices = float(row["devices_per_package"] or 1)
    factor = float(row["sparsity_factor"] or 1)
    for column, text in row.items():
        if text and column.endswith(_SUFFIXES):
            for part in text.split("|"):
                value = float(part.rpartition("=")[2]) / devices
                yield value
                yield value * factor
