"""What a calculator asks and answers, declared once for command, Python, API, page and docs."""

from __future__ import annotations

from typing import Literal, NamedTuple

from peakwise.core.number import Measure
from peakwise.core.number_unit import Dimension

Kind = Literal["number", "integer", "choice", "boolean", "id", "list", "text", "datetime"]
Value = int | float | str | bool | tuple[int | float, ...]


class Choice(NamedTuple):
    """One word of a choice, and the word for it in a link."""

    word: str
    link: str


class Field(NamedTuple):
    """One input of a calculator.

    `key` names it in API and Python, `flag` on the command line, `param` in a link. A bare number is in `unit`, which
    is `scale` base units of `dimension`; the range is closed and in `unit`, but for 0 itself where `above_zero`.
    `default` is taken when the field is absent, unless another of its group is given; where it is `required`, only a
    page and a link take it, and they take `preselect` where there is no default. `headline` fields stand in every
    link. `on_off`: the command line writes `on` and `off` for this boolean, not a switch. `most`: the longest list, or
    text in bytes.
    """

    key: str
    flag: str
    param: str
    kind: Kind
    note: str = ""
    unit: str = ""
    dimension: Dimension = "plain"
    scale: int = 1
    integer_like: bool = False
    low: float | None = None
    high: float | None = None
    above_zero: bool = False
    zero_code: str = "E_RANGE"
    default: Value | None = None
    preselect: Value | None = None
    choices: tuple[Choice, ...] = ()
    headline: bool = False
    required: bool = False
    on_off: bool = False
    most: int | None = None

    @property
    def measure(self) -> Measure:
        """What a number typed into this field may be."""
        whole = self.kind == "integer"
        return Measure(
            dimension=self.dimension,
            scale=self.scale,
            whole=whole,
            integer_like=whole or self.integer_like,
            low=self.low,
            high=self.high,
            above_zero=self.above_zero,
            zero_code=self.zero_code,
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a choice."""
        return tuple(choice.word for choice in self.choices)


class Group(NamedTuple):
    """Fields that say the same thing in several ways: one is required.

    `exclusive`: two are a conflict. Otherwise they go together, and the typed value wins over a named one.
    """

    keys: tuple[str, ...]
    exclusive: bool = True


Lookup = Literal["chip", "near", "mixtures", "model", "cases", "log", "currency"]


class Need(NamedTuple):
    """Fields that become required when `when` is given (with one of the words of `among`), unless another is given."""

    keys: tuple[str, ...]
    when: str
    among: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class Display(NamedTuple):
    """How a result is written: in units of `scale` or in percent with fixed decimals, or as a word.

    `duration`: seconds as h, min and s. `money`: in the currency of the calculation's input `currency`.
    `scientific`: one digit, the decimals, a power of ten. `datetime`: a date and time in their own zone.
    `more_below`: below this value (in the display's unit) two decimals.
    """

    form: Literal["number", "percent", "text", "yes_no", "duration", "money", "scientific", "datetime"]
    unit: str = ""
    scale: float = 1
    decimals: int = 0
    more_below: float | None = None


class Send(NamedTuple):
    """A result that another calculator takes as an input: its id, its field's key, and the result's key here."""

    to: str
    field: str
    result: str


class Step(NamedTuple):
    """One line of how a result is computed, for people: a fraction of two texts, or one text.

    A key in braces (`{params_b} × {tokens_per_s}`) is a result, an input or a symbol; it is shown first by its name,
    then by its value.
    """

    result: str
    top: str
    bottom: str = ""


class Result(NamedTuple):
    """One answer: its key, its base unit, how it is shown, and other displays of the same number by key."""

    key: str
    unit: str
    display: Display
    note: str = ""
    more: tuple[tuple[str, Display], ...] = ()


class Declaration(NamedTuple):
    """One calculator: `id` is its name everywhere, `number` its place in the list, `summary` what it answers.

    `hero` is the result that a page shows large, `facts` the few beside it, `sends` what travels to other
    calculators, `lookups` what of the catalogue it needs.
    """

    id: str
    number: str
    summary: str
    fields: tuple[Field, ...]
    results: tuple[Result, ...]
    groups: tuple[Group, ...] = ()
    needs: tuple[Need, ...] = ()
    slugs: tuple[tuple[str, str], ...] = ()
    hero: str = ""
    facts: tuple[str, ...] = ()
    sends: tuple[Send, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    def field(self, key: str) -> Field:
        """The field of a key. **Raises** KeyError: a key that the calculator's own code got wrong."""
        for field in self.fields:
            if field.key == key:
                return field
        raise KeyError(key)
