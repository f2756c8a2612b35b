"""What FLOPs per token asks and answers. Keys, flags, parameters, ranges: the product's table of fields, C2."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.calculators.shape_fields import WAYS, counted_fields, shape_fields
from peakwise.core.declaration import Declaration, Display, Group, Result, Send
from peakwise.core.units import GIGA

FIELDS = (
    take("params_b", 70, headline=True),
    take("active_params_b"),
    *shape_fields(named=True),
    *counted_fields(headline=True),
    take("lengths"),
)

_GFLOP = Display(form="number", unit="GFLOP", scale=GIGA, decimals=2)
_BILLIONS = Display(form="number", unit="10⁹", scale=GIGA, decimals=2)

RESULTS = (
    Result(key="forward_flop_per_token", unit="FLOP", display=_GFLOP),
    Result(key="backward_flop_per_token", unit="FLOP", display=_GFLOP),
    Result(key="training_flop_per_token", unit="FLOP", display=_GFLOP),
    Result(
        key="part_projections",
        unit="FLOP forward",
        display=_GFLOP,
        note="linears of attention, and mixers without attention",
    ),
    Result(key="part_attention", unit="FLOP forward", display=_GFLOP, note="query–key and probability–value products"),
    Result(key="part_ffn", unit="FLOP forward", display=_GFLOP, note="dense and expert"),
    Result(key="part_router", unit="FLOP forward", display=_GFLOP),
    Result(key="part_head", unit="FLOP forward", display=_GFLOP),
    Result(key="part_mtp", unit="FLOP forward", display=_GFLOP, note="the multi-token-prediction modules, whole"),
    Result(
        key="n_matmul_params",
        unit="parameters",
        display=_BILLIONS,
        note="in the matmuls that one token meets; no lookup",
    ),
    Result(
        key="n_params",
        unit="parameters",
        display=_BILLIONS,
        note="all weights that the shapes name, the lookup once more when untied",
    ),
    Result(key="rule_6n_flop_per_token", unit="FLOP", display=_GFLOP, note="6 × n_matmul_params"),
    Result(
        key="attention_share",
        unit="fraction",
        display=Display(form="percent", decimals=1),
        note="of training FLOPs",
    ),
    Result(
        key="seq_len_attention_10pct",
        unit="token",
        display=Display(form="number", unit="token", decimals=0),
        note="length at which attention reaches 10 %; null where a layer does not see the whole sequence",
    ),
)

DECLARATION = Declaration(
    id="flops-per-token",
    number="C2",
    summary="work of one token, forward and in training, by part of the model",
    fields=FIELDS,
    results=RESULTS,
    groups=(Group(keys=WAYS, exclusive=False),),
    slugs=(
        ("en", "flops-per-token"),
        ("es", "flops-por-token"),
        ("it", "flops-per-token"),
        ("ru", "flops-na-token"),
    ),
    hero="training_flop_per_token",
    facts=("forward_flop_per_token", "n_matmul_params", "attention_share", "seq_len_attention_10pct"),
    sends=(
        Send(to="mfu", field="flop_per_token", result="training_flop_per_token"),
        Send(to="finetune-throughput", field="flop_per_token", result="training_flop_per_token"),
    ),
    lookups=("model",),
)
