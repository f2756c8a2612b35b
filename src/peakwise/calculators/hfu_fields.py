"""What the MFU/HFU calculator asks and answers. Keys, flags, parameters, ranges: the product's table of fields, C4."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.calculators.shape_fields import counted_fields, shape_fields
from peakwise.core.declaration import Declaration, Display, Group, Need, Result

FIELDS = (
    take("mfu_pct", headline=True),
    take("achieved_tflops"),
    take("flops_kind", "model"),
    take("peak_tflops"),
    take("recompute", headline=True),
    take("recompute_fraction"),
    take("flash_backward", default=False),
    take("early_stop", default=False),
    *shape_fields(named=False),
    *counted_fields(headline=False),
    take("pp", 1),
    take("n_microbatches", 1),
    take("virtual_stages", 1),
)

_PERCENT = Display(form="percent", decimals=1)
_RATIO = Display(form="number", decimals=3)

RESULTS = (
    Result(
        key="mfu",
        unit="fraction",
        display=_PERCENT,
        note="null where hardware FLOPs were given and recompute is not stated",
        more=(("mfu_fraction", _RATIO),),
    ),
    Result(key="hfu", unit="fraction", display=_PERCENT, note="null where recompute is not stated"),
    Result(key="hfu_over_mfu", unit="", display=_RATIO, note="(model + recomputed FLOPs) ÷ model FLOPs"),
    Result(key="recompute_cost", unit="fraction", display=_PERCENT, note="hfu − mfu"),
    Result(key="band", unit="", display=Display(form="text"), note="excellent, good, average, poor"),
    Result(key="bubble", unit="fraction", display=_PERCENT, note="(p − 1)/(v·m + p − 1)"),
    Result(key="mfu_without_bubble", unit="fraction", display=_PERCENT, note="mfu ÷ (1 − bubble)"),
)

DECLARATION = Declaration(
    id="hfu",
    number="C4",
    summary="hardware FLOPs utilization, what recompute and the pipeline cost, and the band",
    fields=FIELDS,
    results=RESULTS,
    groups=(Group(keys=("mfu_pct", "achieved_tflops")),),
    needs=(
        Need(keys=("peak_tflops",), when="achieved_tflops"),
        Need(keys=("recompute_fraction",), when="recompute", among=("fraction",)),
    ),
    slugs=(("en", "hfu"), ("es", "hfu"), ("it", "hfu"), ("ru", "hfu")),
    hero="hfu",
    facts=("mfu", "recompute_cost", "hfu_over_mfu", "mfu_without_bubble"),
    lookups=("model",),
)
