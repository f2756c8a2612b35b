"""Results that no double can hold are refused: a calculator never answers infinity."""

from __future__ import annotations

import math
from collections.abc import Mapping

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.read import called, expected
from peakwise.core.declaration import Declaration, Value


def require_finite(
    results: Mapping[str, Value | None], declaration: Declaration, checked: Checked, blame: tuple[str, ...]
) -> None:
    """Passes where every result is finite.

    `blame`: the fields that may be at fault, the likeliest first; the first that was given is named.
    **Raises** InputError (E_RANGE) where a result is past any number.
    """
    past = [key for key, value in results.items() if isinstance(value, float) and not math.isfinite(value)]
    if not past:
        return
    key = next((key for key in blame if checked.stated(key)), blame[0])
    field, value = declaration.field(key), checked.value(key)
    shown = f"{value:.6g}" if isinstance(value, int | float) else str(value)[:40]
    problem = Problem(
        field=key,
        code="E_RANGE",
        message=f"{called(field, checked.face)} of {shown} makes {past[0]} larger than any number",
        got=shown,
        expected=expected(field),
        hint=field.flag,
    )
    raise refuse([problem], declaration, checked.face)
