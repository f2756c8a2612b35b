"""reference/calculators.md from the declarations of the calculators."""

from __future__ import annotations

from pages.markdown import opening, page, table
from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.declaration import Declaration, Field


def write() -> str:
    """The page of calculators: one heading each, its fields and its results."""
    lines = opening(
        "Calculators",
        "`peakwise calc NAME --flag value …`, `pw.calc.name(key=value)`. A bare number is in the field's unit; one "
        "with a suffix or unit is converted. Results are in base units.",
    )
    for name in CALCULATORS:
        lines += _section(find_calculator(name).declaration)
    return page(lines)


def _section(declaration: Declaration) -> list[str]:
    lines = [f"## {declaration.id}", "", f"{declaration.summary[:1].upper()}{declaration.summary[1:]}.", ""]
    lines += ["### Fields", ""]
    heads = ["key", "flag", "unit", "values", "default", "required", "note"]
    lines += table(heads, [_field(declaration, field) for field in declaration.fields])
    lines += ["### Results", ""]
    rows = [(f"`{result.key}`", result.unit, result.note) for result in declaration.results]
    return [*lines, *table(["key", "unit", "note"], rows)]


def _field(declaration: Declaration, field: Field) -> list[object]:
    values = ", ".join(field.words) or field.kind
    if field.low is not None and field.high is not None:
        values = f"{field.kind}, {field.low:g} – {field.high:g}"
    return [
        f"`{field.key}`",
        f"`{field.flag}`",
        field.unit,
        values,
        field.default,
        _required(declaration, field),
        field.note,
    ]


def _required(declaration: Declaration, field: Field) -> str:
    if field.required:
        return "yes"
    for group in declaration.groups:
        if field.key in group.keys:
            return "one of " + ", ".join(group.keys)
    needed = [need.when for need in declaration.needs if field.key in need.keys]
    return f"with {', '.join(needed)}" if needed else ""
