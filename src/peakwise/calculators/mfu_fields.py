"""What the MFU calculator asks and answers. Keys, flags, parameters, ranges: the product's table of fields, C1."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Group, Need, Result, Send
from peakwise.core.units import GIGA, TERA

_RATES = ("tokens_per_s", "tokens_per_s_per_device", "step_s")

FIELDS = (
    take("workload", headline=True, required=True, preselect="inference"),
    take("flops_per_param"),
    take("params_b", 70, headline=True),
    take("active_params_b"),
    take("flop_per_token"),
    take("tokens_per_s", 2000, headline=True),
    take("tokens_per_s_per_device"),
    take("step_s"),
    take("global_batch"),
    take("seq_len"),
    take("peak_tflops", 989, headline=True),
    take("accelerators", 1, headline=True),
    take("chip"),
    take("precision", "bf16"),
    take("denominator"),
    take("memory_gb"),
    take("attention", "none"),
    take("pairs", "exact"),
    take("n_layers"),
    take("d_q"),
    take("window"),
    take("recompute_fraction"),
    take("lost_pct", 0),
)

_TFLOPS = Display(form="number", unit="TFLOP/s", scale=TERA, decimals=1)
_PERCENT = Display(form="percent", decimals=1)
_TOKENS = Display(form="number", unit="token/s", decimals=0)

RESULTS = (
    Result(key="flop_per_s", unit="FLOP/s, whole run", display=_TFLOPS),
    Result(key="flop_per_s_per_device", unit="FLOP/s", display=_TFLOPS),
    Result(
        key="mfu",
        unit="fraction",
        display=_PERCENT,
        more=(("mfu_fraction", Display(form="number", decimals=3)),),
    ),
    Result(
        key="mfu_math_peak",
        unit="fraction",
        display=_PERCENT,
        note="over the chip's peak at the precision that ran; null without a chip",
    ),
    Result(
        key="peak_flop_per_s",
        unit="FLOP/s",
        display=Display(form="number", unit="TFLOP/s", scale=TERA, decimals=0),
        note="peak × accelerators",
    ),
    Result(key="band", unit="", display=Display(form="text"), note="excellent, good, average, poor"),
    Result(
        key="band_applies",
        unit="",
        display=Display(form="yes_no"),
        note="false for inference, for mixtures of experts and for a custom factor",
    ),
    Result(
        key="flop_per_token",
        unit="FLOP",
        display=Display(form="number", unit="GFLOP", scale=GIGA, decimals=2),
    ),
    Result(key="tokens_per_s_total", unit="token/s", display=_TOKENS, note="the rate used, however it was given"),
    Result(key="tokens_per_s_per_device_used", unit="token/s", display=_TOKENS),
    Result(key="tokens_per_s_next_band", unit="token/s", display=_TOKENS, note="null at 55 % and above"),
    Result(key="tokens_per_s_at_peak", unit="token/s", display=_TOKENS),
    Result(
        key="hfu",
        unit="fraction",
        display=_PERCENT,
        note="null unless the recompute fraction is given and the workload is training",
    ),
    Result(key="mfu_wall", unit="fraction", display=_PERCENT, note="mfu × (1 − lost)"),
)

DECLARATION = Declaration(
    id="mfu",
    number="C1",
    summary="share of the hardware's peak that the model's work uses",
    fields=FIELDS,
    results=RESULTS,
    groups=(
        Group(keys=("params_b", "flop_per_token")),
        Group(keys=_RATES),
        Group(keys=("peak_tflops", "chip"), exclusive=False),
    ),
    needs=(
        Need(keys=("flops_per_param",), when="workload", among=("custom",), unless=("flop_per_token",)),
        Need(keys=("global_batch", "seq_len"), when="step_s"),
        Need(
            keys=("n_layers", "d_q", "seq_len"),
            when="attention",
            among=("causal", "full"),
            unless=("flop_per_token",),
        ),
    ),
    slugs=(("en", "mfu"), ("es", "mfu"), ("it", "mfu"), ("ru", "mfu")),
    hero="mfu",
    facts=("flop_per_s", "flop_per_token", "tokens_per_s_next_band", "tokens_per_s_at_peak"),
    sends=(Send(to="hfu", field="mfu_pct", result="mfu"),),
    lookups=("chip", "near", "mixtures"),
)
