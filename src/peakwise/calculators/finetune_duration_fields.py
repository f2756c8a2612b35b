"""What the fine-tuning duration calculator asks and answers: the product's table of fields, C6."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Group, Result

FIELDS = (
    take("examples", 50000, headline=True, required=True),
    take("epochs", 3, headline=True, required=True),
    take("tokens_per_example", 900, headline=True, required=True, note="on average"),
    take("tokens_per_s", 16400, headline=True, note="or --step-time")._replace(above_zero=True),
    take("step_s", note="seconds of one optimizer step"),
    take("global_batch", 64, headline=True),
    take("drop_last", default=False),
    take("packing", default=False),
    take("packed_sequences"),
    take("seq_len"),
    take("pack_efficiency_pct", 100),
    take("eval_every_steps"),
    take("eval_s", 0),
    take("rate_includes_eval", "unknown"),
    take("checkpoint_every_steps"),
    take("checkpoint_s", 0),
    take("warmup_s", 0),
    take("restarts_per_day", 0),
    take("restart_min", 0),
    take("efficiency_pct", note="of ideal scaling; widens the band"),
    take("accelerators", 8, headline=True),
    take("price_per_device_hour", 2.5, headline=True),
    take("currency", "USD"),
    take("power_w", 700),
    take("pue", 1.2),
    take("kwh_price"),
    take("gco2_per_kwh"),
    take("start"),
)

_COUNT = Display(form="number", decimals=0)
_TWO = Display(form="number", decimals=2)
_SECONDS = Display(form="number", unit="s", decimals=1)
_DURATION = Display(form="duration")
_MONEY = Display(form="money")

RESULTS = (
    Result(key="tokens_total", unit="token", display=_COUNT),
    Result(key="sequences_per_epoch", unit="sequences", display=_COUNT, note="examples, or packed sequences"),
    Result(key="steps_per_epoch", unit="steps", display=_COUNT),
    Result(key="steps", unit="steps", display=_COUNT),
    Result(key="train_s", unit="s", display=_DURATION, more=(("train_seconds", _SECONDS),)),
    Result(
        key="duration_s",
        unit="s",
        display=_DURATION,
        note="with evaluation, checkpoints, warm-up and restarts",
        more=(("duration_seconds", _SECONDS),),
    ),
    Result(key="duration_low_s", unit="s", display=_DURATION),
    Result(key="duration_high_s", unit="s", display=_DURATION),
    Result(key="device_hours", unit="accelerator-h", display=_TWO),
    Result(key="cost", unit="currency", display=_MONEY, note="of the accelerators"),
    Result(key="energy_kwh", unit="kWh", display=_TWO, note="the facility's share included"),
    Result(key="energy_cost", unit="currency", display=_MONEY, note="null without a price per kWh"),
    Result(key="co2_kg", unit="kg", display=_TWO, note="null without g CO₂ per kWh"),
    Result(key="ends_at", unit="", display=Display(form="datetime"), note="in the zone of the start; null without it"),
)

DECLARATION = Declaration(
    id="finetune-duration",
    number="C6",
    summary="time, steps, cost and energy of a fine-tuning run",
    fields=FIELDS,
    results=RESULTS,
    groups=(Group(keys=("tokens_per_s", "step_s")),),
    slugs=(
        ("en", "finetune-duration"),
        ("es", "duracion-fine-tuning"),
        ("it", "durata-fine-tuning"),
        ("ru", "dlitelnost-doobucheniya"),
    ),
    hero="duration_s",
    facts=("steps", "device_hours", "cost", "energy_kwh"),
    lookups=("currency",),
)
