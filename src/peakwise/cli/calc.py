"""`peakwise calc`: one calculator; its flags are generated from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated

import typer

from peakwise.cli.calc_run import Typed, run_calculator
from peakwise.cli.flags import Html, Json, Markdown
from peakwise.cli.output import Wanted
from peakwise.core.declaration import Declaration, Field

EXAMPLE = 'peakwise calc mfu --workload inference --params 70B --rate 2000 --peak "989 TFLOP/s"'


class CalculatorCommand:
    """The command of one calculator: typer reads its flags from the signature built here."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.__name__ = declaration.id
        self.__doc__ = declaration.summary
        asked = {key for group in declaration.groups for key in group.keys}
        annotations = {field.key: _annotation(field, asked=field.key in asked) for field in declaration.fields}
        flags: dict[str, object] = {"json": Json, "md": Markdown, "html": Html}
        defaults: dict[str, Typed | None] = {"json": False, "md": False}
        self.__annotations__ = {**annotations, **flags}
        self.__signature__ = Signature(
            [
                Parameter(key, Parameter.KEYWORD_ONLY, default=defaults.get(key), annotation=annotation)
                for key, annotation in self.__annotations__.items()
            ]
        )

    def __call__(self, *, json: bool, md: bool, html: str | None, **given: Typed | None) -> None:
        """Run the calculator on what was typed; what was not typed is left out."""
        typed = {key: value for key, value in given.items() if value is not None}
        run_calculator(self.declaration, typed, Wanted(json, md, html))


def _annotation(field: Field, *, asked: bool) -> object:
    help_text = _help(field, asked=asked)
    if field.kind == "boolean":
        switch = f"{field.flag}/--no-{field.flag.removeprefix('--')}"
        return Annotated[bool | None, typer.Option(switch, help=help_text, show_default=False)]
    metavar = "|".join(field.words) if field.words else "ID" if field.kind == "id" else "N"
    return Annotated[str | None, typer.Option(field.flag, metavar=metavar, help=help_text, show_default=False)]


def _help(field: Field, *, asked: bool) -> str:
    """One line: the unit, what it is, and the default; `asked`: it or another way to say it must be given."""
    parts = [field.unit, field.note]
    if field.required:
        parts.append("required")
    elif field.default is not None and not asked:
        parts.append(f"default {field.default}")
    return "; ".join(part for part in parts if part)


def command(name: str) -> Callable[..., None]:
    """The command of the calculator of this name, or the list of them. **Raises** NotKnown with the nearest names."""
    from peakwise.calculators.table import CALCULATORS, find_calculator

    if name:
        return CalculatorCommand(find_calculator(name).declaration)

    def choose(name: Annotated[str, typer.Argument(metavar="NAME")]) -> None:
        command(name)

    lines = [f"{known}: {find_calculator(known).declaration.summary}" for known in CALCULATORS]
    choose.__doc__ = "One calculator.\n\n\b\n" + "\n".join(lines) + "\n\nIts flags: peakwise calc NAME --help"
    return choose
