"""Numbers of a page as its reader's region writes them, and the placeholders of its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from peakwise.core.calculation import Calculation
from peakwise.core.declaration import Declaration, Display, Field, Result, Value
from peakwise.core.number import format_plain
from peakwise.core.units import GIGA, TERA
from peakwise.report.locale import UNKNOWN, show_number, show_percent, show_value
from peakwise.web.texts import Texts

# How a number of a finding is written where its name is neither an input nor a result: by the end of its name.
_ENDINGS: tuple[tuple[tuple[str, ...], Display], ...] = (
    (
        ("mfu", "hfu", "mbu", "share", "fraction", "efficiency", "utilization"),
        Display(form="percent", decimals=1),
    ),
    (("_bytes",), Display(form="number", unit="GB", scale=GIGA, decimals=1)),
    (("flop_per_s", "_peak"), Display(form="number", unit="TFLOP/s", scale=TERA, decimals=1)),
    (("flop", "flop_per_token"), Display(form="number", unit="GFLOP", scale=GIGA, decimals=2)),
)
# What a text may ask of a number in base units: `{value:percent}`, `{weights:GB}`.
FORMS: dict[str, Display] = {
    "percent": Display(form="percent", decimals=1),
    "percent2": Display(form="percent", decimals=2),
    "GB": Display(form="number", unit="GB", scale=GIGA, decimals=1),
    "GFLOP": Display(form="number", unit="GFLOP", scale=GIGA, decimals=2),
    "TFLOP/s": Display(form="number", unit="TFLOP/s", scale=TERA, decimals=1),
    "duration": Display(form="duration"),
    "whole": Display(form="number"),
    "two": Display(form="number", decimals=2),
}
_LEAST_WORDED = 1000  # below it a number needs no words
_FIGURES = 6  # of a number that is no input: what a person reads


class Shown(NamedTuple):
    """A number as text, its unit apart: `28.3` and `%`, `2,010` and `token/s`."""

    number: str
    unit: str = ""

    @property
    def text(self) -> str:
        """Number and unit together, as one reads them."""
        joint = "" if not self.unit or self.unit.lstrip("\u00a0") == "%" else "\u00a0"
        return f"{self.number}{joint}{self.unit}"


class Figures:
    """Writes numbers and units in one language and region."""

    def __init__(self, texts: Texts, locale: str, currency: str = "") -> None:
        self.texts = texts
        self.locale = locale
        self.currency = currency

    def unit(self, unit: str) -> str:
        """The short name of a declaration's unit."""
        key = f"unit.{unit}"
        return self.texts.plain(key) if unit and self.texts.has(key) else unit

    def result(self, value: Value | None, display: Display, base: str = "") -> Shown:
        """A result as its declaration shows it; `base`: its own unit, where the display names none."""
        if value is None:
            return Shown(UNKNOWN)
        if display.form in ("text", "yes_no"):
            return Shown(self.word(value))
        text = show_value(value, display, self.locale, self.currency)
        if display.form == "percent":
            number = text.rstrip("%").rstrip("\u00a0")
            return Shown(number, text[len(number) :])
        plain = display.form == "number" and display.scale == 1
        return Shown(text, self.unit(display.unit or (base if plain else "")))

    def word(self, value: Value) -> str:
        """A word that a result may be."""
        if isinstance(value, bool):
            return self.texts.plain("ui.yes" if value else "ui.no")
        for kind in ("band", "word"):
            if self.texts.has(f"{kind}.{value}"):
                return self.texts.plain(f"{kind}.{value}")
        return str(value)

    def plain(self, value: int | float) -> str:
        """A number with all its figures, grouped."""
        text = format_plain(value)
        decimals = len(text.partition(".")[2])
        return show_number(value, decimals, self.locale)

    def short(self, value: int | float) -> str:
        """A number with at most six figures, grouped."""
        return self.plain(value if isinstance(value, int) else float(f"{value:.{_FIGURES}g}"))

    def typed(self, field: Field, value: Value) -> str:
        """An input as it stands in its box."""
        if isinstance(value, bool):
            return "1" if value else "0"
        if isinstance(value, int | float):
            return self.plain(value)
        if isinstance(value, tuple):
            return "; ".join(self.plain(item) for item in value)
        return next((choice.link for choice in field.choices if choice.word == value), value)

    def said(self, field: Field, value: Value) -> Shown:
        """An input as a sentence or a formula says it."""
        if isinstance(value, bool):
            return Shown(self.word(value))
        if isinstance(value, int | float):
            if field.dimension == "percent":
                return Shown(self.plain(value), show_percent(0, 0, self.locale)[1:])
            return Shown(self.plain(value), self.unit(field.unit))
        if isinstance(value, tuple):
            return Shown(self.plain(len(value)), self.unit("numbers"))
        return Shown(self.choice(field, value))

    def choice(self, field: Field, word: str) -> str:
        """The label of one word of a choice; an id as it is."""
        key = f"choice.{field.key}.{word}"
        return self.texts.plain(key) if self.texts.has(key) else word

    def words(self, value: int | float) -> str:
        """A large number in words of its language: 70 billion, 70 mil millones."""
        if abs(value) < _LEAST_WORDED:
            key = f"number.{format_plain(value)}"
            return self.texts.plain(key) if self.texts.has(key) else self.plain(value)
        return compact(value, self.locale)


