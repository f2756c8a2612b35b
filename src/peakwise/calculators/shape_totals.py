"""Whether the parameters that were stated follow from the shapes, and what a named model's count should say."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.check import Checked, Problem
from peakwise.calculators.read import called
from peakwise.calculators.token_work import Counting, count_token
from peakwise.core.count import Parameters
from peakwise.core.declaration import Declaration
from peakwise.core.finding import Finding
from peakwise.core.model import Model
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import from_giga, to_giga
from peakwise.core.workload import Workload
from peakwise.counting.findings import find_warnings, mtp_left_out

APART = 0.05  # E_SHAPE: more than 5 % from what the shapes give (the product's table of field errors)


def check_totals(checked: Checked, parameters: Parameters, declaration: Declaration) -> list[Problem]:
    """The stated parameters, all or those used per token, that these shapes do not give.

    **Counts / leaves out** the parameters of a token are given with the embedding or without it; either is right.
    """
    problems: list[Problem] = []
    ways = {"params_b": (parameters.total,), "active_params_b": (parameters.matmul, parameters.active)}
    for key, totals in ways.items():
        given = checked.number(key) if key in checked.inputs else None
        if given is None or not checked.stated(key):
            continue
        low, high = (1 - APART) * min(totals), (1 + APART) * max(totals)
        if not low <= from_giga(given) <= high:
            problems.append(_apart(checked, key, given, totals[0], declaration))
    return problems


def _apart(checked: Checked, key: str, given: float, total: int, declaration: Declaration) -> Problem:
    field = declaration.field(key)
    name, gives = called(field, checked.face), format_fixed(to_giga(total), 1)
    return Problem(
        field=key,
        code="E_SHAPE",
        message=f"{name}: the stated total does not follow from these shapes, which give {gives} ×10⁹",
        got=f"{format_plain(given)} ×10⁹",
        expected=f"{gives} ×10⁹, within 5 %",
        hint="check the widths: an inner width may be printed for gate and up together",
    )


def name_findings(model: Model, counting: Counting) -> Iterator[Finding]:
    """What was assumed of a model that was named by id or config, and its MTP modules where they are left out."""
    whole = Workload(seq_len=counting.seq_len or 1, mtp=True)  # `find_warnings` says of the modules what differs here
    yield from find_warnings(model, whole, (), "exact")
    if model.mtp and not counting.mtp:
        at = counting.of_length(1) if counting.lacks_length(model) else counting
        bare, more = (count_token(model, at, mtp=mtp).model for mtp in (False, True))
        yield mtp_left_out(len(model.mtp), more / bare - 1)
