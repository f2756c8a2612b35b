"""One page being written: its calculator, its question and answer, and the words and signs it is written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peakwise.calculators.link import canonical
from peakwise.core.bands import next_edge
from peakwise.core.calculation import Calculation
from peakwise.core.declaration import Declaration, Result, Value
from peakwise.report.locale import show_percent
from peakwise.web.answer import Answered, link_pairs
from peakwise.web.figures import Figures, Values
from peakwise.web.form import ORIGIN, Asked
from peakwise.web.links import Links
from peakwise.web.texts import Texts, read_texts


class Sheet(NamedTuple):
    """What every part of a page is written from."""

    declaration: Declaration
    asked: Asked
    answered: Answered
    language: str
    locale: str
    texts: Texts
    figures: Figures
    links: Links
    edge: str | None

    @property
    def id(self) -> str:
        """The calculator's id."""
        return self.declaration.id

    @property
    def calculation(self) -> Calculation | None:
        """The answer; None where a field is in its way."""
        return self.answered.calculation

    def own(self, key: str) -> str:
        """The id of a text that the page may word in its own way: `page.ID.KEY` where it is, else `KEY`."""
        return self.texts.pick(f"page.{self.id}.{key}", key)

    def values(self, more: Mapping[str, Value | None] | None = None, *, units: bool = False) -> Values:
        """The placeholders of a text about the answer."""
        assert self.calculation is not None  # texts about an answer are written where there is one
        return Values(
            self.declaration, self.calculation, self.figures, {"next_edge": self.edge, **(more or {})}, units=units
        )

    def write(self, key: str, more: Mapping[str, Value | None] | None = None, *, units: bool = False) -> str:
        """A text about the answer, by its id."""
        values = self.values(more, units=units)
        return self.texts.write(key, values, values.digits())

    def variant(self, key: str) -> str:
        """The id of a text that depends on a word of the answer or of its inputs: `KEY.FIELD.WORD`, else `KEY`."""
        calculation = self.calculation
        if calculation is None:
            return key
        said: list[tuple[str, Value | None]] = [
            (result.key, calculation.results[result.key]) for result in self.declaration.results
        ]
        inputs = calculation.inputs
        said += [(field.key, inputs[field.key].value) for field in self.declaration.fields if field.key in inputs]
        for name, value in said:
            if value is None or isinstance(value, bool | str):
                word = "none" if value is None else ("yes" if value else "no") if isinstance(value, bool) else value
                if self.texts.has(f"{key}.{name}.{word}"):
                    return f"{key}.{name}.{word}"
        return key

    def result_label(self, key: str, kind: str = "label") -> str:
        """The name of a result."""
        own = self.own(f"result.{key}.{kind}")
        if not self.texts.has(own):
            return key
        return self.write(own) if self.calculation else self.texts.plain(own)

    def field_name(self, key: str, kind: str = "name") -> str:
        """The name of an input, as a sentence says it."""
        own = self.own(f"field.{key}.{kind}")
        return self.texts.plain(own) if self.texts.has(own) else key

    def result(self, key: str) -> Result | None:
        """The declaration of a result."""
        return next((result for result in self.declaration.results if result.key == key), None)

    @property
    def hero(self) -> str:
        """The key of the result shown large: the page's own, or the answer's where the page's does not apply to it."""
        calculation = self.calculation
        if calculation is None or calculation.results[self.declaration.hero] is not None:
            return self.declaration.hero
        own = calculation.report.hero
        return own if calculation.results.get(own) is not None else self.declaration.hero

    @property
    def over(self) -> bool:
        """Whether the answer is above the peak."""
        return self.calculation is not None and any(item.code == "E_OVER" for item in self.calculation.warnings)


def _edge(answered: Answered, locale: str) -> str | None:
    """The edge of the next band, for the label of the rate that reaches it."""
    mfu = None if answered.calculation is None else answered.calculation.results.get("mfu")
    edge = next_edge(mfu) if isinstance(mfu, int | float) and not isinstance(mfu, bool) else None
    return None if edge is None else show_percent(edge[0], 0, locale)


def open_sheet(declaration: Declaration, asked: Asked, answered: Answered, language: str, locale: str) -> Sheet:
    """A sheet for one page."""
    texts = read_texts(language)
    currency = ""
    if answered.calculation is not None and "currency" in answered.calculation.inputs:
        currency = str(answered.calculation.inputs["currency"].value)
    asked = asked._replace(origins=dict(_kept(declaration, asked, answered)))
    extra = {f"{ORIGIN}{key}": page for key, page in asked.origins.items()}
    if asked.locale:
        extra["locale"] = asked.locale
    return Sheet(
        declaration=declaration,
        asked=asked,
        answered=answered,
        language=language,
        locale=locale,
        texts=texts,
        figures=Figures(texts, locale, currency),
        links=Links(declaration, language, link_pairs(declaration, answered), extra),
        edge=_edge(answered, locale),
    )


def _kept(declaration: Declaration, asked: Asked, answered: Answered) -> Iterator[tuple[str, str]]:
    """The origins of values that still are as they came: editing one breaks its link to the page it came from."""
    for key, page in asked.origins.items():
        typed = answered.typed.get(key)
        if typed is None or typed.value is None:
            continue
        if not asked.typed or asked.sent.get(key) == canonical(declaration.field(key), typed.value):
            yield key, page
