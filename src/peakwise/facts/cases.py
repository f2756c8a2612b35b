"""The published runs that others are compared with, from cases.toml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from peakwise.core.case import MARKS, Case, CaseRule, CaseShape, Hours, Mark, Move, Overhead
from peakwise.core.chip import Chip, Precision
from peakwise.core.errors import CatalogError, InputError
from peakwise.core.units import S_PER_HOUR, from_giga, from_percent, from_tera
from peakwise.facts.chip_names import is_run, plain_tokens
from peakwise.facts.chips import chip_by_id
from peakwise.facts.section import list_sections, load_section

PATH = Path(__file__).with_name("cases.toml")

_KEYS = frozenset(
    {
        "name",
        "run",
        "version",
        "source",
        "date",
        "chip",
        "devices",
        "peaks",
        "precision",
        "model",
        "seq_len",
        "rule",
        "tokens_per_s_per_device",
        "tokens_per_s",
        "step_s",
        "global_batch",
        "tokens",
        "overhead_h",
        "goodput_pct",
        "overheads",
        "tflops_per_device",
        "mfu_pct",
        "first_mfu_pct",
        "efficiency_gain",
        "params_b",
        "active_params_b",
        "layers",
        "width",
        "experts",
        "top_k",
        "routing",
        "compute",
        "parallelism",
        "network",
        "software",
        "moves",
        "marks",
        "note",
    }
)
_NEEDED = ("name", "run", "source", "date")
# Ways to say the rate of one device while stepping, each with all that it needs: one a row.
_RATES = (
    ("tokens_per_s_per_device",),
    ("tokens_per_s", "devices"),
    ("step_s", "global_batch", "seq_len", "devices"),
    ("tokens", "overhead_h", "goodput_pct", "devices"),
)

_LONGEST = 60  # no name of a run is longer

_Value = TypeVar("_Value")


class _Row:
    """One section of the table, read key by key."""

    def __init__(self, case_id: str) -> None:
        self.where = f"cases.toml [{case_id}]"
        self.table: Mapping[str, object] = load_section(PATH, case_id) or {}
        unknown = sorted(set(self.table) - _KEYS)
        absent = [key for key in _NEEDED if not self.table.get(key)]
        if unknown or absent:
            got = ", ".join(unknown) or f"no {absent[0]}"
            raise CatalogError("a row breaks the rules", where=self.where, got=got, expected="its known keys")

    def get(self, key: str, kind: type[_Value]) -> _Value | None:
        """The value of a key; None where the row has none. A whole number stands for a float."""
        value = self.table.get(key)
        if kind is float and type(value) is int:
            value = float(value)
        if value is None or type(value) is kind:
            return cast("_Value | None", value)
        raise CatalogError(f"{key} is of another kind", where=self.where, got=str(value), expected=kind.__name__)

    def text(self, key: str) -> str:
        """A text; empty where the row has none."""
        return self.get(key, str) or ""

    def words(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(cast("list[str]", self.table.get(key, [])))

    def tables(self, key: str) -> list[dict[str, object]]:
        """A list of tables."""
        return cast("list[dict[str, object]]", self.table.get(key, []))


def load_cases() -> Mapping[str, Case]:
    """Every published run by its id, in the order of the table; without its model.

    **Raises** CatalogError where a row breaks the rules.
    """
    return {case_id: _read(case_id) for case_id in list_sections(PATH)}


def list_cases(query: str | None) -> tuple[Case, ...]:
    """The published runs of which id, name, chip or model holds the tokens of `query` in order; all without a query.

    **Raises** InputError with the nearest ids where nothing fits.
    """
    cases = tuple(load_cases().values())
    if query is None:
        return cases
    wanted = plain_tokens(query[:_LONGEST])
    found = tuple(
        case
        for case in cases
        if any(is_run(wanted, plain_tokens(name)) for name in (case.id, case.name, case.chip, case.config))
    )
    return found or (find_case(query),)


def list_kin(cases: Iterable[Case]) -> tuple[Case, ...]:
    """The published runs of the same names as `cases`, every version of each, in the order of the table."""
    runs = {case.run for case in cases}
    return tuple(case for case in load_cases().values() if case.run in runs)


def find_case(name: str) -> Case:
    """The published run of an id. **Raises** InputError with the three nearest ids."""
    from difflib import get_close_matches

    ids = list_sections(PATH)
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    if key in ids:
        return _read(key)
    near = get_close_matches(key[:_LONGEST], ids, n=3, cutoff=0.0)
    raise InputError(
        f'no published run "{name[:_LONGEST]}" in the catalogue',
        where="CASE",
        got=name[:_LONGEST],
        expected=f"a catalogue id; nearest: {', '.join(near)}",
        hint="peakwise catalog runs",
    )


@cache
def _read(case_id: str) -> Case:
    row = _Row(case_id)
    chip = _chip(row)
    rate_way = _rate_way(row)
    seq_len, devices = row.get("seq_len", int), row.get("devices", int)
    hours = _hours(row) if rate_way and "overhead_h" in rate_way else None
    achieved = row.get("tflops_per_device", float)
    return Case(
        id=case_id,
        name=row.text("name"),
        run=row.text("run"),
        version=row.text("version"),
        source=row.text("source"),
        date=row.text("date"),
        chip="" if chip is None else chip.id,
        devices=devices,
        peaks=_peaks(row, chip),
        precision=cast("Precision | None", row.get("precision", str)),
        config=row.text("model"),
        seq_len=seq_len,
        rule=_rule(row),
        tokens_per_s_per_device=_rate(row, rate_way, hours),
        flop_per_s_per_device=None if achieved is None else from_tera(achieved),
        mfu=_fraction(row, "mfu_pct"),
        first_mfu=_fraction(row, "first_mfu_pct"),
        efficiency_gain=row.get("efficiency_gain", float),
        shape=_shape(row),
        hours=hours,
        overheads=tuple(_overheads(row)),
        parallelism=row.words("parallelism"),
        compute=row.words("compute"),
        software=row.words("software"),
        network=row.text("network"),
        routing=row.text("routing"),
        moves=tuple(_moves(row)),
        marks=_marks(row),
        note=row.text("note"),
    )


def _chip(row: _Row) -> Chip | None:
    name = row.text("chip")
    chip = chip_by_id(name) if name else None
    if name and chip is None:
        raise CatalogError("a run names a chip that the catalogue lacks", where=row.where, got=name)
    return chip


def _peaks(row: _Row, chip: Chip | None) -> Mapping[Precision, float]:
    """Dense peaks of one device, FLOP/s: the chip's, with those that the publication divides by in their place."""
    peaks: dict[Precision, float] = {}
    for peak in () if chip is None else chip.peaks:
        figure = None if chip is None else chip.peak_flop_per_s(peak.precision)
        if figure is not None:
            peaks[peak.precision] = figure
    for precision, tflops in cast("Mapping[Precision, float]", row.table.get("peaks", {})).items():
        peaks[precision] = float(from_tera(tflops))
    return peaks


