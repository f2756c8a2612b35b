"""The calculators: named inputs to a calculation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from peakwise.core.calculation import Calculation
from peakwise.core.drawn import Form


def calculate(
    name: str,
    given: Mapping[str, object],
    *,
    face: Literal["key", "flag", "param"] = "key",
    locale: str | None = "en",
    absent: Literal["refuse", "default"] = "refuse",
    local: bool = True,
) -> Calculation:
    """The answer of one calculator to inputs by key; texts are read as a person types them, by `locale`.

    `face` says how the inputs were named where they were given, for sources and errors; without a `locale` a text
    is no number. `absent`: whether a required field that was not named is an error, or takes the default that a page
    shows. `local`: whether a model may be a file of this machine, which a server never reads for a client.

    **Raises** InputError with every field error in `errors`.
    """
    from dataclasses import replace

    from peakwise.calculators.check import check_inputs
    from peakwise.calculators.table import find_calculator
    from peakwise.core.units import from_tera
    from peakwise.facts.near import chips_near
    from peakwise.report.locale import present_results
    from peakwise.verbs.look_up import look_up

    calculator = find_calculator(name)
    declaration = calculator.declaration
    rows, refused = look_up(declaration, given, local=local)
    checked = check_inputs(declaration, given, face=face, locale=locale, refused=refused, absent=absent)
    if "near" in declaration.lookups and (peak := checked.number("peak_tflops")) is not None:
        rows = rows._replace(near=chips_near(from_tera(peak)))
    return replace(calculator.calculate(checked, rows), present=present_results, draw=draw)


def draw(result: Calculation, form: Form) -> str:
    """The answer as Markdown or HTML."""
    from peakwise.report.views.calc import render

    return render(result, form)


class Calculators:
    """The calculators as one object: `calc.mfu(workload="training", params_b=70, …)`, or `calc("mfu", …)`."""

    def __call__(self, name: str, /, **given: object) -> Calculation:
        return calculate(name, given)

    def __getattr__(self, name: str) -> Callable[..., Calculation]:
        from peakwise.calculators.table import CALCULATORS

        identifier = name.replace("_", "-")
        if identifier not in CALCULATORS:
            raise AttributeError(f"there is no calculator {name!r}; there are {', '.join(CALCULATORS)}")
        return partial(self, identifier)

    def __dir__(self) -> list[str]:
        from peakwise.calculators.table import CALCULATORS

        return [name.replace("-", "_") for name in CALCULATORS]


calc = Calculators()
