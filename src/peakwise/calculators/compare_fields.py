"""What the comparison asks and answers. Keys, flags, parameters, ranges: the product's table of fields, C9."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Group, Result, Send
from peakwise.core.units import GIGA, TERA

FIELDS = (
    take("a_case", headline=True),
    take("b_case", headline=True),
    take("a_tflops"),
    take("a_tokens_per_s_per_device"),
    take("a_peak_tflops"),
    take("a_mfu_pct"),
    take("b_tflops"),
    take("b_tokens_per_s_per_device"),
    take("b_peak_tflops"),
    take("b_mfu_pct"),
    take("rule", "published", headline=True),
    take("denominator", "bf16", headline=True, note="precision whose peak divides a published run"),
    take("model", note="the model of typed figures; names their nearest rule"),
    take("seq_len", note="tokens in a sequence of typed figures"),
    take("mtp", False),
)

_PERCENT = Display(form="percent", decimals=2)
_TFLOPS = Display(form="number", unit="TFLOP/s", scale=TERA, decimals=1)
_GFLOP = Display(form="number", unit="GFLOP", scale=GIGA, decimals=2)
_TWO = Display(form="number", decimals=2)
_THREE = Display(form="number", decimals=3)
_NEAREST = "the nearest of 6n, 4n, causal, full, with MTP modules causal+mtp and full+mtp, within 1 %"

RESULTS = (
    Result(key="a_mfu", unit="fraction", display=_PERCENT),
    Result(key="b_mfu", unit="fraction", display=_PERCENT),
    Result(key="ratio_mfu", unit="", display=_TWO, note="a ÷ b"),
    Result(key="a_flop_per_s_per_device", unit="FLOP/s", display=_TFLOPS),
    Result(key="b_flop_per_s_per_device", unit="FLOP/s", display=_TFLOPS),
    Result(key="a_flop_per_token", unit="FLOP", display=_GFLOP),
    Result(key="b_flop_per_token", unit="FLOP", display=_GFLOP),
    Result(key="a_rule", unit="", display=Display(form="text"), note=_NEAREST),
    Result(key="b_rule", unit="", display=Display(form="text"), note=_NEAREST),
    Result(key="same_rule", unit="", display=Display(form="yes_no"), note="null when either is unknown"),
    Result(key="ratio_tokens", unit="", display=_THREE, note="b ÷ a"),
    Result(key="ratio_flop_per_s", unit="", display=_THREE, note="b ÷ a"),
    Result(
        key="time_ratio",
        unit="",
        display=_TWO,
        note="time of b ÷ time of a for the same work on the same hardware",
    ),
)

DECLARATION = Declaration(
    id="compare",
    number="C9",
    summary="two runs side by side, brought to one counting rule",
    fields=FIELDS,
    results=RESULTS,
    groups=(
        Group(keys=("a_case", "a_tflops", "a_mfu_pct")),
        Group(keys=("b_case", "b_tflops", "b_mfu_pct")),
    ),
    slugs=(("en", "compare"), ("es", "casos"), ("it", "casi"), ("ru", "primery")),
    hero="ratio_mfu",
    facts=("a_mfu", "b_mfu", "ratio_flop_per_s", "time_ratio"),
    sends=(
        Send(to="mfu", field="flop_per_token", result="a_flop_per_token"),
        Send(to="hfu", field="mfu_pct", result="a_mfu"),
    ),
    lookups=("model", "cases"),
)
