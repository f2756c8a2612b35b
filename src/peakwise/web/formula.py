"""How a result is computed, as lines of fractions: first by names, then by the values that were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from peakwise.core.declaration import Step
from peakwise.report.locale import UNKNOWN
from peakwise.web.sheet import Sheet

_KEY = re.compile(r"\{(\w+)\}")


class Fraction(NamedTuple):
    """A fraction of two texts, or a text alone."""

    top: str
    bottom: str


class Row(NamedTuple):
    """One line of how it is computed: its name, the names it is made of, their values, the result."""

    name: str
    names: Fraction
    values: Fraction
    result: str


def write_rows(sheet: Sheet) -> Iterator[Row]:
    """The lines of an answer's computation."""
    assert sheet.calculation is not None  # steps come with an answer
    for step in sheet.calculation.working:
        yield Row(
            name=_name(sheet, step.result),
            names=Fraction(_named(sheet, step.top), _named(sheet, step.bottom)),
            values=Fraction(_valued(sheet, step.top), _valued(sheet, step.bottom)),
            result=_result(sheet, step),
        )


def _named(sheet: Sheet, text: str) -> str:
    return _KEY.sub(lambda match: _name(sheet, match[1]), text)


def _valued(sheet: Sheet, text: str) -> str:
    return _KEY.sub(lambda match: _value(sheet, match[1]), text)


def _name(sheet: Sheet, key: str) -> str:
    """What a key is called in a formula."""
    for kind in ("result", "field", "symbol"):
        own = sheet.own(f"{kind}.{key}.name")
        if sheet.texts.has(own):
            return sheet.texts.plain(own)
    return key


def _value(sheet: Sheet, key: str) -> str:
    """A key's value with its unit."""
    calculation = sheet.calculation
    assert calculation is not None  # steps come with an answer
    if key in calculation.symbols:
        value, display = calculation.symbols[key]
        return sheet.figures.result(value, display).text
    result = sheet.result(key)
    if result is not None:
        return sheet.figures.result(calculation.results[key], result.display, result.unit).text
    if key in calculation.inputs:
        return sheet.figures.said(sheet.declaration.field(key), calculation.inputs[key].value).text
    return UNKNOWN


def _result(sheet: Sheet, step: Step) -> str:
    """The value of a line; a fraction as a plain number, since percent is only its name."""
    result = sheet.result(step.result)
    calculation = sheet.calculation
    assert calculation is not None  # steps come with an answer
    if result is not None and result.display.form == "percent":
        for _, display in result.more:
            if display.form == "number":
                return sheet.figures.result(calculation.results[result.key], display).text
    return _value(sheet, step.result)
