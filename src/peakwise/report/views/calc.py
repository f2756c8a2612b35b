"""A calculator's answer on paper: its number, the gauge, every input with its basis, and the rule."""

from __future__ import annotations

from peakwise.core.calculation import Calculation
from peakwise.core.calculation import Fact as Line
from peakwise.report.blocks import (
    Block,
    Cause,
    Document,
    Fact,
    Facts,
    Gap,
    Gauge,
    Hero,
    Sentence,
    Warned,
)
from peakwise.report.figures import UNKNOWN, figure, percent, shortest
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

OVER = "E_OVER"  # the finding of a utilization above 1 (core/codes.py)


def describe(answer: Calculation) -> Document:
    """The document of a calculation whose first result is a utilization."""
    utilization = answer.results.get("mfu")
    value = float(utilization) if isinstance(utilization, int | float) else None
    over = any(finding.code == OVER for finding in answer.warnings)
    blocks: list[Block] = [_hero(answer, value, over=over), Sentence(answer.report.headline)]
    if value is not None and not over:
        blocks += [Gap(), Gauge(value, applies=not answer.report.band_note, why=answer.report.band_note)]
        blocks += [Gap(), Facts("", tuple(_fact(line) for line in answer.report.facts))]
        blocks += [Gap(), *(Sentence(line, indent=2) for line in answer.report.rule)]
    return Document(
        title=f"Peakwise {answer.name}",
        blocks=tuple(blocks),
        warned=tuple(Warned(finding, _causes(answer) if finding.code == OVER else ()) for finding in answer.warnings),
        footer=f"`{answer.convention['id']}` · Peakwise {answer.version}",
    )


def render(answer: Calculation, form: Shape = "text", paper: Paper | None = None) -> str:
    """The answer in one form."""
    return draw(describe(answer), form, paper)


def _hero(answer: Calculation, value: float | None, *, over: bool) -> Hero:
    text = f"MFU {percent(value)}"
    if over:
        return Hero(text, "cannot be", gap=3, indent=0)
    band = answer.results.get("band")
    named = f"   {band}" if band and not answer.report.band_note else ""
    return Hero(text, f"{figure(value, 3)}{named}", gap=3, indent=0)


def _fact(line: Line) -> Fact:
    number = shortest(line.value) if line.decimals is None else figure(line.value, line.decimals)
    return Fact(line.label, number, line.unit, line.basis, line.source)


def _causes(answer: Calculation) -> tuple[Cause, ...]:
    return tuple(
        Cause(cause.text, UNKNOWN if cause.value is None else percent(cause.value), cause.fix)
        for cause in answer.causes
    )