def _rule(row: _Row) -> CaseRule | None:
    rule = cast("dict[str, object] | None", row.table.get("rule"))
    return None if rule is None else CaseRule(**rule)  # pyright: ignore[reportArgumentType]  the table's own keys


def _rate_way(row: _Row) -> tuple[str, ...]:
    """The keys that give the rate; empty where none was published."""
    ways = [way for way in _RATES if way[0] in row.table]
    if len(ways) > 1 or (ways and any(key not in row.table for key in ways[0])):
        raise CatalogError("the rate is said twice, or not in full", where=row.where, got=", ".join(w[0] for w in ways))
    return ways[0] if ways else ()


def _rate(row: _Row, way: tuple[str, ...], hours: Hours | None) -> float | None:
    """Token/s of one device while stepping."""
    if not way:
        return None
    if way[0] == "tokens_per_s_per_device":
        return row.get("tokens_per_s_per_device", float)
    devices = row.get("devices", int) or 1
    if hours is not None:
        return hours.tokens / hours.stepping_s / devices
    if way[0] == "tokens_per_s":
        return (row.get("tokens_per_s", float) or 0) / devices
    batch, seq_len, step_s = row.get("global_batch", int), row.get("seq_len", int), row.get("step_s", float)
    assert batch is not None and seq_len is not None and step_s is not None  # noqa: PT018  _rate_way saw them
    return batch * seq_len / step_s / devices


def _hours(row: _Row) -> Hours:
    tokens, overhead, goodput = (row.get(key, float) for key in ("tokens", "overhead_h", "goodput_pct"))
    assert tokens is not None and overhead is not None and goodput is not None  # noqa: PT018  _rate_way saw them
    return Hours(tokens=tokens, overhead_s=overhead * S_PER_HOUR, goodput=from_percent(goodput))


def _overheads(row: _Row) -> Iterator[Overhead]:
    for part in row.tables("overheads"):
        printed = cast("float | None", part.get("printed_pct"))
        share = None if printed is None else from_percent(printed)
        yield Overhead(id=str(part["id"]), seconds=cast(float, part["hours"]) * S_PER_HOUR, printed_share=share)


def _moves(row: _Row) -> Iterator[Move]:
    for move in row.tables("moves"):
        yield Move(id=str(move["id"]), text=str(move["text"]), speed_up=cast("float | None", move.get("speed_up")))


def _shape(row: _Row) -> CaseShape:
    params, active = row.get("params_b", float), row.get("active_params_b", float)
    return CaseShape(
        params=None if params is None else from_giga(params),
        active_params=None if active is None else from_giga(active),
        layers=row.get("layers", int),
        width=row.get("width", int),
        experts=row.get("experts", int),
        top_k=row.get("top_k", int),
    )


def _fraction(row: _Row, key: str) -> float | None:
    percent = row.get(key, float)
    return None if percent is None else from_percent(percent)


def _marks(row: _Row) -> Mapping[str, Mark]:
    marks = cast("Mapping[str, Mark]", row.table.get("marks", {}))
    for figure, mark in marks.items():
        if mark not in MARKS:
            raise CatalogError(f"an unknown mark of {figure}", where=row.where, got=mark, expected=", ".join(MARKS))
    return marks
