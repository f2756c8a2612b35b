"""The work of a token, or the field error of what cannot be counted."""

from __future__ import annotations

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.token_work import NO_RECOMPUTE, Counting, TokenWork, count_token
from peakwise.core.declaration import Declaration
from peakwise.core.errors import InputError
from peakwise.core.model import Model
from peakwise.core.training import FULL, Train
from peakwise.core.workload import Recompute


def count_or_refuse(
    checked: Checked,
    declaration: Declaration,
    model: Model,
    counting: Counting,
    *,
    train: Train = FULL,
    recompute: Recompute = NO_RECOMPUTE,
    mtp: bool | None = None,
) -> TokenWork:
    """The work of a token. **Raises** InputError with the field that says what the engine cannot count."""
    try:
        return count_token(model, counting, train=train, recompute=recompute, mtp=mtp)
    except InputError as error:
        field = _field(error, declaration, train)
        problem = Problem(
            field=field,
            code="E_CONFLICT" if field == "mtp" else "E_CHOICE",
            message=error.message,
            got=error.got,
            expected=error.expected,
            hint=error.hint if error.where != "--train" else "",
        )
        raise refuse([problem], declaration, checked.face) from error


def _field(error: InputError, declaration: Declaration, train: Train) -> str:
    """The field that the engine's flag stands for here."""
    keys = {field.key for field in declaration.fields}
    if error.where == "--mtp":
        return "mtp"
    if error.where == "--train" and "method" in keys:
        return "lora_targets" if train.targets and error.got.startswith("targets=") else "method"
    return "model" if "model" in keys else "n_layers"
