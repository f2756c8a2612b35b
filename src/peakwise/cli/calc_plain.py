"""Reads a plain call of a calculator from its declaration alone: a quarter of the start-up is typer's import."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.cli.calc_run import Typed
from peakwise.cli.output import Wanted
from peakwise.core.declaration import Declaration


class PlainCall(NamedTuple):
    """What was typed, by key, and the form that was asked for."""

    typed: dict[str, Typed]
    wanted: Wanted


def read_plain(declaration: Declaration, words: list[str]) -> PlainCall | None:
    """A call of known flags, each with its value; None for any other, which typer reads and answers.

    The last of a repeated flag counts, as typer has it.
    """
    valued = {field.flag: field.key for field in declaration.fields if field.kind != "boolean"}
    switches: dict[str, tuple[str, bool]] = {}
    for field in declaration.fields:
        if field.kind == "boolean":
            switches[field.flag] = (field.key, True)
            switches[f"--no-{field.flag.removeprefix('--')}"] = (field.key, False)
    typed: dict[str, Typed] = {}
    form: dict[str, str] = {}
    left = list(words)
    while left:
        flag, equals, value = left.pop(0).partition("=")
        if flag in switches and not equals:
            key, on = switches[flag]
            typed[key] = on
            continue
        if flag in ("--json", "--md") and not equals:
            form[flag] = flag
            continue
        if flag not in valued and flag != "--html":
            return None
        if not equals:
            if not left or left[0].startswith("--"):
                return None
            value = left.pop(0)
        if flag == "--html":
            form[flag] = value
        else:
            typed[valued[flag]] = value
    return PlainCall(typed, Wanted("--json" in form, "--md" in form, form.get("--html")))
