"""`peakwise calc`: one calculator; its flags are generated from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated

import typer

from peakwise.cli.flags import Html, Json, Markdown
from peakwise.cli.output import Wanted, show
from peakwise.core.declaration import Declaration, Field

EXAMPLE = 'peakwise calc mfu --workload inference --params 70B --rate 2000 --peak "989 TFLOP/s"'

Given = str | bool | None


class CalculatorCommand:
    """The command of one calculator: typer reads its flags from the signature built here."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.__name__ = declaration.id
        self.__doc__ = declaration.summary
        annotations = {field.key: _annotation(field) for field in declaration.fields}
        flags: dict[str, object] = {"json": Json, "md": Markdown, "html": Html}
        defaults: dict[str, Given] = {"json": False, "md": False}
        self.__annotations__ = {**annotations, **flags}
        self.__signature__ = Signature(
            [
                Parameter(key, Parameter.KEYWORD_ONLY, default=defaults.get(key), annotation=annotation)
                for key, annotation in self.__annotations__.items()
            ]
        )

    def __call__(self, *, json: bool, md: bool, html: str | None, **given: Given) -> None:
        """Run the calculator on what was typed; what was not typed is left out."""
        from peakwise.report.views.calc import describe
        from peakwise.verbs.calc import calculate

        typed = {key: value for key, value in given.items() if value is not None}
        answer = calculate(self.declaration.id, typed, face="flag")
        show(answer, lambda _: describe(answer), Wanted(json, md, html))


def _annotation(field: Field) -> object:
    help_text = _help(field)
    if field.kind == "boolean":
        switch = f"{field.flag}/--no-{field.flag.removeprefix('--')}"
        return Annotated[bool | None, typer.Option(switch, help=help_text, show_default=False)]
    metavar = "|".join(field.words) if field.words else "ID" if field.kind == "id" else "N"
    return Annotated[str | None, typer.Option(field.flag, metavar=metavar, help=help_text, show_default=False)]


def _help(field: Field) -> str:
    """One line: the unit, what it is, and the default."""
    parts = [field.unit, field.note]
    if field.required:
        parts.append("required")
    elif field.default is not None:
        parts.append(f"default {field.default}")
    return "; ".join(part for part in parts if part)


def command(name: str) -> Callable[..., None]:
    """The command of the calculator of this name. **Raises** NotKnown with the nearest names."""
    from peakwise.calculators.table import find_calculator

    return CalculatorCommand(find_calculator(name).declaration)
