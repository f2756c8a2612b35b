"""The JSON documents of the catalogue as types."""

from __future__ import annotations

from typing import Literal, TypedDict

from pages.documents import QuantityDocument, WarningDocument


class StatedPeakDocument(TypedDict):
    """The datasheet's figures of one type, for one device."""

    precision: str
    kind: Literal["datasheet"]
    dense_flop_per_s: QuantityDocument
    sparse_flop_per_s: QuantityDocument | None


class AlternativeDocument(TypedDict):
    """A figure that another document gives, for one device; never used."""

    precision: str
    flop_per_s: QuantityDocument


class ChipDocument(TypedDict):
    """One chip, its figures for one device."""

    id: str
    name: str
    vendor: str
    device_is: str
    devices_per_package: QuantityDocument
    dense16_precision: str | None
    dense16_flop_per_s: QuantityDocument | None
    dense_fp8_flop_per_s: QuantityDocument | None
    memory_bytes: QuantityDocument | None
    bandwidth_byte_per_s: QuantityDocument | None
    confidence: str
    source: str
    notes: str
    peaks: list[StatedPeakDocument]
    alternatives: list[AlternativeDocument]


class ModelDocument(TypedDict):
    """One model of the catalogue."""

    id: str
    name: str
    model_type: str
    hub_id: str
    n_params: QuantityDocument
    n_active_params: QuantityDocument


class MatmulShapeDocument(TypedDict):
    """(m, k) by (k, n)."""

    m: int
    n: int
    k: int


class MeasuredPeakDocument(TypedDict):
    """The rate that a device of this machine reached in one type."""

    kind: Literal["measured"]
    device: str
    library: str
    precision: str
    shape: MatmulShapeDocument
    n_runs: int
    flop_per_s: QuantityDocument
    low_flop_per_s: QuantityDocument
    high_flop_per_s: QuantityDocument


class ChipCatalogDocument(TypedDict):
    """`peakwise catalog chips --json`."""

    schema: Literal["peakwise.catalog/1"]
    version: str
    kind: Literal["chips"]
    query: str | None
    rows: list[ChipDocument]
    measured: list[MeasuredPeakDocument]
    warnings: list[WarningDocument]


class ModelCatalogDocument(TypedDict):
    """`peakwise catalog models --json`."""

    schema: Literal["peakwise.catalog/1"]
    version: str
    kind: Literal["models"]
    query: str | None
    rows: list[ModelDocument]
    measured: list[MeasuredPeakDocument]
    warnings: list[WarningDocument]
