"""FLOPs of one token of a model, by part: what shapes give beyond the parameters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from peakwise.calculators.attention_length import find_length
from peakwise.calculators.check import Checked, refuse
from peakwise.calculators.counted import count_or_refuse
from peakwise.calculators.flops_per_token_fields import DECLARATION
from peakwise.calculators.flops_per_token_report import Told
from peakwise.calculators.lacks import lack_length
from peakwise.calculators.shape_inputs import fill_sizes
from peakwise.calculators.shape_read import read_model
from peakwise.calculators.shape_totals import check_totals, name_findings
from peakwise.calculators.token_work import Counting, TokenWork, read_counting, router_weights
from peakwise.core.count import Parameters
from peakwise.core.declaration import Value
from peakwise.core.model import Model
from peakwise.counting.params import count_params

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

RULE_OF_SIX = 6  # FLOPs per parameter and token in training: 2 forward, 4 backward


class _Shaped(NamedTuple):
    """A model, its parameters, and its work per token without and with MTP modules, where they count.

    `lacks_length`: nobody said the length on which attention hangs, so that the work is without attention.
    """

    model: Model
    parameters: Parameters
    counting: Counting
    bare: TokenWork
    whole: TokenWork
    lacks_length: bool


def tell_shapes(checked: Checked, named: Model | None) -> Told:
    """The results of a named model or of typed shapes.

    **Raises** InputError where shapes lack or contradict each other, or the stated parameters do not follow from them.
    """
    model = read_model(checked, named, DECLARATION)
    assert model is not None  # shapes or a model were said
    shaped = _shape(checked, model, read_counting(checked))
    results = _results(shaped)
    return Told(
        checked=fill_sizes(checked, named, DECLARATION),
        results=results,
        rule=shaped.counting.say(),
        attention=shaped.counting.attention,
        at=shaped.counting.say_length(),
        charts=partial(_charts, shaped, results),
        warnings=tuple(name_findings(model, shaped.counting)) if named is not None else (),
        missing=(lack_length("forward, backward, training, attention"),) if shaped.lacks_length else (),
    )


def _charts(shaped: _Shaped, results: dict[str, Value | None]) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.flops_per_token_chart import draw_charts

    return draw_charts(shaped.model, shaped.whole, shaped.counting, results)


def _shape(checked: Checked, model: Model, counting: Counting) -> _Shaped:
    parameters = count_params(model)
    problems = check_totals(checked, parameters, DECLARATION)
    if problems:
        raise refuse(problems, DECLARATION, checked.face)
    lacks = counting.lacks_length(model)
    rule = counting._replace(pairs="none") if lacks else counting
    bare = count_or_refuse(checked, DECLARATION, model, rule, mtp=False)
    whole = count_or_refuse(checked, DECLARATION, model, rule, mtp=True) if counting.mtp else bare
    return _Shaped(model, parameters, counting, bare, whole, lacks)


def _results(shaped: _Shaped) -> dict[str, Value | None]:
    """The results of a model; what hangs on a length that nobody said is null."""
    bare, whole, lacks = shaped.bare, shaped.whole, shaped.lacks_length
    router = 0 if shaped.counting.router else router_weights(shaped.model)
    n_matmul = shaped.parameters.matmul - router
    attention = bare.part("attn_scores")
    more = bare.each(whole.ledger.forward - bare.ledger.forward)
    return {
        "forward_flop_per_token": None if lacks else whole.forward,
        "backward_flop_per_token": None if lacks else whole.backward,
        "training_flop_per_token": None if lacks else whole.model,
        "part_projections": bare.part("attn_proj", "ssm", "conv", "embedding", "other"),
        "part_attention": None if lacks else attention,
        "part_ffn": bare.part("mlp", "experts"),
        "part_router": bare.part("router"),
        "part_head": bare.part("lm_head"),
        "part_mtp": None if lacks and shaped.counting.mtp else more,
        "n_matmul_params": n_matmul,
        "n_params": shaped.parameters.total,
        "rule_6n_flop_per_token": RULE_OF_SIX * n_matmul,
        "attention_share": None if lacks else attention / whole.forward,
        "seq_len_attention_10pct": find_length(shaped.model, whole, shaped.counting),
    }
