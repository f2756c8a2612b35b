"""Runs one calculator on what was typed, whoever read the words."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from peakwise.cli.output import Wanted, show
from peakwise.core.declaration import Declaration
from peakwise.core.errors import InputError

ABSENT = "E_REQ"  # core/codes.py: a required field is absent

Typed = str | bool


def run_calculator(declaration: Declaration, typed: Mapping[str, Typed], wanted: Wanted) -> None:
    """The answer of a calculator to the texts of its flags, by key; what was not typed is left out.

    **Raises** InputError with every field error; where inputs lack, its hint is the completed command.
    """
    from peakwise.report.views.calc import describe
    from peakwise.verbs.calc import calculate

    try:
        answer = calculate(declaration.id, typed, face="flag")
    except InputError as error:
        if error.code == ABSENT:
            absent = [lack.field for lack in error.errors if lack.code == ABSENT]
            error.hint = _complete(declaration, typed, absent)
        raise
    show(answer, lambda _: describe(answer), wanted)


def _complete(declaration: Declaration, typed: Mapping[str, Typed], absent: list[str]) -> str:
    """The command as it was typed, with one placeholder for each input that lacks."""
    words = ["peakwise", "calc", declaration.id]
    for key, value in typed.items():
        flag = declaration.field(key).flag
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag.removeprefix('--')}")
        else:
            words += [flag, value]
    for key in absent:
        field = declaration.field(key)
        words += [field.flag, key.upper() if field.kind in ("choice", "id") else "N"]
    return shlex.join(words)