@cache
def compact(value: int | float, locale: str) -> str:
    """A number in the long short form of a locale."""
    from babel.numbers import format_compact_decimal

    return format_compact_decimal(value, format_type="long", fraction_digits=3, locale=locale.replace("-", "_"))


class Figure(str):
    """A placeholder's text that can be written in another form, where a message asks for one."""

    value: Value | None
    figures: Figures

    def __format__(self, form: str) -> str:
        if not form:
            return str(self)
        if form == "words" and isinstance(self.value, int | float):
            return self.figures.words(self.value)
        return self.figures.result(self.value, FORMS[form]).text


class Values(Mapping[str, str]):
    """The placeholders of a text: results, inputs, their units (`KEY_unit`), and what a finding adds.

    `units`: numbers are written with their unit, as findings want them.
    """

    def __init__(
        self,
        declaration: Declaration,
        answer: Calculation,
        figures: Figures,
        more: Mapping[str, Value | None] | None = None,
        *,
        units: bool = False,
    ) -> None:
        self._fields, self._displays = _known(declaration)
        self._answer = answer
        self._figures = figures
        self._more = more or {}
        self._units = units

    def __getitem__(self, name: str) -> str:
        if name.endswith("_unit"):
            return self._shown(name.removesuffix("_unit")).unit
        shown = self._shown(name)
        percent = shown.unit.lstrip("\u00a0") == "%"
        figure = Figure(shown.text if percent or self._units else shown.number)
        figure.value, figure.figures = self._raw(name), self._figures
        return figure

    def _raw(self, name: str) -> Value | None:
        if name in self._more:
            return self._more[name]
        given = self._answer.inputs.get(name)
        return self._answer.results.get(name) if given is None else given.value

    def _shown(self, name: str) -> Shown:
        if name in self._more:
            return self._added(name, self._more[name])
        if name in self._displays:
            key, display, unit = self._displays[name]
            return self._figures.result(self._answer.results[key], display, unit)
        if name in self._answer.inputs:
            return self._figures.said(self._fields[name], self._answer.inputs[name].value)
        if name in self._fields:
            return Shown(UNKNOWN)
        raise KeyError(name)

    def _added(self, name: str, value: Value | None) -> Shown:
        if value is None:
            return Shown(UNKNOWN)
        if not isinstance(value, int | float) or isinstance(value, bool):
            field = self._fields.get(name)
            return Shown(self._figures.choice(field, str(value)) if field else self._figures.word(value))
        if name in self._fields:
            return Shown(self._figures.plain(value))
        if name in self._displays:
            return self._figures.result(value, *self._displays[name][1:])
        for endings, display in _ENDINGS:
            if name.endswith(endings):
                return self._figures.result(value, display)
        return Shown(self._figures.short(value))

    def digits(self) -> Mapping[str, Decimal]:
        """The numbers that decide on plurals."""
        return _Digits(self)

    def number(self, name: str) -> Decimal:
        """The number of a placeholder as it is printed."""
        value = self._raw(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return Decimal(format_plain(value))
        return Decimal(0)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._more, **self._displays, **self._answer.inputs})

    def __len__(self) -> int:
        return len({**self._more, **self._displays, **self._answer.inputs})


class _Digits(Mapping[str, Decimal]):
    """Numbers of placeholders, read when a plural asks."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Decimal:
        return self._values.number(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


_Displays = dict[str, tuple[str, Display, str]]
_KNOWN: dict[str, tuple[dict[str, Field], _Displays]] = {}  # by calculator: declarations do not change


def _known(declaration: Declaration) -> tuple[dict[str, Field], _Displays]:
    """The fields of a calculator by key, and how each result is displayed."""
    found = _KNOWN.get(declaration.id)
    if found is None:
        displays = {
            key: (result.key, display, result.unit if key == result.key else "")
            for result in declaration.results
            for key, display in _all(result)
        }
        found = _KNOWN[declaration.id] = ({field.key: field for field in declaration.fields}, displays)
    return found


def _all(result: Result) -> Iterator[tuple[str, Display]]:
    yield result.key, result.display
    yield from result.more
