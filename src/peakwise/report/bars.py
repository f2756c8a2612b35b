"""The waterfall on a character grid: shares and amounts in columns, one floating bar a row."""

from __future__ import annotations

from peakwise.report.blocks import Bar, Bars
from peakwise.report.gauge import EIGHTHS
from peakwise.report.grid import INDENT, NARROW, left, right
from peakwise.report.paper import Paper, cells

LABEL, SHARE, AMOUNT = 22, 8, 10  # widths of the columns before the bar
EVIDENCE = 8  # `measured`, `modelled`, the longest words of the column
WIDE = 100  # from here two columns of words follow the bar
WHERE = 23  # the room that `where` has on the widest paper
FEWEST, MOST = 10, 40  # cells of a bar; narrower than the fewest it says nothing
GLYPHS = {"whole": "█", "measured": "█", "modelled": "▒", "unknown": "░", "ours": "█"}


def draw_bars(block: Bars, paper: Paper) -> list[str]:
    """The lines of a waterfall: heads, then a row for each bar."""
    if paper.columns < NARROW:
        return [_narrow(bar, paper) for bar in block.bars]
    amount = max([AMOUNT, *(cells(paper.spell(bar.amount)) + 2 for bar in block.bars), cells(block.amount_head) + 2])
    before = INDENT + LABEL + SHARE + amount + 2
    words = paper.columns >= WIDE
    room = paper.columns - before - (3 + EVIDENCE + 2 + WHERE if words else 2)
    size = min(MOST, room) if words else room
    if size < FEWEST:
        words, size = False, 0
    lines = [paper.ink(_heads(block, amount, size, words=words), "dim")]
    lines += [_row(bar, amount, size, paper, words=words) for bar in block.bars]
    return lines


def _heads(block: Bars, amount: int, size: int, *, words: bool) -> str:
    line = " " * (INDENT + LABEL) + right("share", SHARE) + right(block.amount_head, amount)
    if size:
        line += "  0" + right("100 %", size - 1)
    return line + (f"   {left('evidence', EVIDENCE)}  where" if words else "")


def _row(bar: Bar, amount: int, size: int, paper: Paper, *, words: bool) -> str:
    last = bar.kind == "ours"
    head = " " * INDENT + left(paper.cut(paper.spell(bar.label), LABEL), LABEL)
    head += right(paper.spell(bar.share), SHARE) + right(paper.spell(bar.amount), amount)
    drawn = draw_bar(bar, size, paper) if size else ""
    tail = ""
    if words and bar.evidence:
        where = paper.cut(paper.spell(bar.where), paper.columns - cells(head) - size - EVIDENCE - 7)
        tail = f"   {left(bar.evidence, EVIDENCE)}  {where}"
    shown = left(drawn, size) if tail else drawn
    if not shown.strip():
        return (head + tail).rstrip()
    start = len(shown) - len(shown.lstrip())
    ink = paper.ink(shown.strip(), "cyan") if last else shown.strip()
    pad = " " * (cells(shown) - cells(shown.rstrip()))
    line = (paper.ink(head, "bold") if last else head) + "  " + " " * start + ink
    return line + (pad + tail).rstrip()


def draw_bar(bar: Bar, size: int, paper: Paper) -> str:
    """One bar on so many cells: where it floats, in the glyph of its evidence; our own ends in eighths of a cell."""
    start, end = (max(0.0, min(1.0, edge)) for edge in (bar.start, bar.end))
    if end <= start:
        return ""
    if bar.kind == "ours":
        full, part = divmod(max(8, round(end * size * 8)), 8)
        if paper.plain:
            return "#" * (full + (part >= 4))
        return "█" * full + (EIGHTHS[part - 1] if part else "")
    first = min(round(start * size), size - 1)
    last = max(round(end * size), first + 1)  # a part narrower than a cell gets one
    return paper.spell(" " * first + GLYPHS[bar.kind] * (last - first))


def _narrow(bar: Bar, paper: Paper) -> str:
    share = paper.spell(bar.share)
    label = paper.cut(paper.spell(bar.label), paper.columns - INDENT - cells(share) - 2)
    return " " * INDENT + f"{label}: {share}"
