"""A document as Markdown, for an issue or a pull request: the same words and order, no gauge, no colour."""

from __future__ import annotations

from typing import assert_never

from peakwise.report.blocks import (
    Bar,
    Bars,
    Block,
    Cause,
    Causes,
    Command,
    Document,
    Entries,
    Facts,
    Gap,
    Gauge,
    Hero,
    Needs,
    Row,
    Sentence,
    Table,
    Title,
    Trouble,
    Warned,
)


def draw_document(document: Document) -> str:
    """The document as Markdown; where the hero says what ran, the title lines are left out."""
    titled = not any(isinstance(block, Hero) and block.about for block in document.blocks)
    parts: list[str] = []
    for block in document.blocks:
        if titled or not isinstance(block, Title):
            parts += _block(block)
    parts += [_warning(warned) for warned in document.warned]
    if document.footer:
        parts.append(document.footer)
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> list[str]:  # noqa: PLR0912 (one case a block)
    match block:
        case Gap():
            return []
        case Gauge():
            return [plain(block.why)] if block.why else []
        case Title():
            return [plain(block.text)]
        case Hero():
            aside = f" ({plain(block.aside)})" if block.aside and block.aside not in block.about else ""
            about = f": {plain(block.about)}" if block.about else ""
            return [f"**{plain(block.text)}**{aside}{about}"]
        case Sentence():
            return [plain(block.text)]
        case Table():
            return [_table(block)]
        case Bars():
            return [_bars(block)]
        case Facts():
            return [_facts(block)]
        case Needs():
            rows = [(need.name, need.question, f"`{need.flag}`", need.help) for need in block.needs]
            return [_grid((block.heading.lower(), "question", "flag", "where"), "llll", rows)]
        case Causes():
            return [_causes(block.causes)]
        case Command():
            return [plain(block.intro), _fenced(block.command)]
        case Entries():
            rows = [
                (f"`{e.name}`", e.question, f"`{e.example}`" if e.ready else "not there yet") for e in block.entries
            ]
            return [_grid(("verb", "question", "example"), "lll", rows)]
        case Trouble():
            lines = [f"**error:** {plain(block.message)}", *(f"- {name}: {plain(text)}" for name, text in block.parts)]
            return ["\n".join(lines)]
        case _:
            assert_never(block)


def _fenced(command: str) -> str:
    """A command as a block of code, its fence longer than any in the command."""
    fence = "```"
    while fence in command:
        fence += "`"
    return f"{fence}sh\n{command}\n{fence}"


def plain(text: str) -> str:
    """A text whose characters mean nothing to Markdown or HTML, on one line."""
    line = " ".join(text.split("\n"))
    for character in "\\`*_[]<>|":
        line = line.replace(character, "\\" + character) if character in line and _acts(character, line) else line
    return line


def _acts(character: str, line: str) -> bool:
    """Whether a character would be read as markup: an underscore inside a word is not."""
    if character != "_":
        return True
    return any(part.startswith("_") or part.endswith("_") for part in line.split(" "))


def _table(table: Table) -> str:
    shown = [at for at, column in enumerate(table.columns) if not (column.words and not column.head)]
    kinds = "".join("l" if at == 0 or table.columns[at].words else "r" for at in shown)
    heads = tuple(table.columns[at].head for at in shown)
    rows: list[tuple[str, ...]] = []
    for row in table.rows:
        if row.span:
            rows.append((f"*{plain(row.span)}*", *[""] * (len(shown) - 1)))
        elif row.cells:
            rows.append(tuple(_cell(row, at) for at in shown))
    return _grid(heads, kinds, rows)


def _cell(row: Row, at: int) -> str:
    text = plain(row.cells[at].strip())
    return f"**{text}**" if row.style == "bold" and text else text


def _bars(block: Bars) -> str:
    """A waterfall without its bars."""
    rows = [tuple(_strong(text, bar) for text in (bar.label, bar.share, bar.amount)) for bar in block.bars]
    words = [(bar.evidence, plain(bar.where)) for bar in block.bars]
    heads = ("cause", "share", block.amount_head, "evidence", "where")
    return _grid(heads, "lrrll", [(*row, *more) for row, more in zip(rows, words, strict=True)])


def _strong(text: str, bar: Bar) -> str:
    return f"**{plain(text)}**" if bar.kind == "ours" and text else plain(text)


def _facts(block: Facts) -> str:
    facts = [fact for fact in block.facts if fact.brief or not block.brief]
    rows = [
        (plain(fact.label), f"{fact.number} {fact.unit}".rstrip(), fact.basis, plain(fact.source)) for fact in facts
    ]
    return _grid(("number", "value", "basis", "source"), "lrll", rows)


def _causes(causes: tuple[Cause, ...]) -> str:
    rows = [(plain(cause.text), cause.figure, f"`{cause.fix}`" if cause.fix else "") for cause in causes]
    return _grid(("likely cause", "then", "flag"), "lrl", rows)


def _warning(warned: Warned) -> str:
    finding = warned.finding
    fix = f": `{finding.fix}`" if finding.fix and not warned.causes else ""
    line = f"**warning:** {plain(warned.sentence)}{fix} ({finding.code})"
    return f"{line}\n\n{_causes(warned.causes)}" if warned.causes else line


def _grid(heads: tuple[str, ...], kinds: str, rows: list[tuple[str, ...]]) -> str:
    rule = "|".join("---:" if kind == "r" else "---" for kind in kinds)
    lines = [_line(heads), f"|{rule}|", *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(texts: tuple[str, ...]) -> str:
    return "|" + "".join(f" {text} |" if text else " |" for text in texts)
