"""One accelerator: its dense peaks, memory and bandwidth, stored per package and divided once, here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from peakwise.core.errors import CatalogError

Precision = Literal["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4"]
PRECISIONS: tuple[Precision, ...] = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4")

# Bits of one element, to tell which runs are "in 16 bits or fewer" (DESIGN, Definitions, Denominator).
BITS: dict[Precision, int] = {
    "fp64": 64,
    "fp32": 32,
    "tf32": 32,
    "fp16": 16,
    "bf16": 16,
    "fp8": 8,
    "int8": 8,
    "fp6": 6,
    "fp4": 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The printed dense figure of one type, for the whole package, in FLOP/s (or integer operations/s)."""

    precision: Precision
    package_flop_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMemory:
    """Memory of the package, bytes, and its bandwidth, byte/s, where an alias names a part that has another one.

    None where the alias leaves it open (one device name for the 8 GB and the 16 GB part).
    """

    alias: str
    package_memory_bytes: int | None
    package_bandwidth_byte_per_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CataloguedPeak:
    """One figure that the catalogue gives for one device: whose, of which type, dense or with structured sparsity."""

    chip: str
    precision: Precision
    kind: Literal["dense", "sparse"]
    flop_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One row of the chip catalogue. The figures of a *device* are the package's ÷ `devices_per_package`.

    `device_is` says what the framework lists as one device: the package or a part of it. `peaks` are dense, with
    fp32 accumulate; `sparse_peaks` are the figures with structured sparsity, kept only to recognise one that was
    typed as a peak; `source` is what each figure was checked against; `rated_boost` marks parts that may pass 100 %.
    `name` is the short name that reports print, `full_name` the vendor's; `variant_of` the id of the chip whose
    silicon this one sells under another name.
    """

    id: str
    vendor: str
    name: str
    form_factor: str
    aliases: tuple[str, ...]
    peaks: tuple[Peak, ...]
    package_memory_bytes: int | None
    package_bandwidth_byte_per_s: float | None
    devices_per_package: int
    device_is: str
    confidence: str
    source: str
    notes: str
    rated_boost: bool = False
    full_name: str = ""
    variant_of: str = ""
    year: int | None = None
    sparse_peaks: tuple[Peak, ...] = ()
    memory_type: str = ""
    named_memory: tuple[NamedMemory, ...] = ()

    def __post_init__(self) -> None:
        if self.devices_per_package < 1:
            raise CatalogError("devices_per_package must be at least 1", where=self.id)
        if not self.source:
            raise CatalogError("a chip without a source is refused", where=self.id)

    def peak_flop_per_s(self, precision: Precision) -> float | None:
        """The dense peak of one device at `precision`, FLOP/s; None where the vendor states none."""
        return self._device_figure(self.peaks, precision)

    def sparse_peak_flop_per_s(self, precision: Precision) -> float | None:
        """The peak of one device with structured sparsity, FLOP/s; never a denominator of MFU."""
        return self._device_figure(self.sparse_peaks, precision)

    def _device_figure(self, peaks: tuple[Peak, ...], precision: Precision) -> float | None:
        for peak in peaks:
            if peak.precision == precision:
                return peak.package_flop_per_s / self.devices_per_package
        return None

    def called(self, alias: str) -> Chip:
        """This chip with the memory of the part that `alias` names."""
        for memory in self.named_memory:
            if memory.alias == alias:
                return replace(
                    self,
                    package_memory_bytes=memory.package_memory_bytes,
                    package_bandwidth_byte_per_s=memory.package_bandwidth_byte_per_s,
                )
        return self

    @property
    def dense16_flop_per_s(self) -> float | None:
        """The 16-bit dense peak of one device, FLOP/s; None where the vendor states none."""
        precision = self.dense16_precision
        return None if precision is None else self.peak_flop_per_s(precision)

    @property
    def catalogued(self) -> tuple[CataloguedPeak, ...]:
        """Every figure of one device, dense first."""
        dense = (self._catalogued(peak, "dense") for peak in self.peaks)
        sparse = (self._catalogued(peak, "sparse") for peak in self.sparse_peaks)
        return (*dense, *sparse)

    def _catalogued(self, peak: Peak, kind: Literal["dense", "sparse"]) -> CataloguedPeak:
        figure = peak.package_flop_per_s / self.devices_per_package
        return CataloguedPeak(chip=self.id, precision=peak.precision, kind=kind, flop_per_s=figure)

    @property
    def dense16_precision(self) -> Precision | None:
        """The 16-bit type whose peak MFU divides by: bf16 where the chip has it, else fp16."""
        for precision in ("bf16", "fp16"):
            if self.peak_flop_per_s(precision) is not None:
                return precision
        return None

    def denominator(self, precision: Precision) -> Precision | None:
        """The type whose peak is the denominator of MFU for a run in `precision`.

        16-bit for runs in 16 bits or fewer, the type's own otherwise. **Source** DESIGN, Definitions.
        """
        if BITS[precision] <= 16:
            return precision if BITS[precision] == 16 and self.peak_flop_per_s(precision) else self.dense16_precision
        return precision if self.peak_flop_per_s(precision) is not None else None

    @property
    def memory_bytes(self) -> float | None:
        """Memory of one device, bytes."""
        return None if self.package_memory_bytes is None else self.package_memory_bytes / self.devices_per_package

    @property
    def bandwidth_byte_per_s(self) -> float | None:
        """Memory bandwidth of one device, byte/s."""
        if self.package_bandwidth_byte_per_s is None:
            return None
        return self.package_bandwidth_byte_per_s / self.devices_per_package
