"""reference/chips.md from the chip catalogue."""

from __future__ import annotations

from pages.markdown import opening, page, table
from peakwise.core.chip import Chip, Precision
from peakwise.core.units import to_giga, to_tera
from peakwise.facts.chips import load_chips

SHOWN: tuple[Precision, ...] = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")


def write() -> str:
    """The page of chips: dense peaks, memory and bandwidth of one device, then names and sources."""
    chips = load_chips()
    lines = opening(
        "Chips",
        "Figures are for **one device**, dense, with fp32 accumulate. TFLOP/s (int8: 10¹² operations/s); "
        "GB is 10⁹ bytes. An empty cell: the vendor states none.",
    )
    heads = ["id", "name", *(f"{precision}:" for precision in SHOWN), "GB:", "GB/s:", "devices per package:"]
    lines += ["## Peaks of one device", "", *table(heads, [_figures(chip) for chip in chips])]
    lines += ["## Names and sources", ""]
    lines += table(
        ["id", "vendor", "form", "a device is", "aliases", "confidence", "source"],
        [
            (
                f"`{chip.id}`",
                chip.vendor,
                chip.form_factor,
                chip.device_is,
                ", ".join(chip.aliases),
                chip.confidence,
                chip.source,
            )
            for chip in chips
        ],
    )
    return page(lines)


def _figures(chip: Chip) -> list[object]:
    peaks = [chip.peak_flop_per_s(precision) for precision in SHOWN]
    memory, bandwidth = chip.memory_bytes, chip.bandwidth_byte_per_s
    return [
        f"`{chip.id}`",
        chip.name,
        *("" if peak is None else f"{round(to_tera(peak), 4):,.6g}" for peak in peaks),
        "" if memory is None else f"{to_giga(memory):g}",
        "" if bandwidth is None else f"{to_giga(bandwidth):g}",
        chip.devices_per_package,
    ]
