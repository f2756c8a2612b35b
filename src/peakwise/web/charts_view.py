"""The charts of a page: where each picture lies, what it says in words, and the table that says the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from peakwise.calculators.table import find_calculator
from peakwise.core.chart import BarChart, Chart, Column, DotChart, LineChart, Listing, Picture, Twin
from peakwise.core.declaration import Display
from peakwise.report.locale import show_value
from peakwise.web.sheet import Sheet
from peakwise.web.texts import read_texts

WIDE, NARROW = 704, 288  # px: beside its table, and on a phone (look: a chart is drawn for 288, not shrunk)
LITERAL = "="  # before a word that is a proper name, the same in every language
_WORD = Display(form="text")


class TableView(NamedTuple):
    """A table: its heads, its rows, which columns are numbers, and the reader's own row."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[bool, ...]
    current: int | None


class FigureView(NamedTuple):
    """One chart on a page. `wide` and `narrow`: addresses of its two pictures, empty where it is a table alone."""

    name: str
    title: str
    lead: str
    alt: str
    wide: str
    narrow: str
    table: TableView


def view_charts(sheet: Sheet) -> Iterator[FigureView]:
    """The charts of an answer, the main one first; none where there is no answer."""
    for chart in list_charts(sheet):
        yield FigureView(
            name=chart.name,
            title=_said(sheet, chart, "title"),
            lead=_said(sheet, chart, "lead"),
            alt=_said(sheet, chart, "alt") or _said(sheet, chart, "title"),
            wide="" if isinstance(chart, Listing) else _address(sheet, chart, WIDE),
            narrow="" if isinstance(chart, Listing) else _address(sheet, chart, NARROW),
            table=_table(sheet, chart),
        )


def list_charts(sheet: Sheet) -> tuple[Chart, ...]:
    """The charts that an answer draws."""
    calculation = sheet.calculation
    return () if calculation is None or calculation.charts is None else calculation.charts()


def word_of(sheet: Sheet, chart: Chart, key: str) -> str:
    """What a key of a chart is called: a word of the chart, a result, an input, a band, or a proper name."""
    if key.startswith(LITERAL):
        return key.removeprefix(LITERAL)
    found = _word_id(sheet.language, sheet.id, chart.name, key)
    return sheet.write(found) if found else key.replace("_", " ")


@cache
def _word_id(language: str, page: str, chart: str, key: str) -> str:
    """The id of the text that names a key of a chart; empty where there is none. Keys come from our own charts."""
    texts = read_texts(language)
    ways = [f"chart.{page}.{chart}.{key}", f"chart.{page}.{key}"]
    ways += [f"page.{page}.result.{key}.label", f"result.{key}.label"]
    ways += [f"page.{page}.field.{key}.label", f"field.{key}.label", f"band.{key}", f"word.{key}"]
    declaration = find_calculator(page).declaration
    ways += [f"choice.{field.key}.{key}" for field in declaration.fields if key in field.words]
    ways.append(f"chart.{key}")
    return next((way for way in ways if texts.has(way)), "")


def _said(sheet: Sheet, chart: Chart, part: str) -> str:
    key = sheet.variant(f"chart.{sheet.id}.{chart.name}.{part}")
    return sheet.write(key) if sheet.texts.has(key) else ""


def _address(sheet: Sheet, chart: Picture, width: int) -> str:
    """The picture's address: the page's own query, so that the same question gives the same picture."""
    query = sheet.links.plain().partition("?")[2]
    place = f"/charts/{sheet.language}/{sheet.id}/{chart.name}.svg?"
    return f"{place}{query}&width={width}" + ("" if sheet.locale == sheet.language else f"&locale={sheet.locale}")


def _table(sheet: Sheet, chart: Chart) -> TableView:
    twin = chart.twin if isinstance(chart, Listing) else chart.twin or _own_table(chart)
    rows = tuple(tuple(_cells(sheet, chart, twin, place)) for place in range(len(twin.rows)))
    return TableView(
        heads=tuple(word_of(sheet, chart, column.key) for column in twin.columns),
        rows=rows,
        numbers=tuple(column.display.form not in ("text", "yes_no") for column in twin.columns),
        current=twin.current,
    )


def _cells(sheet: Sheet, chart: Chart, twin: Twin, place: int) -> Iterator[str]:
    """One row, written by its columns' displays or, but for the last column, by its own."""
    own = twin.displays[place] if twin.displays else None
    last = len(twin.columns) - 1
    for at, (column, value) in enumerate(zip(twin.columns, twin.rows[place], strict=True)):
        shown = column if own is None or at == last else column._replace(display=own)
        yield _cell(sheet, chart, shown, value)


def _cell(sheet: Sheet, chart: Chart, column: Column, value: float | str | None) -> str:
    if isinstance(value, str):
        return word_of(sheet, chart, value)
    return show_value(value, column.display, sheet.locale, sheet.figures.currency)


def _own_table(chart: Picture) -> Twin:
    """What a chart without a table of its own says: its marks, its bars, its rows."""
    match chart:
        case LineChart(x=x, y=y, marks=marks, lines=lines):
            columns = (Column("point", _WORD), Column(x.key, x.display), Column(y.key, y.display))
            rows = [(mark.key, mark.x, mark.y) for mark in marks]
            if not rows:
                rows = [(line.key, *point) for line in lines for point in line.points]
            current = next((place for place, mark in enumerate(marks) if mark.style == "now"), None)
            return Twin(columns, tuple(rows), current)
        case BarChart(axis=axis, bars=bars):
            columns = (Column("part", _WORD), Column(axis.key, axis.display))
            ours = [place for place, bar in enumerate(bars) if bar.style == "ours"]
            current = ours[0] if len(ours) == 1 and len(bars) > 1 else None
            return Twin(columns, tuple((bar.key, bar.value) for bar in bars), current)
        case DotChart(axis=axis, a=a, b=b, rows=pairs):
            columns = (Column("row", _WORD), Column(a, axis.display), Column(b, axis.display))
            return Twin(columns, tuple((pair.key, pair.a, pair.b) for pair in pairs))
