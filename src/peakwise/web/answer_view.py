"""The answer of a page: its number, the sentence, the ruler, what cannot be right, the facts, what it counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from peakwise.core.scales import SCALES, is_inside
from peakwise.report.locale import UNKNOWN, show_percent
from peakwise.web.examples import EXAMPLES
from peakwise.web.figures import Shown
from peakwise.web.findings_view import CauseView, FindingView, view_causes, view_findings
from peakwise.web.formula import Row, write_rows
from peakwise.web.gauge import GaugeView, draw_gauge
from peakwise.web.links import path_of, write_query
from peakwise.web.sheet import Sheet

_NEUTRAL = (0, 1, False)  # assumed values that leave the answer as it would be without the input
MOST_FINDINGS = 2  # look: at most two panels; the others behind "and 1 more"


class FactView(NamedTuple):
    """One fact beside the answer."""

    label: str
    value: Shown


class Count(NamedTuple):
    """One line of what is counted."""

    label: str
    text: str


class AnswerView(NamedTuple):
    """The answer as it is drawn. `state`: ok, over or none; `said`: what the live region announces."""

    state: str
    eyebrow: str
    hero: Shown
    bold: str
    quiet: str
    gauge: GaugeView | None
    said: str
    findings: tuple[FindingView, ...] = ()
    more_findings: tuple[FindingView, ...] = ()
    causes: tuple[CauseView, ...] = ()
    facts: tuple[FactView, ...] = ()
    rows: tuple[Row, ...] = ()
    counts: tuple[Count, ...] = ()
    example: str = ""


def view_answer(sheet: Sheet) -> AnswerView:
    """The answer of a page, or what it waits for."""
    if sheet.calculation is None:
        return _waiting(sheet)
    bold, quiet = _sentence(sheet)
    findings = tuple(view_findings(sheet))
    hero, eyebrow = _hero(sheet), _eyebrow(sheet)
    return AnswerView(
        state="over" if sheet.over else "none" if hero.number == UNKNOWN else "ok",
        eyebrow=eyebrow,
        hero=hero,
        bold=bold,
        quiet=quiet,
        gauge=_gauge(sheet, bold),
        said=f"{eyebrow} {hero.text}. {bold}",
        findings=findings[:MOST_FINDINGS],
        more_findings=findings[MOST_FINDINGS:],
        causes=tuple(view_causes(sheet)) if sheet.over else (),
        facts=tuple(_facts(sheet)),
        rows=tuple(write_rows(sheet)),
        counts=tuple(_counts(sheet)),
    )


def _waiting(sheet: Sheet) -> AnswerView:
    """The answer while a field is empty or wrong: a dash, and what to type."""
    first = next(iter(sheet.answered.errors.values()), None)
    text = sheet.texts.plain("ui.mend")
    if first is not None and first.code == "E_REQ":
        own = sheet.own(f"field.{first.field}.ask")
        text = sheet.texts.plain(own) if sheet.texts.has(own) else sheet.texts.plain("ui.ask")
    label = sheet.result_label(sheet.declaration.hero)
    has_gauge = sheet.result("band") is not None
    gauge = draw_gauge(sheet.texts, sheet.locale, None, applies=False, label=text) if has_gauge else None
    example = EXAMPLES.get(sheet.id, ()) if sheet.asked.empty else ()
    return AnswerView(
        state="none",
        eyebrow=label,
        hero=Shown(UNKNOWN),
        bold="",
        quiet=text,
        gauge=gauge,
        said=f"{label}: {text}",
        example=f"{path_of(sheet.declaration, sheet.language)}?{write_query(example)}" if example else "",
    )


def _hero(sheet: Sheet) -> Shown:
    return _shown(sheet, sheet.hero)


def _shown(sheet: Sheet, key: str) -> Shown:
    result = sheet.result(key)
    assert result is not None and sheet.calculation is not None  # noqa: PT018  every declaration names its hero
    return sheet.figures.result(sheet.calculation.results[result.key], result.display, result.unit)


def _eyebrow(sheet: Sheet) -> str:
    key = sheet.variant(f"page.{sheet.id}.hero")
    written = sheet.texts.has(key) and sheet.hero == sheet.declaration.hero
    return sheet.write(key) if written else sheet.result_label(sheet.hero)


def _sentence(sheet: Sheet) -> tuple[str, str]:
    """The bold fact and the quiet context under the number."""
    key = sheet.variant(f"page.{sheet.id}.fact")
    text = sheet.write(key) if sheet.texts.has(key) else ""
    before, _, rest = text.partition("**")
    bold, _, quiet = rest.partition("**")
    if sheet.over:
        return sheet.texts.plain("finding.E_OVER.text"), (before + bold).strip()
    return bold.strip(), f"{before}{quiet} {_band_off(sheet)}".strip()


def _band_off(sheet: Sheet) -> str:
    """Why the bands are grey, where they are."""
    assert sheet.calculation is not None  # a sentence comes with an answer
    if sheet.calculation.results.get("band_applies", True) is not False:
        return ""
    workload = sheet.calculation.inputs.get("workload")
    word = "" if workload is None else str(workload.value)
    return sheet.texts.plain(sheet.texts.pick(f"page.{sheet.id}.off.{word}", f"band.off.{word}", "band.off.mixture"))


def _gauge(sheet: Sheet, said: str) -> GaugeView | None:
    assert sheet.calculation is not None  # a ruler comes with an answer
    mfu = sheet.calculation.results.get("mfu")
    if sheet.result("band") is None:
        return None
    value = float(mfu) if isinstance(mfu, int | float) else None
    applies = sheet.calculation.results.get("band_applies", True) is not False
    band = sheet.calculation.results.get("band")
    named = f", {sheet.figures.word(band)}" if applies and isinstance(band, str) and not sheet.over else ""
    shown = _shown(sheet, "mfu").text
    label = f"{sheet.result_label('mfu')} {shown}{named}. {said}"
    return draw_gauge(sheet.texts, sheet.locale, value, applies=applies and not sheet.over, label=label)


def _facts(sheet: Sheet) -> Iterator[FactView]:
    assert sheet.calculation is not None  # facts come with an answer
    for key in sheet.declaration.facts:
        result = sheet.result(key)
        value = sheet.calculation.results.get(key)
        if result is not None and value is not None:  # a fact that there is not says nothing beside the others
            yield FactView(sheet.result_label(key), sheet.figures.result(value, result.display, result.unit))


def _counts(sheet: Sheet) -> Iterator[Count]:
    """What the answer counts, leaves out, divides by, and took as given; what stands in the form is not repeated."""
    for part in ("in", "out", "peak"):
        key = sheet.variant(f"page.{sheet.id}.{part}")
        if sheet.texts.has(key):
            yield Count(sheet.texts.plain(f"ui.count.{part}"), sheet.write(key))
    scales = "; ".join(_scales(sheet))
    if scales:
        yield Count(sheet.texts.plain("ui.count.scales"), scales)
    assumed = ", ".join(_assumed(sheet))
    if assumed:
        yield Count(sheet.texts.plain("ui.count.assumed"), sheet.texts.get("ui.unchanged", inputs=assumed))


def _scales(sheet: Sheet) -> Iterator[str]:
    """Where the MFU stands on the scales of others, which were written for dense training as the bands were."""
    assert sheet.calculation is not None  # a place on a scale comes with an answer
    results = sheet.calculation.results
    mfu, applies = results.get("mfu"), results.get("band_applies", True)
    if not isinstance(mfu, int | float) or not isinstance(results.get("band"), str) or applies is False:
        return
    for scale in SCALES:
        edges = {"low": scale.low, "high": scale.high}
        shown = {name: show_percent(edge, 0, sheet.locale) for name, edge in edges.items() if edge is not None}
        yield sheet.texts.get(f"scale.{scale.id}.{'in' if is_inside(mfu, scale) else 'out'}", **shown)


def _assumed(sheet: Sheet) -> Iterator[str]:
    assert sheet.calculation is not None  # inputs come with an answer
    for key, given in sheet.calculation.inputs.items():
        field = sheet.declaration.field(key)
        if given.basis == "assumed" and not field.headline and given.value not in _NEUTRAL:
            text = sheet.figures.said(field, given.value).text
            word = field.kind == "choice" and text[1:2].islower()  # not an abbreviation
            yield f"{sheet.field_name(key)}\u00a0{text[:1].lower() + text[1:] if word else text}"
