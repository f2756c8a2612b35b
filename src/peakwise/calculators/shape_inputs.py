"""The inputs of a calculation with the sizes of the model that was named, where they were not typed."""

from __future__ import annotations

from peakwise.calculators.check import Checked
from peakwise.calculators.shape_fields import SIZES
from peakwise.calculators.shape_of import find_sizes
from peakwise.core.calculation import Input
from peakwise.core.declaration import Declaration
from peakwise.core.model import Model


def fill_sizes(checked: Checked, named: Model | None, declaration: Declaration) -> Checked:
    """The inputs with the named model's own sizes in place of defaults that are not its.

    A size that the fields cannot say, or that does not apply, is left out.
    """
    if named is None:
        return checked
    found = find_sizes(named)
    inputs = dict(checked.inputs)
    for field in (*SIZES, declaration.field("n_mtp_modules")):
        if checked.stated(field.key):
            continue
        inputs.pop(field.key, None)
        value = _own(found._asdict() if found else {}, field.key, len(named.mtp))
        if value:
            inputs[field.key] = Input(value=value, unit=field.unit, basis="stated", source=named.id)
    order = [field.key for field in declaration.fields if field.key in inputs]
    return checked._replace(inputs={key: inputs[key] for key in order})


def _own(sizes: dict[str, int | bool | None], key: str, n_modules: int) -> int | bool | None:
    return n_modules if key == "n_mtp_modules" else sizes.get(key)
