"""The chart data of a comparison as pictures and tables: rules, the two side by side, versions, the five factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from peakwise.calculators.compare_chart import CompareChart, SideRow, VersionRow, draw_compare, list_versions
from peakwise.calculators.compare_work import PUBLISHED, Pair, Side
from peakwise.core.case import Case
from peakwise.core.chart import Axis, Chart, Column, DotChart, Listing, Twin
from peakwise.core.chart import Pair as Marks
from peakwise.core.declaration import Display
from peakwise.core.units import GIGA, TERA

_PERCENT = Display(form="percent", decimals=2)
_WHOLE_PERCENT = Display(form="percent", decimals=0)
_RATIO = Display(form="number", decimals=2)
_WORD = Display(form="text")
# How each line of the table side by side is written.
_DISPLAYS: Mapping[str, Display] = {
    "mfu_published": _PERCENT,
    "mfu_exact": _PERCENT,
    "mfu_fp8": _PERCENT,
    "flop_per_s": Display(form="number", scale=TERA, decimals=1),
    "tokens_per_s": Display(form="number", decimals=0),
    "device_hours_per_tera_token": Display(form="number", decimals=0),
    "flop_per_token": Display(form="number", scale=GIGA, decimals=2),
    "peak": Display(form="number", scale=TERA, decimals=0),
    "matmul_params": Display(form="number", scale=GIGA, decimals=2),
}


def draw_charts(pair: Pair, cases: Mapping[str, Case]) -> tuple[Chart, ...]:
    """The charts and tables of one comparison; those of published runs only where there are such."""
    return tuple(_charts(pair, draw_compare(pair), cases))


def _charts(pair: Pair, data: CompareChart, cases: Mapping[str, Case]) -> Iterator[Chart]:
    a, b = _name(pair.a), _name(pair.b)
    if data.rules:
        rows = [
            Marks(row.rule if row.denominator == "bf16" else f"{row.rule}_fp8", row.a.mfu, row.b.mfu)
            for row in data.rules
            if row.denominator == "bf16" or row.rule == PUBLISHED
        ]
        yield DotChart("rules", Axis("mfu", _PERCENT), a, b, tuple(rows))
    else:
        yield DotChart("rules", Axis("mfu", _PERCENT), a, b, (Marks("as_given", pair.a.mfu, pair.b.mfu),))
    yield _side_by_side(data.side_by_side, a, b)
    if data.factors:
        columns = (Column("factor", _WORD), Column(a, _WORD), Column(b, _WORD))
        listed = tuple((row.factor, _listed(row.a), _listed(row.b)) for row in data.factors)
        yield Listing("factors", Twin(columns, listed))
    runs = dict.fromkeys(side.case.run for side in (pair.a, pair.b) if side.case is not None)
    for run in runs:
        versions = list_versions(cases, run)
        if len(versions) > 1:
            yield _versions(versions)


def _name(side: Side) -> str:
    return f"run_{side.letter}" if side.case is None else f"={side.case.name}"


def _listed(words: tuple[str, ...]) -> str | None:
    return f"={', '.join(words)}" if words else None


def _side_by_side(rows: tuple[SideRow, ...], a: str, b: str) -> Listing:
    """The table of both runs: each line written in its own way, so its cells are texts that stand apart."""
    columns = (Column("measure", _WORD), Column(a, _RATIO), Column(b, _RATIO), Column("ratio", _RATIO))
    known = tuple((row.key, row.a, row.b, row.ratio) for row in rows if row.a is not None or row.b is not None)
    return Listing("side_by_side", Twin(columns, known, displays=tuple(_DISPLAYS[str(row[0])] for row in known)))


def _versions(versions: tuple[VersionRow, ...]) -> DotChart:
    rows = tuple(Marks(f"={row.version}", row.first_mfu, row.mfu) for row in versions)
    columns = (Column("version", _WORD), Column("first", _WHOLE_PERCENT), Column("tuned", _WHOLE_PERCENT))
    columns += (Column("what_moved", _WORD),)
    moved = tuple((f"={row.version}", row.first_mfu, row.mfu, _moved(row)) for row in versions)
    return DotChart(
        "versions", Axis("mfu", _WHOLE_PERCENT), "first", "tuned", rows, joined=True, twin=Twin(columns, moved)
    )


def _moved(row: VersionRow) -> str | None:
    """What moved the MFU of a version, or that nothing is published."""
    if not row.published:
        return "not_published"
    return _listed(tuple(move.text for move in row.moves))
