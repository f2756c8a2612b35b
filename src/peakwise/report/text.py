"""A document as terminal text, laid out for one paper."""

from __future__ import annotations

from typing import assert_never

from peakwise.report.bars import draw_bars
from peakwise.report.blocks import (
    Bars,
    Block,
    Cause,
    Causes,
    Command,
    Document,
    Entries,
    Entry,
    Facts,
    Gap,
    Gauge,
    Hero,
    Needs,
    Sentence,
    Table,
    Title,
    Trouble,
    Warned,
)
from peakwise.report.gauge import n_cells, ruler, ticks
from peakwise.report.grid import INDENT, draw_facts, draw_table, left, right
from peakwise.report.paper import Paper, cells

COMMANDS = ("peakwise ", "--")  # how a text begins that is there to be copied: it is never wrapped
WIDE = 100  # from here tables gain a column of words, and two lines become one


def draw_document(document: Document, paper: Paper) -> str:
    """The report itself, for stdout; the findings are drawn apart, for stderr."""
    lines: list[str] = []
    for block in document.blocks:
        drawn = draw_block(block, paper)
        if drawn != [""] or (lines and lines[-1]):  # a block that this paper leaves out leaves no second blank line
            lines += drawn
    return "".join(f"{line}\n" for line in lines)


def draw_warnings(document: Document, paper: Paper) -> str:
    """The `warning:` lines that come after the numbers: what, repair, code in brackets."""
    lines: list[str] = []
    for warned in document.warned:
        lines += _warning(warned, paper)
    return "".join(f"{line}\n" for line in ["", *lines]) if lines else ""


def draw_block(block: Block, paper: Paper) -> list[str]:  # noqa: PLR0912 (one case a block)
    """The lines of one block."""
    match block:
        case Gap():
            return [""]
        case Title():
            return [_title(block, paper)]
        case Hero():
            return _hero(block, paper)
        case Sentence():
            ink = "dim" if block.style == "dim" else block.style
            return [paper.ink(line, ink) for line in wrap(block.text, paper, block.indent)]
        case Gauge():
            return _gauge(block, paper)
        case Table():
            return draw_table(block, paper)
        case Bars():
            return draw_bars(block, paper)
        case Facts():
            return draw_facts(block, paper)
        case Needs():
            return _needs(block, paper)
        case Causes():
            return _causes(block.causes, paper)
        case Command():
            return [*wrap(block.intro, paper, 0), paper.ink(block.command, "cyan")]
        case Entries():
            return _entries(block, paper)
        case Trouble():
            return _trouble(block, paper)
        case _:
            assert_never(block)


def wrap(text: str, paper: Paper, indent: int, hanging: int = 0) -> list[str]:
    """A sentence over as many lines as it needs; a word longer than the line stays whole, to be copied."""
    lines: list[str] = []
    line = " " * indent
    for word in paper.spell(text).split(" "):
        blank = not line.strip()
        if not blank and cells(line) + 1 + cells(word) > paper.columns:
            lines.append(line)
            line = " " * (indent + hanging)
            blank = True
        line += word if blank else f" {word}"
    return [*lines, line] if text else []


def _title(title: Title, paper: Paper) -> str:
    text = paper.spell(title.text)
    if cells(text) > paper.columns and title.short:
        text = paper.spell(title.short)
    return paper.cut(text, paper.columns)


def _hero(hero: Hero, paper: Paper) -> list[str]:
    text = paper.spell(hero.text)
    line = " " * hero.indent + paper.ink(text, "bold")
    if not hero.aside:
        return [line]
    aside = paper.spell(hero.aside)
    if hero.indent + cells(text) + hero.gap + cells(aside) > paper.columns:
        return [line, *wrap(hero.aside, paper, hero.indent)]
    return [line + " " * hero.gap + aside]


