"""What of a model's FLOPs runs again, by its shapes."""

from __future__ import annotations

from peakwise.calculators.check import Checked
from peakwise.calculators.counted import count_or_refuse
from peakwise.calculators.hfu_fields import DECLARATION
from peakwise.calculators.hfu_redone import Redone, Statement, read_statement
from peakwise.calculators.shape_inputs import fill_sizes
from peakwise.calculators.shape_read import read_model
from peakwise.calculators.shape_totals import name_findings
from peakwise.calculators.token_work import Counting, read_counting
from peakwise.core.model import Model
from peakwise.core.workload import Recompute


def count_redone(checked: Checked, named: Model | None) -> Redone:
    """Recomputed FLOPs by model FLOPs of a named model or of typed shapes, by the ledger that `count` builds.

    **Counts / leaves out** the head never runs again; a fraction of the blocks is that share of all of them.
    **Raises** InputError where shapes lack or contradict each other.
    """
    model = read_model(checked, named, DECLARATION)
    assert model is not None  # shapes or a model were said
    counting, said = read_counting(checked), read_statement(checked)
    known = not counting.lacks_length(model)
    return Redone(
        again=_again(checked, model, counting, said, known=known),
        full=_share(checked, model, counting, Recompute(policy="full")) if known else None,
        inputs=fill_sizes(checked, named, DECLARATION),
        shaped=True,
        attention=counting.attention,
        mixture=model.shape.n_moe_layers > 0,
        warnings=tuple(name_findings(model, counting)) if named is not None else (),
    )


def _again(checked: Checked, model: Model, counting: Counting, said: Statement | None, *, known: bool) -> float | None:
    """The share as stated; None where nothing was stated, or the length on which it hangs was not."""
    if said is None:
        return None
    if said.blocks == 0 and not said.flash_backward:
        return 0.0
    if not known:
        return None
    policy = Recompute(policy="selective" if said.blocks is None else "full", early_stop=said.early_stop)
    blocks = 1 if said.blocks is None else said.blocks
    again = blocks * _share(checked, model, counting, policy) if blocks else 0.0
    return again + (_share(checked, model, counting, Recompute(flash_backward=True)) if said.flash_backward else 0.0)


def _share(checked: Checked, model: Model, counting: Counting, recompute: Recompute) -> float:
    ledger = count_or_refuse(checked, DECLARATION, model, counting, recompute=recompute).ledger
    return ledger.recompute / ledger.model
