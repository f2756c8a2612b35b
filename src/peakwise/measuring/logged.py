"""The producer's own figures, as printed, and the peak that they imply."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.measurement import Logged
from peakwise.core.quantity import Quantity
from peakwise.measuring.formula import records_of_one_formula
from peakwise.measuring.timeline import Timeline, median_of


def read_logged(line: Timeline, fits: tuple[str, ...]) -> Logged:
    """The producer's FLOP/s and MFU over the used records, and the peak behind them. Rules 18, 19.

    `fits`: ids of the chips whose dense 16-bit peak is the implied one.
    """
    flop = median_of(line.series["flop_per_s_per_device"], records_of_one_formula(line))
    mfu = median_of(line.series["mfu"], records_of_one_formula(line))
    peak = imply_peak(line)
    printed = f"as printed, {line.over_records()}"
    rule = line.series.convention
    return Logged(
        flop_per_s_per_device=_over_known_peak(line, mfu)
        if flop is None
        else Quantity(value=flop, unit="FLOP/s", basis="measured", source=f"by {rule}'s rule" if rule else printed),
        mfu=None if mfu is None else Quantity(value=mfu, unit="fraction", basis="measured", source=printed),
        implied_peak_flop_per_s=None
        if peak is None
        else replace(peak, source=f"fits {', '.join(fits)}" if fits else "fits no chip of the catalogue"),
        convention=rule if flop is not None or mfu is not None else "",
    )


def _over_known_peak(line: Timeline, mfu: float | None) -> Quantity | None:
    """FLOP/s of a producer that prints its MFU alone, where the peak it divides by is stated."""
    stated = line.series.stated.get("peak_flop_per_s")
    if mfu is None or stated is None:
        return None
    value = mfu * float(stated.value)
    return Quantity(value=value, unit="FLOP/s", basis="derived", source="its MFU × its peak")


def imply_peak(line: Timeline) -> Quantity | None:
    """The peak in FLOP/s that the producer divides by: as it states it, else its FLOP/s ÷ its MFU."""
    stated = line.series.stated.get("peak_flop_per_s")
    if stated is not None:
        return Quantity(value=float(stated.value), unit="FLOP/s", basis="stated", source=stated.source)
    flop = median_of(line.series["flop_per_s_per_device"], records_of_one_formula(line))
    mfu = median_of(line.series["mfu"], records_of_one_formula(line))
    if flop is None or mfu is None or mfu <= 0:
        return None
    return Quantity(value=flop / mfu, unit="FLOP/s", basis="solved", source="its FLOP/s ÷ its MFU")