def _gauge(gauge: Gauge, paper: Paper) -> list[str]:
    why = wrap(gauge.why, paper, INDENT)
    if not n_cells(paper.columns):
        return why
    bar, rest = ruler(gauge, paper)
    return [
        " " * INDENT + paper.ink(bar, "cyan") + paper.ink(rest, "dim"),
        " " * INDENT + paper.ink(ticks(gauge, paper), "dim"),
        *why,
    ]


def _needs(block: Needs, paper: Paper) -> list[str]:
    lines = [paper.ink(paper.spell(block.heading), "dim")]
    needs = [[paper.spell(part) for part in need] for need in block.needs]
    name, question, flag = (max((cells(need[at]) for need in needs), default=0) for at in range(3))
    for need in needs:
        line = " " * INDENT + left(need[0], name + 3) + left(need[1], question + 4)
        if cells(line) + flag + 4 + cells(need[3]) <= paper.columns:
            lines.append((line + left(need[2], flag + 4) + need[3]).rstrip())
            continue
        lines += [" " * INDENT + paper.cut(f"{need[0]}: {need[1]}", paper.columns - INDENT)]
        lines += [" " * 2 * INDENT + paper.cut(text, paper.columns - 2 * INDENT) for text in need[2:] if text]
    return lines


def _causes(causes: tuple[Cause, ...], paper: Paper) -> list[str]:
    texts = [paper.spell(cause.text) for cause in causes]
    figures = [paper.spell(cause.figure) for cause in causes]
    width = max(map(cells, texts), default=0)
    number = max((cells(text) + 3 for text in figures), default=0)
    if INDENT + width + number > paper.columns:
        width = max(1, paper.columns - INDENT - number)
    lines: list[str] = []
    for cause, text, value in zip(causes, texts, figures, strict=True):
        line = " " * INDENT + left(paper.cut(text, width), width) + right(value, number)
        fix = paper.spell(cause.fix)
        if not fix:
            lines.append(line.rstrip())
        elif paper.columns >= WIDE:
            lines.append(f"{line}   {fix}")
        else:
            lines += [line, " " * 2 * INDENT + fix]
    return lines


def _warning(warned: Warned, paper: Paper) -> list[str]:
    finding = warned.finding
    fix = f": {finding.fix}" if finding.fix and not warned.causes else ""
    lines = wrap(f"warning: {warned.sentence}{fix} ({finding.code})", paper, 0, hanging=INDENT)
    lines[0] = paper.ink("warning:", "yellow") + lines[0].removeprefix("warning:")
    return lines + _causes(warned.causes, paper)


def _trouble(block: Trouble, paper: Paper) -> list[str]:
    lines = wrap(f"error: {block.message}", paper, 0, hanging=INDENT)
    lines[0] = paper.ink("error:", "red") + lines[0].removeprefix("error:")
    label = 10  # the longest label, `expected`, and two spaces
    for name, text in block.parts:
        head = " " * INDENT + left(name, label)
        if text.startswith(COMMANDS):
            lines.append(head + paper.ink(text, "cyan"))
            continue
        first, *more = wrap(text, paper, INDENT + label)
        lines += [head + first.lstrip(), *more]
    return lines


NOT_YET = "not there yet"


def _entries(block: Entries, paper: Paper) -> list[str]:
    lines: list[str] = []
    for entry in block.entries:
        lines += _entry(entry, paper)
    return lines


def _entry(entry: Entry, paper: Paper) -> list[str]:
    """One verb: on one line where there is room, its example under its question elsewhere."""
    head = f"{' ' * INDENT}{entry.name:<9}{entry.question}"
    example = entry.example if entry.ready else NOT_YET
    column = 41 if paper.columns >= WIDE else 38 if entry.on_one_line else 63 if not entry.ready else 0
    if column and column + len(example) <= paper.columns:
        return [left(head, column) + paper.ink(example, "cyan" if entry.ready else "dim")]
    if not entry.ready:
        return [f"{head}   {paper.ink(example, 'dim')}"]
    return [head, " " * (INDENT + 9) + paper.ink(example, "cyan")]
