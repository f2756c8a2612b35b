"""The chip of a run: the flag's, else the one whose name the log states."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.chip import Chip
from peakwise.core.errors import UnknownChip
from peakwise.core.series import Series
from peakwise.facts.match import find_chip


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundChip:
    """The chip, or None and, where the log names one that the catalogue lacks, why."""

    chip: Chip | None
    gap: str = ""


def read_chip(flag: str | None, series: Series) -> FoundChip:
    """The chip of `--chip`, else of the log. **Raises** UnknownChip for a flag that names no chip."""
    if flag is not None:
        return FoundChip(chip=find_chip(flag))
    stated = series.stated.get("chip")
    if stated is None:
        return FoundChip(chip=None)
    name = str(stated.value)
    try:
        return FoundChip(chip=find_chip(name))
    except UnknownChip as error:
        return FoundChip(chip=None, gap=f'the log says "{name[:60]}": {error.message}')
