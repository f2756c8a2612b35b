"""What the fine-tuning throughput calculator asks and answers: the product's table of fields, C5."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Group, Need, Result, Send

# The three ways to say one thing, each with what else its last way needs.
RATES = ("tokens_per_s_per_device", "rate_lo")
EFFICIENCIES = ("efficiency_pct", "rate_at_1")
LENGTHS = ("tokens_per_example", "input_tokens", "lengths")

FIELDS = (
    take("accelerators", 8, headline=True, required=True),
    take("tokens_per_s_per_device", 2500, headline=True, note="measured on a like set-up"),
    take("efficiency_pct", 82, headline=True),
    take("tokens_per_example", 900, headline=True),
    take("input_tokens"),
    take("output_tokens"),
    take("other_tokens"),
    take("token_kind", "all"),
    take("rate_source", "measured"),
    take("lengths"),
    take("rate_at_1"),
    take("devices_at_n"),
    take("rate_at_n"),
    take("batch", note="between the two measured points"),
    take("batch_lo"),
    take("rate_lo"),
    take("batch_hi"),
    take("rate_hi"),
    take("params_b", note="for the MFU: 6 FLOP for each parameter and token; 70 and 70B are the same"),
    take("flop_per_token", note="for the MFU; overrides the parameters"),
    take("peak_tflops"),
)

_TWO = Display(form="number", decimals=2)
_NONE = Display(form="number", decimals=0)
_PERCENT = Display(form="percent", decimals=1)

RESULTS = (
    Result(key="examples_per_s", unit="examples/s", display=_TWO),
    Result(key="tokens_per_s", unit="token/s", display=_NONE, note="whole run"),
    Result(key="examples_per_min", unit="examples/min", display=_TWO),
    Result(key="tokens_per_min", unit="token/min", display=_NONE),
    Result(key="examples_per_hour", unit="examples/h", display=_NONE),
    Result(key="examples_per_day", unit="examples/day", display=_NONE),
    Result(key="device_s_per_1000_examples", unit="accelerator-s", display=_TWO),
    Result(key="tokens_per_example_used", unit="token", display=_NONE, note="as given, or the sum or mean"),
    Result(key="efficiency_used", unit="fraction", display=_PERCENT, note="as given, or from two rates"),
    Result(
        key="scaling_c",
        unit="",
        display=Display(form="number", decimals=4),
        note="efficiency on G accelerators = 1/(1 + c·log2 G); null without two rates",
    ),
    Result(key="mfu", unit="fraction", display=_PERCENT, note="null without a model and a peak"),
)

DECLARATION = Declaration(
    id="finetune-throughput",
    number="C5",
    summary="examples a second of a fine-tuning run",
    fields=FIELDS,
    results=RESULTS,
    groups=(Group(keys=RATES), Group(keys=EFFICIENCIES), Group(keys=LENGTHS)),
    needs=(
        Need(keys=("devices_at_n", "rate_at_n"), when="rate_at_1"),
        Need(keys=("batch", "batch_lo", "batch_hi", "rate_hi"), when="rate_lo"),
    ),
    slugs=(
        ("en", "finetune-throughput"),
        ("es", "throughput-fine-tuning"),
        ("it", "throughput-fine-tuning"),
        ("ru", "skorost-doobucheniya"),
    ),
    hero="examples_per_s",
    facts=("tokens_per_s", "examples_per_min", "tokens_per_min", "device_s_per_1000_examples"),
    sends=(
        Send(to="finetune-duration", field="tokens_per_s", result="tokens_per_s"),
        Send(to="finetune-duration", field="tokens_per_example", result="tokens_per_example_used"),
        Send(to="finetune-duration", field="efficiency_pct", result="efficiency_used"),
        Send(to="mfu", field="tokens_per_s", result="tokens_per_s"),
    ),
)
