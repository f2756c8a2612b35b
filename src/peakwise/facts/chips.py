"""The chip catalogue: reviewed rows of chips.csv as chips in base units."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from peakwise.core.chip import CataloguedPeak, Chip, NamedMemory, Peak, Precision
from peakwise.core.errors import CatalogError
from peakwise.core.units import from_giga, from_tera

# The column of each type. Matmul rates with fp32 accumulate; of fp64 the matrix rate where the part has one.
_COLUMNS: dict[Precision, tuple[str, ...]] = {
    "fp64": ("fp64_tensor_tflops", "fp64_tflops"),
    "fp32": ("fp32_tflops",),
    "tf32": ("tf32_tflops",),
    "fp16": ("fp16_fp32acc_tflops",),
    "bf16": ("bf16_tflops",),
    "fp8": ("fp8_fp32acc_tflops",),
    "int8": ("int8_tops",),
    "fp6": ("fp6_tflops",),
    "fp4": ("fp4_tflops",),
}
_SHIPPED = ("high", "medium")  # a row of low confidence needs a second source before it may ship

FITS_WITHIN = 0.005  # logs print a peak with three digits or fewer: 988.9 for 989.4
SAME_WITHIN = 0.001  # a typed figure is the catalogued one within 0.1 %, rule of W_PREC


@functools.cache
def load_chips() -> tuple[Chip, ...]:
    """Every chip of the catalogue, sorted by id. **Raises** CatalogError for a row that breaks the rules."""
    with Path(__file__).with_name("chips.csv").open(encoding="utf-8", newline="") as file:
        return read_chips(csv.DictReader(file))


def read_chips(rows: Iterable[Mapping[str, str]]) -> tuple[Chip, ...]:
    """Rows as chips. **Raises** CatalogError for a row without source, of low confidence, out of order or ill-typed."""
    chips = tuple(_read_row(row) for row in rows)
    for before, after in pairwise(chips):
        if before.id >= after.id:
            raise CatalogError("chips.csv is not sorted by id", where=after.id, got=before.id)
    return chips


def chip_by_id(chip_id: str) -> Chip | None:
    """The chip of an exact id, or None."""
    return _by_id().get(chip_id)


def fits(peak_flop_per_s: float) -> tuple[Chip, ...]:
    """Chips whose 16-bit dense peak for one device is within 0.5 % of `peak_flop_per_s`, FLOP/s.

    **Leaves out** the variants that sell the silicon of a listed chip under another name (`variant_of`).
    """
    return tuple(
        chip
        for chip in load_chips()
        if not chip.variant_of
        and chip.dense16_flop_per_s is not None
        and abs(peak_flop_per_s - chip.dense16_flop_per_s) <= FITS_WITHIN * chip.dense16_flop_per_s
    )


@functools.cache
def catalogued_peaks() -> tuple[CataloguedPeak, ...]:
    """Every figure of the catalogue for one device: dense and sparse, each type."""
    return tuple(peak for chip in load_chips() for peak in chip.catalogued)


def peaks_like(peak_flop_per_s: float) -> tuple[CataloguedPeak, ...]:
    """The catalogued figures within 0.1 % of `peak_flop_per_s`, FLOP/s."""
    return tuple(
        peak for peak in catalogued_peaks() if abs(peak_flop_per_s - peak.flop_per_s) <= SAME_WITHIN * peak.flop_per_s
    )


@functools.cache
def _by_id() -> dict[str, Chip]:
    return {chip.id: chip for chip in load_chips()}


def _read_row(row: Mapping[str, str]) -> Chip:
    if row["confidence"] not in _SHIPPED:
        raise CatalogError(
            "a row of this confidence does not ship",
            where=row["id"],
            got=row["confidence"],
            expected=" or ".join(_SHIPPED),
        )
    peaks = _read_peaks(row)
    bandwidth = _figure(row, row["mem_bw_gbs"])
    return Chip(
        id=row["id"],
        vendor=row["vendor"],
        name=row["name"],
        full_name=row["full_name"],
        form_factor=row["form_factor"],
        aliases=tuple(dict.fromkeys(_list(row["aliases"]) + _list(row["jax_device_kind"]))),
        peaks=peaks,
        sparse_peaks=_read_sparse(row, peaks),
        package_memory_bytes=_memory(row, row["mem_gb"]),
        package_bandwidth_byte_per_s=None if bandwidth is None else from_giga(bandwidth),
        devices_per_package=int(_figure(row, row["devices_per_package"]) or 0),
        device_is=row["device_is"],
        confidence=row["confidence"],
        source=row["source"].strip(),
        notes=row["notes"],
        rated_boost=row["rated_boost"] == "yes",
        variant_of=row["variant_of"],
        year=int(_figure(row, row["year"]) or 0) or None,
        memory_type=row["mem_type"],
        named_memory=tuple(_read_memory(row, text) for text in _list(row["alias_memory_gb"])),
    )


def _read_peaks(row: Mapping[str, str]) -> tuple[Peak, ...]:
    found: list[Peak] = []
    for precision, columns in _COLUMNS.items():
        figure = next((value for column in columns if (value := _figure(row, row[column])) is not None), None)
        if figure is not None:
            found.append(Peak(precision=precision, package_flop_per_s=from_tera(figure)))
    return tuple(found)


def _read_sparse(row: Mapping[str, str], dense: tuple[Peak, ...]) -> tuple[Peak, ...]:
    """Figures with structured sparsity: the dense ones × `sparsity_factor`, and those the vendor prints otherwise."""
    factor = _figure(row, row["sparsity_factor"])
    types = _list(row["sparsity_types"])
    printed: dict[str, str] = {}
    for text in _list(row["sparse_printed_tflops"]):
        precision, _, figure_text = text.partition("=")
        printed[precision] = figure_text
    if factor is None or not row["sparsity_source"] or set(types) - {peak.precision for peak in dense}:
        raise CatalogError("the sparse figures of a chip need a factor, a source and dense figures", where=row["id"])
    found: list[Peak] = []
    for peak in dense:
        figure = _figure(row, printed.get(peak.precision, ""))
        if figure is not None:
            found.append(Peak(precision=peak.precision, package_flop_per_s=from_tera(figure)))
        elif peak.precision in types:
            found.append(Peak(precision=peak.precision, package_flop_per_s=peak.package_flop_per_s * factor))
    return tuple(found)


def _read_memory(row: Mapping[str, str], text: str) -> NamedMemory:
    """`alias=GB`, `alias=GB@GB/s` where the bandwidth differs too, or `alias=` where the name leaves it open."""
    alias, stated, figures = text.partition("=")
    memory, _, bandwidth = figures.partition("@")
    size, rate = _memory(row, memory), _figure(row, bandwidth or row["mem_bw_gbs"])
    if not stated or alias not in _list(row["aliases"]):
        raise CatalogError("alias_memory_gb names no alias of its row", where=row["id"], got=text)
    return NamedMemory(
        alias=alias,
        package_memory_bytes=size,
        package_bandwidth_byte_per_s=None if rate is None else from_giga(rate),
    )


def _memory(row: Mapping[str, str], text: str) -> int | None:
    figure = _figure(row, text)
    return None if figure is None else round(from_giga(figure))


def _figure(row: Mapping[str, str], text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise CatalogError("a figure must be a positive number", where=row["id"], got=text)
    return value


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split("|")) if text else ()
