"""What `catalog` answers: rows of chips, models or published runs, each number with its unit and source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from peakwise.core.case import Case
from peakwise.core.chip import Chip, Precision
from peakwise.core.count import Parameters
from peakwise.core.drawn import drawn
from peakwise.core.errors import InputError, Json
from peakwise.core.finding import Finding
from peakwise.core.matmul_rate import MeasuredPeak
from peakwise.core.model import Model
from peakwise.core.quantity import Quantity, quantity_dict

Kind = Literal["chips", "models", "runs"]
KINDS: tuple[Kind, ...] = ("chips", "models", "runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A figure that another document gives for one device, FLOP/s of one type: shown, never used."""

    figure: str
    flop_per_s: Quantity

    def to_dict(self) -> Json:
        """The entry of the document."""
        return {"precision": self.figure, "flop_per_s": self.flop_per_s.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPeak:
    """The datasheet's figure of one type for one device: dense, and with structured sparsity where it has one."""

    precision: Precision
    dense: Quantity
    sparse: Quantity | None

    def to_dict(self) -> Json:
        """The entry of the document."""
        return {
            "precision": self.precision,
            "kind": "datasheet",
            "dense_flop_per_s": self.dense.to_dict(),
            "sparse_flop_per_s": quantity_dict(self.sparse),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipRow:
    """One chip as its catalogue row says it, per device: `device_is` says what the framework lists as one."""

    id: str
    name: str
    vendor: str
    device_is: str
    devices_per_package: int
    dense16_precision: Precision | None
    dense16: Quantity | None
    dense_fp8: Quantity | None
    memory: Quantity | None
    bandwidth: Quantity | None
    confidence: str
    source: str
    notes: str
    peaks: tuple[StatedPeak, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @staticmethod
    def from_chip(chip: Chip, alternatives: tuple[Alternative, ...] = ()) -> ChipRow:
        """The row of a chip. The figures of a part of a package are derived, the others as stated."""
        return ChipRow(
            id=chip.id,
            name=chip.name,
            vendor=chip.vendor,
            device_is=chip.device_is,
            devices_per_package=chip.devices_per_package,
            dense16_precision=chip.dense16_precision,
            dense16=_quantity(chip, chip.dense16_flop_per_s, "FLOP/s"),
            dense_fp8=_quantity(chip, chip.peak_flop_per_s("fp8"), "FLOP/s"),
            memory=_quantity(chip, chip.memory_bytes, "byte"),
            bandwidth=_quantity(chip, chip.bandwidth_byte_per_s, "byte/s"),
            confidence=chip.confidence,
            source=chip.source,
            notes=chip.notes,
            peaks=_peaks(chip),
            alternatives=alternatives,
        )

    def to_dict(self) -> Json:
        """The row of the document."""
        return {
            "id": self.id,
            "name": self.name,
            "vendor": self.vendor,
            "device_is": self.device_is,
            "devices_per_package": _count(self.devices_per_package, self.source),
            "dense16_precision": self.dense16_precision,
            "dense16_flop_per_s": quantity_dict(self.dense16),
            "dense_fp8_flop_per_s": quantity_dict(self.dense_fp8),
            "memory_bytes": quantity_dict(self.memory),
            "bandwidth_byte_per_s": quantity_dict(self.bandwidth),
            "confidence": self.confidence,
            "source": self.source,
            "notes": self.notes,
            "peaks": [peak.to_dict() for peak in self.peaks],
            "alternatives": [one.to_dict() for one in self.alternatives],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model of the catalogue: its names, and its parameters as its config gives them."""

    id: str
    name: str
    model_type: str
    hub_id: str
    n_params: Quantity
    n_active_params: Quantity

    @staticmethod
    def from_model(model: Model, parameters: Parameters, hub_id: str) -> ModelRow:
        """The row of a model whose parameters were counted from its config."""
        return ModelRow(
            id=model.id,
            name=model.name,
            model_type=model.model_type,
            hub_id=hub_id,
            n_params=_parameters(parameters.total),
            n_active_params=_parameters(parameters.active),
        )

    def to_dict(self) -> Json:
        """The row of the document."""
        return {
            "id": self.id,
            "name": self.name,
            "model_type": self.model_type,
            "hub_id": self.hub_id,
            "n_params": self.n_params.to_dict(),
            "n_active_params": self.n_active_params.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One published run: its figures as published, of one device, and the MFU that its own rule gives here.

    `published_mfu` and `recomputed_mfu` are over the dense 16-bit peak; None where a figure was not published, or the
    run's rule or model is not known.
    """

    id: str
    name: str
    chip: str
    devices: int | None
    model: str
    published_mfu: Quantity | None
    recomputed_mfu: Quantity | None
    flop_per_s: Quantity | None
    tokens_per_s: Quantity | None
    source: str
    date: str
    note: str

    @staticmethod
    def from_case(case: Case, recomputed: float | None) -> RunRow:
        """The row of a published run; `recomputed`: its MFU by its own rule, fraction."""

        def stated(value: float | None, unit: str, figure: str) -> Quantity | None:
            if value is None:
                return None
            basis = "derived" if case.marks.get(figure) == "derived" else "stated"
            return Quantity(value=value, unit=unit, basis=basis, source=case.source)

        again = None
        if recomputed is not None:
            again = Quantity(value=recomputed, unit="fraction", basis="derived", source=f"counted from {case.config}")
        return RunRow(
            id=case.id,
            name=case.name,
            chip=case.chip,
            devices=case.devices,
            model=case.config,
            published_mfu=stated(case.mfu, "fraction", "mfu"),
            recomputed_mfu=again,
            flop_per_s=stated(case.flop_per_s_per_device, "FLOP/s", ""),
            tokens_per_s=stated(case.tokens_per_s_per_device, "token/s", "rate"),
            source=case.source,
            date=case.date,
            note=case.note,
        )

    def to_dict(self) -> Json:
        """The row of the document."""
        devices = None if self.devices is None else _count(self.devices, self.source)
        return {
            "id": self.id,
            "name": self.name,
            "chip": self.chip or None,
            "devices": devices,
            "model": self.model or None,
            "published_mfu": quantity_dict(self.published_mfu),
            "recomputed_mfu": quantity_dict(self.recomputed_mfu),
            "flop_per_s_per_device": quantity_dict(self.flop_per_s),
            "tokens_per_s_per_device": quantity_dict(self.tokens_per_s),
            "source": self.source,
            "date": self.date,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogPage:
    """The rows of one catalogue that a query fits; all of them without a query. `draw` is set by the verb.

    `measured`: rates that this machine reached, where they were asked for.
    """

    kind: Kind
    query: str | None
    rows: tuple[ChipRow, ...] | tuple[ModelRow, ...] | tuple[RunRow, ...]
    version: str
    warnings: tuple[Finding, ...] = ()
    measured: tuple[MeasuredPeak, ...] = ()
    draw: Callable[[Any, Any], str] | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> Json:
        """The document `peakwise.catalog/1`."""
        return {
            "schema": "peakwise.catalog/1",
            "version": self.version,
            "kind": self.kind,
            "query": self.query,
            "rows": [row.to_dict() for row in self.rows],
            "measured": [peak.to_dict() for peak in self.measured],
            "warnings": [warning.to_dict() for warning in self.warnings],
        }

    def to_markdown(self) -> str:
        """The page as Markdown."""
        return drawn(self, "markdown")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


def check_kind(kind: str) -> Kind:
    """The catalogue of this name. **Raises** InputError for one that is not there."""
    for known in KINDS:
        if kind == known:
            return known
    raise InputError(
        f'unknown catalogue "{kind}"',
        where="catalog",
        got=kind or "an empty name",
        expected=f"{', '.join(KINDS[:-1])} or {KINDS[-1]}",
        hint=f"peakwise catalog {_nearest_kind(kind)}",
    )


def _nearest_kind(kind: str) -> Kind:
    for known in KINDS:
        if known[0] == kind[:1].lower():
            return known
    return KINDS[0]


def _quantity(chip: Chip, value: float | None, unit: str) -> Quantity | None:
    if value is None:
        return None
    whole = chip.devices_per_package == 1
    source = chip.source if whole else f"{chip.source}; the package's ÷ {chip.devices_per_package}"
    return Quantity(value=value, unit=unit, basis="stated" if whole else "derived", source=source)


def _peaks(chip: Chip) -> tuple[StatedPeak, ...]:
    found: list[StatedPeak] = []
    for peak in chip.peaks:
        dense = _quantity(chip, chip.peak_flop_per_s(peak.precision), "FLOP/s")
        if dense is not None:
            sparse = _quantity(chip, chip.sparse_peak_flop_per_s(peak.precision), "FLOP/s")
            found.append(StatedPeak(precision=peak.precision, dense=dense, sparse=sparse))
    return tuple(found)


def _parameters(value: int) -> Quantity:
    return Quantity(value=value, unit="parameter", basis="derived", source="counted from its config.json")


def _count(value: int, source: str) -> Json:
    return Quantity(value=value, unit="device", basis="stated", source=source).to_dict()
