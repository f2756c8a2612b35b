"""What the calculator of lengths asks and answers: the product's table of fields, C8."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Result, Send

FIELDS = (
    take("lengths", required=True, note="tokens of each example"),
    take("batch", 4, headline=True, note="examples padded together"),
    take("policy", "pack", headline=True),
    take("seq_len", 4096, headline=True, note="the slot of max and pack"),
    take("slot_tokens_per_s"),
    take("masked_tokens"),
)

_COUNT = Display(form="number", decimals=0)

RESULTS = (
    Result(key="n_examples", unit="", display=_COUNT),
    Result(key="mean_tokens", unit="token", display=Display(form="number", decimals=1)),
    Result(
        key="useful",
        unit="fraction",
        display=Display(form="percent", decimals=2),
        note="real ÷ processed tokens",
    ),
    Result(key="slots", unit="token", display=_COUNT, note="processed, padding included"),
    Result(key="bins", unit="", display=_COUNT, note="batches, or packs"),
    Result(
        key="examples_per_s",
        unit="examples/s",
        display=Display(form="number", decimals=2),
        note="null without a slot rate",
    ),
    Result(key="real_tokens_per_s", unit="token/s", display=_COUNT, note="without padding; null without a slot rate"),
    Result(
        key="attention_ratio",
        unit="",
        display=Display(form="number", decimals=3),
        note="Σ l² ÷ Σ (processed length)²",
    ),
    Result(
        key="trained_share",
        unit="fraction",
        display=Display(form="percent", decimals=1),
        note="of real tokens; null without masked tokens",
    ),
)

DECLARATION = Declaration(
    id="lengths",
    number="C8",
    summary="what padding and packing leave of the processed tokens",
    fields=FIELDS,
    results=RESULTS,
    slugs=(("en", "lengths"), ("es", "longitudes"), ("it", "lunghezze"), ("ru", "dliny")),
    hero="useful",
    facts=("mean_tokens", "slots", "bins", "attention_ratio"),
    sends=(
        Send(to="finetune-throughput", field="tokens_per_example", result="mean_tokens"),
        Send(to="finetune-throughput", field="efficiency_pct", result="useful"),
        Send(to="finetune-duration", field="tokens_per_example", result="mean_tokens"),
    ),
)
