"""A document as HTML: a fragment for a notebook, or one standalone page; no script, nothing fetched."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import assert_never

from peakwise.core.bands import find_band
from peakwise.core.units import PERCENT
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
from peakwise.report.gauge import EDGES, NAMES

HERE = Path(__file__).parent


def draw_fragment(document: Document) -> str:
    """The document as one element with its own style, for a notebook."""
    return f'<div class="peakwise">{_style()}{_body(document)}</div>'


def draw_page(document: Document) -> str:
    """The document as a page of its own."""
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(document.title)}</title></head>\n"
        f'<body class="peakwise page">{_style()}<main>{_body(document)}</main></body></html>\n'
    )


def _style() -> str:
    tokens = (HERE / "tokens.css").read_text(encoding="utf-8").replace(":root", ".peakwise")
    return f"<style>{tokens}{(HERE / 'report.css').read_text(encoding='utf-8')}</style>"


def _body(document: Document) -> str:
    parts = [_block(block) for block in document.blocks]
    parts += [_warning(warned) for warned in document.warned]
    if document.footer:
        rule, _, version = document.footer.partition(" · ")
        parts.append(f"<footer><code>{escape(rule.strip('`'))}</code> · {escape(version)}</footer>")
    return "\n".join(part for part in parts if part)


def _block(block: Block) -> str:  # noqa: PLR0912 (one case a block)
    match block:
        case Gap():
            return ""
        case Title():
            return f'<p class="title">{escape(block.text)}</p>'
        case Hero():
            aside = f" <small>{escape(block.aside)}</small>" if block.aside else ""
            return f'<p class="hero"><strong>{escape(block.text)}</strong>{aside}</p>'
        case Sentence():
            return f'<p class="{block.style}">{escape(block.text)}</p>'
        case Gauge():
            return _gauge(block)
        case Table():
            return _table(block)
        case Bars():
            return _bars(block)
        case Facts():
            return _facts(block)
        case Needs():
            rows = [(need.name, need.question, need.flag, need.help) for need in block.needs]
            return _heading(block.heading) + _rows(("input", "question", "flag", "where"), "llll", rows)
        case Causes():
            return _causes(block.causes)
        case Command():
            return f"<p>{escape(block.intro)}</p><pre><code>{escape(block.command)}</code></pre>"
        case Entries():
            rows = [(e.name, e.question, e.example if e.ready else "not there yet") for e in block.entries]
            return _rows(("verb", "question", "example"), "lll", rows)
        case Trouble():
            parts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in block.parts)
            return f'<div class="error"><p><strong>error:</strong> {escape(block.message)}</p><dl>{parts}</dl></div>'
        case _:
            assert_never(block)


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>" if text else ""


def _gauge(gauge: Gauge) -> str:
    """The ruler: bands with pattern, name and position, and a pointer; x in per cent keeps its text at its size."""
    ends = (*EDGES, PERCENT)
    band = find_band(gauge.fraction)
    parts: list[str] = []
    for start, end, name in zip((0, *EDGES), ends, NAMES, strict=True):
        kind = name if gauge.applies else f"{name} na"
        shape = f'x="{start}%" y="18" width="{end - start}%" height="16"'
        parts.append(f'<rect class="band {kind}" {shape}/>')
        if name != "excellent":
            parts.append(f'<rect class="pattern" fill="url(#pw-{name})" {shape}/>')
        if gauge.applies:
            current = " now" if name == band else ""
            parts.append(f'<text class="name{current}" x="{(start + end) / 2}%" y="66">{name}</text>')
        parts.append(f'<text class="tick{" first" if not start else ""}" x="{start}%" y="50">{start}</text>')
    at = round(min(1.0, max(0.0, gauge.fraction)) * PERCENT, 2)
    parts.append('<text class="tick last" x="100%" y="50">100 %</text>')
    parts.append(f'<line class="pointer" x1="{at}%" x2="{at}%" y1="10" y2="36"/>')
    parts.append('<line class="wall" x1="100%" x2="100%" y1="10" y2="36"/>')
    said = f"{round(gauge.fraction * PERCENT, 1)} % of the peak" + (f", band {band}" if gauge.applies else "")
    why = f'<p class="dim">{escape(gauge.why)}</p>' if gauge.why else ""
    defs = (HERE / "patterns.svg").read_text(encoding="utf-8")
    return f'<svg class="gauge" role="img" aria-label="{said}">{defs}{"".join(parts)}</svg>{why}'


def _table(table: Table) -> str:
    kinds = "".join("l" if at == 0 or column.words else "r" for at, column in enumerate(table.columns))
    over = ""
    if table.over is not None:
        before, width = table.over.first, table.over.last - table.over.first + 1
        after = len(table.columns) - before - width
        over = f'<tr><td colspan="{before}"></td><th colspan="{width}" scope="colgroup">{escape(table.over.text)}</th>'
        over += f'<td colspan="{after}"></td></tr>' if after else "</tr>"
    heads = tuple(column.head for column in table.columns)
    body = "".join(_row(row, kinds) for row in table.rows)
    return f'<div class="wide"><table><thead>{over}{_heads(heads, kinds)}</thead><tbody>{body}</tbody></table></div>'


def _heads(heads: tuple[str, ...], kinds: str) -> str:
    cells = "".join(
        f'<th scope="col" class="{kind}">{escape(head)}</th>' if head else "<td></td>"
        for head, kind in zip(heads, kinds, strict=True)
    )
    return f"<tr>{cells}</tr>"


def _row(row: Row, kinds: str) -> str:
    if row.span:
        return f'<tr class="span"><td colspan="{len(kinds)}">{escape(row.span)}</td></tr>'
    if not row.cells:
        return ""
    texts = zip(row.cells, kinds, strict=True)
    cells = "".join(
        f'<th scope="row" class="l{" part" if row.indent else ""}">{escape(text)}</th>'
        if at == 0
        else f'<td class="{kind}">{escape(text.strip())}</td>'
        for at, (text, kind) in enumerate(texts)
    )
    return f'<tr class="{row.style}">{cells}</tr>'


def _bars(block: Bars) -> str:
    """A waterfall: a table whose middle column holds one floating bar a row; texture says the evidence."""
    heads = ("cause", "share", block.amount_head, "", "evidence", "where")
    body = "".join(_bar(bar) for bar in block.bars)
    defs = (HERE / "patterns.svg").read_text(encoding="utf-8")
    hidden = f'<svg class="defs" width="0" height="0" aria-hidden="true">{defs}</svg>'
    head = f"<thead>{_heads(heads, 'lrrlll')}</thead>"
    return f'{hidden}<div class="wide"><table class="waterfall">{head}<tbody>{body}</tbody></table></div>'


def _bar(bar: Bar) -> str:
    start, end = (round(min(1.0, max(0.0, edge)) * PERCENT, 2) for edge in (bar.start, bar.end))
    shape = f'x="{start}%" width="{max(0.5, round(end - start, 2))}%" y="4" height="14"' if end > start else ""
    rect = f'<rect class="{bar.kind}" {shape}/>' if shape else ""
    drawing = f'<td class="l"><svg class="bar" aria-hidden="true">{rect}</svg></td>'
    numbers = "".join(f'<td class="r">{escape(text)}</td>' for text in (bar.share, bar.amount))
    words = "".join(f'<td class="l">{escape(text)}</td>' for text in (bar.evidence, bar.where))
    style = "bold" if bar.kind == "ours" else "plain"
    return f'<tr class="{style}"><th scope="row" class="l">{escape(bar.label)}</th>{numbers}{drawing}{words}</tr>'


def _facts(block: Facts) -> str:
    rows = [(fact.label, f"{fact.number} {fact.unit}".rstrip(), fact.basis, fact.source) for fact in block.facts]
    return _heading(block.heading) + _rows(("number", "value", "basis", "source"), "lrll", rows)


def _causes(causes: tuple[Cause, ...]) -> str:
    rows = [(cause.text, cause.figure, cause.fix) for cause in causes]
    return _rows(("likely cause", "then", "flag"), "lrl", rows)


def _rows(heads: tuple[str, ...], kinds: str, rows: list[tuple[str, ...]]) -> str:
    body = "".join(_row(Row(row), kinds) for row in rows)
    return f'<div class="wide"><table><thead>{_heads(heads, kinds)}</thead><tbody>{body}</tbody></table></div>'


def _warning(warned: Warned) -> str:
    finding = warned.finding
    fix = f" <code>{escape(finding.fix)}</code>" if finding.fix and not warned.causes else ""
    causes = _causes(warned.causes) if warned.causes else ""
    code = f"<code>{escape(finding.code)}</code>"
    return f'<div class="warning"><p><strong>{escape(warned.sentence)}</strong>{fix} {code}</p>{causes}</div>'
