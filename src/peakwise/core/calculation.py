"""What a calculator answers: its inputs with their basis, its results, and what cannot be right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from peakwise.core.declaration import Display, Result, Step, Value
from peakwise.core.drawn import drawn
from peakwise.core.errors import Json
from peakwise.core.finding import Finding

if TYPE_CHECKING:
    from peakwise.core.chart import Chart
    from peakwise.core.quantity import Basis


class Input(NamedTuple):
    """One input as it was used, in the field's unit, with its basis and where it was said."""

    value: Value
    unit: str
    basis: Basis
    source: str

    def to_dict(self) -> Json:
        """The entry of `inputs`."""
        return {"value": self.value, "unit": self.unit, "basis": self.basis, "source": self.source}


class Lack(NamedTuple):
    """An input that a result lacks, why it matters, and the flag that gives it."""

    input: str
    why: str
    how: str

    def to_dict(self) -> Json:
        """The entry of `missing`."""
        return {"input": self.input, "why": self.why, "how": self.how}


class Cause(NamedTuple):
    """One likely cause of a figure that cannot be: what it would be without it (None: not known), and the flag.

    For a page: `id` names its sentence, `values` are the numbers in it, `repair` the inputs that would mend it
    (None: the input is left out).
    """

    text: str
    value: float | None
    fix: str
    id: str = ""
    values: tuple[tuple[str, int | float | str], ...] = ()
    repair: tuple[tuple[str, int | float | str | bool | None], ...] = ()


class Fact(NamedTuple):
    """One line of the report's table: a number in `unit` with its decimals (None: as short as it is)."""

    label: str
    value: float
    decimals: int | None
    unit: str
    basis: Basis
    source: str


class Report(NamedTuple):
    """What the report says around the results: one line of news, the table, the rule, why there is no band.

    `hero` is the result shown large and `label` what it is called; `gauge` the utilization drawn on a ruler, empty
    where there is none. Without `facts` the table lists every result that is known, and the inputs.
    """

    headline: str
    facts: tuple[Fact, ...]
    rule: tuple[str, ...]
    band_note: str = ""
    hero: str = "mfu"
    label: str = "MFU"
    gauge: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """The answer of one calculator. Each result is an attribute too: `.mfu`, `.band`; plain, in base units.

    `declared` says how each result is shown; `working` how the main ones are computed, with `symbols` for what is
    neither input nor result (a value and its display); `charts` gives what a page draws, the main one first; `present`
    and `draw` are set by the verb.
    """

    name: str
    inputs: Mapping[str, Input]
    results: Mapping[str, Value | None]
    declared: tuple[Result, ...]
    convention: Mapping[str, str]
    report: Report
    link: str
    version: str
    warnings: tuple[Finding, ...] = ()
    missing: tuple[Lack, ...] = ()
    causes: tuple[Cause, ...] = ()
    working: tuple[Step, ...] = ()
    symbols: Mapping[str, tuple[float, Display]] = field(default_factory=dict[str, "tuple[float, Display]"])
    charts: Callable[[], tuple[Chart, ...]] | None = field(default=None, compare=False, repr=False)
    present: Callable[[Any], Json] | None = field(default=None, compare=False, repr=False)
    draw: Callable[[Any, Any], str] | None = field(default=None, compare=False, repr=False)

    def __getattr__(self, key: str) -> Value | None:
        # Reached only for names that are no field. Half-built copies have no results yet: refuse, do not recurse.
        if key.startswith("_") or key == "results" or key not in self.results:
            raise AttributeError(f"a calculation has no result {key!r}")
        return self.results[key]

    def __dir__(self) -> list[str]:
        return sorted([*object.__dir__(self), *self.results])

    @property
    def display(self) -> Json:
        """The results as text, per locale: `{locale: {key: text}}`."""
        return {} if self.present is None else self.present(self)

    def to_dict(self) -> Json:
        """The document `peakwise.calc/1`."""
        return {
            "schema": "peakwise.calc/1",
            "version": self.version,
            "name": self.name,
            "inputs": {key: given.to_dict() for key, given in self.inputs.items()},
            "results": dict(self.results),
            "display": self.display,
            "convention": dict(self.convention),
            "warnings": [warning.to_dict() for warning in self.warnings],
            "missing": [lack.to_dict() for lack in self.missing],
            "link": self.link,
        }

    def to_markdown(self) -> str:
        """The answer as Markdown."""
        return drawn(self, "markdown")

    def _repr_html_(self) -> str:
        return drawn(self, "html")
