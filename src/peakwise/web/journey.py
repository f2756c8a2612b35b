"""What travels from one calculator to the next: results it takes as inputs, else the inputs that both have."""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.calculators.link import canonical
from peakwise.core.declaration import Declaration, Field, Value
from peakwise.core.units import PERCENT
from peakwise.web.sheet import Sheet


def carry(sheet: Sheet, declaration: Declaration, results: Mapping[str, Value | None]) -> tuple[tuple[Field, str], ...]:
    """The fields of another calculator with the values that travel, canonical, in its fields' units."""
    calculation = sheet.calculation
    assert calculation is not None  # only an answer travels
    found: list[tuple[Field, str]] = []
    for field in declaration.fields:
        value = results.get(field.key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found.append((field, canonical(field, _in_unit(field, value))))
        elif not results and field.key in calculation.inputs and _is_told(sheet, field.key):
            found.append((field, canonical(field, calculation.inputs[field.key].value)))
    return tuple(found)


def _is_told(sheet: Sheet, key: str) -> bool:
    """Whether a link of this page says the input."""
    return sheet.declaration.field(key).param in sheet.links.pairs


def _in_unit(field: Field, value: int | float) -> int | float:
    """A result, in base units, in the unit of the field that takes it."""
    from decimal import Decimal

    from peakwise.core.number import tidy

    number = Decimal(str(value))
    scaled = number * PERCENT if field.dimension == "percent" else number / field.scale
    return tidy(scaled.quantize(Decimal(1))) if field.kind == "integer" else tidy(scaled)
