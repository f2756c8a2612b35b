"""A page of the catalogue on paper: chips, models or published runs, one a row."""

from __future__ import annotations

from typing import assert_never, cast

from peakwise.core.catalog import CatalogPage, ChipRow, ModelRow, RunRow
from peakwise.core.matmul_rate import MeasuredPeak
from peakwise.core.quantity import Quantity
from peakwise.core.units import to_giga, to_tera
from peakwise.report.blocks import Block, Column, Document, Gap, Row, Sentence, Table, Title, Warned
from peakwise.report.figures import UNKNOWN, counted, figure, percent
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw


def describe(page: CatalogPage) -> Document:
    """The document of a catalogue page."""
    match page.kind:
        case "chips":
            table, unit = _chips(cast("tuple[ChipRow, ...]", page.rows)), "chip"
            note = "Dense peaks of one device, the 16-bit and the 8-bit type; TFLOP/s, GB = 10⁹ bytes, TB/s."
        case "models":
            table, unit = _models(cast("tuple[ModelRow, ...]", page.rows)), "model"
            note = "Parameters in 10⁹: all, and those that one token meets."
        case "runs":
            table, unit = _runs(cast("tuple[RunRow, ...]", page.rows)), "run"
            note = (
                "Per device. MFU over the dense 16-bit peak: as published, and by the run's own rule as counted here."
            )
        case _:
            assert_never(page.kind)
    measured = _measured(page)
    found = counted(len(page.rows), unit, f"{unit}s") + (f" for {page.query}" if page.query else "")
    rows: tuple[Block, ...] = (Title(found), Sentence(note), Gap(), table) if page.rows else ()
    blocks = (*measured, *((Gap(),) if measured and rows else ()), *rows)
    return Document(
        title=f"Peakwise catalogue: {page.kind}",
        blocks=blocks,
        warned=tuple(Warned(finding) for finding in page.warnings),
        footer=f"`catalog {page.kind}` · Peakwise {page.version}",
    )


def render(page: CatalogPage, form: Shape = "text", paper: Paper | None = None) -> str:
    """The page in one form."""
    return draw(describe(page), form, paper)


_CHIPS = (
    Column("id", width=20),
    Column("16 bits", width=10),
    Column("8 bits", width=10),
    Column("GB", width=8),
    Column("TB/s", width=8),
    Column("name; one device is", words=True, from_width=80),
)


def _chips(rows: tuple[ChipRow, ...]) -> Table:
    return Table(_CHIPS, tuple(_chip(row) for row in rows))


def _chip(row: ChipRow) -> Row:
    return Row(
        (
            row.id,
            _tera(row.dense16, 1),
            _tera(row.dense_fp8, 1),
            UNKNOWN if row.memory is None else figure(to_giga(row.memory.value), 0),
            _tera(row.bandwidth, 2),
            "; ".join(part for part in (row.name, row.device_is) if part),
        )
    )


def _tera(quantity: Quantity | None, decimals: int) -> str:
    return UNKNOWN if quantity is None else figure(to_tera(quantity.value), decimals)


_MEASURED = (
    Column("device; library", words=True),
    Column("type", width=6),
    Column("m = n = k", width=11),
    Column("runs", width=6),
    Column("TFLOP/s", width=10),
    Column("spread", width=18),
)


def _measured(page: CatalogPage) -> tuple[Block, ...]:
    """The rates that this machine reached, and how one is used."""
    if not page.measured:
        return ()
    best = max(page.measured, key=lambda peak: peak.flop_per_s)
    flag = f'--peak "{to_tera(best.flop_per_s):.4g} TFLOP/s"'
    return (
        Title("Measured on this machine"),
        Sentence("Achievable matmul rates, median and 10 to 90 % of the runs: measured, no datasheet's peak."),
        Gap(),
        Table(_MEASURED, tuple(_measured_row(peak) for peak in page.measured)),
        Gap(),
        Sentence(f"As the peak of a measurement, where it counts as declared: {flag}", "dim"),
    )


def _measured_row(peak: MeasuredPeak) -> Row:
    low, high = (f"{to_tera(value):.4g}" for value in (peak.low, peak.high))
    return Row(
        (
            f"{peak.device}; {peak.library}",
            peak.precision,
            figure(peak.m, 0),
            figure(peak.n_runs, 0),
            f"{to_tera(peak.flop_per_s):.4g}",
            f"{low} to {high}",
        )
    )


_MODELS = (
    Column("id", width=28),
    Column("all", width=11),
    Column("active", width=11),
    Column("model_type; Hub id", words=True),
)


def _models(rows: tuple[ModelRow, ...]) -> Table:
    return Table(_MODELS, tuple(_model(row) for row in rows))


def _model(row: ModelRow) -> Row:
    return Row(
        (
            row.id,
            figure(to_giga(row.n_params.value), 2),
            figure(to_giga(row.n_active_params.value), 2),
            "; ".join(part for part in (row.model_type, row.hub_id) if part),
        )
    )


_RUNS = (
    Column("id", width=23),
    Column("MFU", width=8),
    Column("counted", width=9),
    Column("TFLOP/s", width=9),
    Column("token/s", width=10),
    Column("run; hardware", words=True, from_width=80),
)


def _runs(rows: tuple[RunRow, ...]) -> Table:
    return Table(_RUNS, tuple(_run(row) for row in rows))


def _run(row: RunRow) -> Row:
    hardware = row.chip if row.devices is None else f"{row.devices:,} {row.chip}"
    return Row(
        (
            row.id,
            UNKNOWN if row.published_mfu is None else percent(row.published_mfu.value),
            UNKNOWN if row.recomputed_mfu is None else percent(row.recomputed_mfu.value),
            _tera(row.flop_per_s, 1),
            UNKNOWN if row.tokens_per_s is None else figure(row.tokens_per_s.value, 1),
            "; ".join(part for part in (row.name, hardware, row.note) if part),
        )
    )
