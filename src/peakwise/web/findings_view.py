"""What cannot be right, or is rarely so: panels with the likely cause, a repair, and what it would give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peakwise.core.calculation import Cause
from peakwise.core.declaration import Value
from peakwise.core.errors import PeakwiseError
from peakwise.core.finding import Finding
from peakwise.report.locale import UNKNOWN, show_percent
from peakwise.verbs.calc import calculate
from peakwise.web.field_view import Button
from peakwise.web.sheet import Sheet

OVER = "E_OVER"
AT_FIELDS = frozenset({"W_AMBIG", "W_FRACTION"})  # findings that stand under their field
_CASE = ("case", "variant")  # names of the value that says which case of a code it is


class FindingView(NamedTuple):
    """One panel: the likely cause, a sentence, a repair and what becomes of the answer, the code."""

    title: str
    text: str
    repair: Button | None
    becomes: str
    code: str


class CauseView(NamedTuple):
    """One likely cause of a number that cannot be: what the answer would be, and the button."""

    text: str
    value: str
    repair: Button | None


def view_findings(sheet: Sheet) -> Iterator[FindingView]:
    """The panels of an answer, in the order of its findings."""
    assert sheet.calculation is not None  # findings come with an answer
    for finding in sheet.calculation.warnings:
        if finding.code not in AT_FIELDS and finding.code != OVER:
            yield _view_finding(sheet, finding)


def _view_finding(sheet: Sheet, finding: Finding) -> FindingView:
    more = {**dict(finding.values), **dict(finding.repair)}
    title, text, repair = (_key(sheet, f"finding.{finding.code}", more, part) for part in ("title", "text", "repair"))
    button = None
    if finding.repair and repair:
        button = Button(_write(sheet, repair, more, finding.fix), sheet.links.changed(finding.repair))
    return FindingView(
        title=_write(sheet, title, more, finding.code),
        text=_write(sheet, text, more, finding.message),
        repair=button,
        becomes=_becomes(sheet, finding.repair) if button else "",
        code=finding.code,
    )


def view_causes(sheet: Sheet) -> Iterator[CauseView]:
    """The likely causes of a utilization above the peak."""
    assert sheet.calculation is not None  # causes come with an answer
    for cause in sheet.calculation.causes:
        more = {**dict(cause.values), **dict(cause.repair)}
        name = sheet.texts.pick(f"cause.{sheet.id}.{cause.id}", f"cause.{cause.id}")
        text, repair = _key(sheet, name, more, ""), _key(sheet, name, more, "repair")
        yield CauseView(
            text=_write(sheet, text, more, cause.text),
            value=UNKNOWN if cause.value is None else show_percent(cause.value, 1, sheet.locale),
            repair=_cause_button(sheet, cause, repair, more),
        )


def _cause_button(sheet: Sheet, cause: Cause, key: str, more: Mapping[str, Value | None]) -> Button | None:
    """The button of a cause: its repair, or the place where the lacking input is typed."""
    if not key:
        return None
    label = _write(sheet, key, more, cause.fix)
    if cause.repair:
        return Button(label, sheet.links.changed(cause.repair))
    fields = {field.flag: field for field in sheet.declaration.fields}
    field = fields.get(cause.fix.partition(" ")[0])
    if field is None:
        return None
    if field.key == "chip":
        return Button(label, sheet.links.here(pick="hw"))
    return Button(label, f"{sheet.links.here(open='1')}#f-{field.param}")


def _key(sheet: Sheet, name: str, more: Mapping[str, Value | None], part: str) -> str:
    """The id of a part of a finding's text, of its own case where there is one; empty where there is none."""
    end = f".{part}" if part else ""
    cases = [f"{name}.{more[word]}{end}" for word in _CASE if word in more]
    return next((key for key in (*cases, f"{name}{end}") if sheet.texts.has(key)), "")


def _write(sheet: Sheet, key: str, more: Mapping[str, Value | None], otherwise: str) -> str:
    """A text of a finding; its English sentence where the catalogue has none for it."""
    return sheet.write(key, more, units=True) if key else otherwise


def _becomes(sheet: Sheet, repair: tuple[tuple[str, int | float | str | bool | None], ...]) -> str:
    """What the answer becomes after a repair; nothing where the repair alone is not enough."""
    given: dict[str, object] = {**sheet.answered.given}
    for key, value in repair:
        if value is None:
            given.pop(key, None)
        else:
            given[key] = value
    locale = sheet.locale if sheet.asked.typed else "en"
    hero = sheet.result(sheet.declaration.hero)
    try:
        after = calculate(sheet.id, given, face="param", locale=locale, absent="default", local=False)
    except PeakwiseError:
        return ""
    if hero is None or after.results[hero.key] is None:
        return ""
    shown = sheet.figures.result(after.results[hero.key], hero.display, hero.unit)
    return sheet.texts.get("ui.becomes", name=sheet.result_label(hero.key, "name"), value=shown.text)
