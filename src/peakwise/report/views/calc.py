"""A calculator's answer on paper: its number, the gauge, every input with its basis, and the rule."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.core.calculation import Calculation
from peakwise.core.calculation import Fact as Line
from peakwise.core.declaration import Result
from peakwise.core.number_locale import NARROW_NBSP, NBSP
from peakwise.core.units import to_percent
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
from peakwise.report.locale import show_value
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

_LONGEST_WORD = 40  # a text longer than this is shown by its length
OVER = "E_OVER"  # the finding of a utilization above 1 (core/codes.py)


def describe(answer: Calculation) -> Document:
    """The document of a calculation: its hero, one sentence, the ruler of a utilization, the table, the rule."""
    report = answer.report
    over = any(finding.code == OVER for finding in answer.warnings)
    blocks: list[Block] = [_hero(answer, over=over), Sentence(report.headline)]
    ruled = answer.results.get(report.gauge)
    if not over:
        if isinstance(ruled, int | float):
            blocks += [Gap(), Gauge(float(ruled), applies=not report.band_note, why=report.band_note)]
        blocks += [Gap(), Facts("", tuple(_fact(line) for line in report.facts) or tuple(_known(answer)))]
        blocks += _moments(answer)
        if not report.facts:
            blocks += [Gap(), Facts("From", tuple(_inputs(answer)))]
        blocks += [Gap(), *(Sentence(line, indent=2) for line in report.rule)]
    return Document(
        title=f"Peakwise {answer.name}",
        blocks=tuple(blocks),
        warned=tuple(Warned(finding, _causes(answer) if finding.code == OVER else ()) for finding in answer.warnings),
        footer=f"`{answer.convention['id']}` · Peakwise {answer.version}",
    )


def render(answer: Calculation, form: Shape = "text", paper: Paper | None = None) -> str:
    """The answer in one form."""
    return draw(describe(answer), form, paper)


def _hero(answer: Calculation, *, over: bool) -> Hero:
    report = answer.report
    value = answer.results[report.hero]
    declared = next(result for result in answer.declared if result.key == report.hero)
    percents = declared.display.form == "percent"
    number = float(value) if isinstance(value, int | float) else None
    text = f"{report.label} {_share(number, declared.display.decimals) if percents else _shown(answer, declared)}"
    if over:
        return Hero(text, "cannot be", gap=3, indent=0)
    band = answer.results.get("band")
    named = f"   {band}" if report.gauge == report.hero and band and not report.band_note else ""
    aside = figure(number, 3) + named if percents else _unit(declared)
    return Hero(text, aside if number is not None else "", gap=3 if percents else 1, indent=0)


def _share(fraction: float | None, decimals: int) -> str:
    """A fraction in percent as the terminal writes it."""
    return UNKNOWN if fraction is None else f"{figure(to_percent(fraction), decimals)} %"


def _shown(answer: Calculation, result: Result) -> str:
    """A result as English text, by its declaration."""
    text = show_value(answer.results[result.key], result.display, "en", _currency(answer))
    return text.replace(NARROW_NBSP, " ").replace(NBSP, " ")


def _currency(answer: Calculation) -> str:
    given = answer.inputs.get("currency")
    return "" if given is None else str(given.value)


def _unit(result: Result) -> str:
    """The unit beside a result; forms that say their unit themselves have none."""
    if result.display.form not in ("number", "scientific"):
        return ""
    unit = result.display.unit or result.unit
    return "" if unit == "fraction" else unit


def _known(answer: Calculation) -> Iterator[Fact]:
    """Every result that is known, but the hero."""
    for result in answer.declared:
        if result.key == answer.report.hero or answer.results[result.key] is None:
            continue
        if result.display.form != "datetime":  # too long for the column of numbers: _moments
            yield Fact(result.key.replace("_", " "), _shown(answer, result), _unit(result), "derived", "")


def _moments(answer: Calculation) -> Iterator[Sentence]:
    """The dates and times among the results, a line each."""
    for result in answer.declared:
        if result.display.form == "datetime" and answer.results[result.key] is not None:
            yield Sentence(f"{result.key.replace('_', ' ')} {_shown(answer, result)}", indent=2)


def _inputs(answer: Calculation) -> Iterator[Fact]:
    """Every input as it was used; a long list by its length."""
    for key, given in answer.inputs.items():
        name = key.replace("_", " ")
        value = given.value
        if isinstance(value, bool):
            text = "yes" if value else "no"
        elif isinstance(value, tuple):
            text = f"{len(value):,} numbers"
        elif isinstance(value, str):
            text = value if len(value) <= _LONGEST_WORD else f"{len(value):,} characters"
        else:
            text = shortest(value)
        # What the unit is counted for stands in the reference; here the column of sources needs the room.
        unit = given.unit.partition(",")[0].partition(" per ")[0]
        yield Fact(name, text, unit, given.basis, given.source)


def _fact(line: Line) -> Fact:
    number = shortest(line.value) if line.decimals is None else figure(line.value, line.decimals)
    return Fact(line.label, number, line.unit, line.basis, line.source)


def _causes(answer: Calculation) -> tuple[Cause, ...]:
    return tuple(
        Cause(cause.text, UNKNOWN if cause.value is None else percent(cause.value), cause.fix)
        for cause in answer.causes
    )
