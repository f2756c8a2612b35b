"""Tables and facts on a character grid: labels left, numbers right, words last and cut where they must be."""

from __future__ import annotations

from peakwise.report.blocks import Column, Fact, Facts, Row, Table
from peakwise.report.paper import Ink, Paper, cells

INDENT = 2
NARROW = 50  # under this a fact is one line of its own
LABEL, NUMBER, UNIT, BASIS = 24, 9, 9, 10  # the grid of facts (look, terminal, rule 2)
WORDS_GAP = 3  # between the last number and the words
MISSING = "missing"  # the basis of a number that is not known; it never goes without this word
LEAST_WORDS = 12  # a column of words narrower than this says nothing


def right(text: str, width: int) -> str:
    """Text at the right end of so many columns."""
    return " " * (width - cells(text)) + text


def left(text: str, width: int) -> str:
    """Text at the left end of so many columns."""
    return text + " " * (width - cells(text))


# Facts


def draw_facts(block: Facts, paper: Paper) -> list[str]:
    """The lines of the facts: label, number, unit, basis, source, each in its column."""
    lines = [paper.ink(paper.spell(block.heading), "dim")] if block.heading else []
    facts = [_spelled_fact(fact, paper) for fact in block.facts]
    unit_width = max([UNIT, *(cells(fact.unit) + 2 for fact in facts)])
    for fact in facts:
        lines += _narrow_fact(fact, paper) if paper.columns < NARROW else _fact(fact, unit_width, paper)
    return lines


def _spelled_fact(fact: Fact, paper: Paper) -> Fact:
    label, number, unit, basis, source = (paper.spell(part) for part in fact[:5])
    return Fact(label, number, unit, basis, source)


def _fact(fact: Fact, unit_width: int, paper: Paper) -> list[str]:
    number = fact.number
    room = LABEL + NUMBER - cells(number) - 1
    head = " " * INDENT + left(paper.cut(fact.label, room), LABEL + NUMBER - cells(number)) + number
    head = left(f"{head} {fact.unit}", INDENT + LABEL + NUMBER + 1 + unit_width)
    if cells(head) + cells(fact.basis) > paper.columns:
        below = [" " * 2 * INDENT + paper.ink(fact.basis, "dim")] if fact.basis else []
        return [head.rstrip(), *below]
    if paper.columns < 80:
        return [(head + paper.ink(fact.basis, "dim")).rstrip()]
    source = paper.cut(fact.source, paper.columns - cells(head) - BASIS)
    return [(head + paper.ink(left(fact.basis, BASIS), "dim") + source).rstrip()]


def _narrow_fact(fact: Fact, paper: Paper) -> list[str]:
    value = f"{fact.number} {fact.basis if fact.basis == MISSING else fact.unit}".rstrip()
    room = paper.columns - INDENT - cells(value) - 2
    return [" " * INDENT + f"{paper.cut(fact.label, room)}: {value}"]


# Tables


def draw_table(table: Table, paper: Paper) -> list[str]:
    """The lines of a table: heads dim, cells in columns, the words of the last column cut at the end."""
    shown = [at for at, column in enumerate(table.columns) if paper.columns >= column.from_width]
    columns = [table.columns[at] for at in shown]
    rows = [_spelled(row, shown, paper) for row in table.rows]
    if paper.columns < NARROW:
        return [line for row in rows for line in _narrow_row(row, columns, paper)]
    widths = _widths(columns, rows, table.margin, paper)
    lines: list[str] = []
    if table.over is not None:
        lines.append(paper.ink(_over(table, shown, widths, columns, paper), "dim"))
    heads = Row(tuple(paper.spell(column.head) for column in columns))
    lines.append(paper.ink(_line(heads, columns, widths, paper), "dim"))
    for row in rows:
        ink: Ink = row.style
        lines.append(paper.ink(_line(row, columns, widths, paper), ink))
    return lines


def _spelled(row: Row, shown: list[int], paper: Paper) -> Row:
    kept = tuple(paper.spell(row.cells[at]) if at < len(row.cells) else "" for at in shown) if row.cells else ()
    return row._replace(cells=kept, short=paper.spell(row.short), span=paper.spell(row.span))


def _widths(columns: list[Column], rows: list[Row], margin: int, paper: Paper) -> list[int]:
    """Columns of the label, of every number (grown to its longest) and of the words, which take what is left."""
    widths = [column.width for column in columns]
    for at, column in enumerate(columns[1:], start=1):
        if not column.words:
            longest = max((cells(row.cells[at]) for row in rows if row.cells), default=0)
            widths[at] = max(column.width, longest + 1, cells(column.head) + 1)
    natural = max((cells(row.cells[0]) + row.indent for row in rows if row.cells), default=0)
    numbers = sum(width for at, width in enumerate(widths) if at and not columns[at].words)
    widths[0] = max(columns[0].width, natural)
    if INDENT + widths[0] + numbers > paper.columns:
        widths[0] = max(1, paper.columns - margin - INDENT - numbers)
    for at, column in enumerate(columns):
        if at and column.words:
            room = paper.columns - INDENT - widths[0] - numbers - WORDS_GAP
            widths[at] = room if room >= LEAST_WORDS else 0
    return widths


def _line(row: Row, columns: list[Column], widths: list[int], paper: Paper) -> str:
    if row.span or not row.cells:
        return (" " * INDENT + paper.cut(row.span, paper.columns - INDENT)).rstrip()
    room = widths[0] - row.indent
    label = row.cells[0]
    if cells(label) > room and row.short:
        label = row.short
    line = " " * (INDENT + row.indent) + left(paper.cut(label, room), room)
    for at, text in enumerate(row.cells[1:], start=1):
        if columns[at].words:
            line += " " * WORDS_GAP + paper.cut(text, widths[at]) if widths[at] else ""
        else:
            line += right(text, widths[at])
    return line.rstrip()


def _over(table: Table, shown: list[int], widths: list[int], columns: list[Column], paper: Paper) -> str:
    """A heading centred over its columns, from where the first head begins to where the last ends."""
    assert table.over is not None
    text = paper.spell(table.over.text)
    over = [at for at, original in enumerate(shown) if table.over.first <= original <= table.over.last]
    if not over:
        return ""
    end = INDENT + sum(widths[: over[-1] + 1])
    start = INDENT + sum(widths[: over[0] + 1]) - cells(columns[over[0]].head)
    return " " * (start + max(0, (end - start - cells(text) + 1) // 2)) + text


def _narrow_row(row: Row, columns: list[Column], paper: Paper) -> list[str]:
    if not row.cells:
        return [(" " * INDENT + paper.cut(row.span, paper.columns - INDENT)).rstrip()]
    label, *values = row.cells
    lines = [" " * INDENT + paper.cut(label, paper.columns - INDENT)]
    for column, value in zip(columns[1:], values, strict=True):
        if column.words or not value:
            continue
        lines.append(" " * 2 * INDENT + f"{paper.spell(column.head)}: {value}")
    return lines
