"""What method FLOPs asks and answers. Keys, flags, parameters, ranges: the product's table of fields, C7."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.calculators.shape_fields import WAYS, counted_fields, shape_fields
from peakwise.core.declaration import Declaration, Display, Group, Need, Result, Send
from peakwise.core.units import GIGA

FIELDS = (
    take("method", "full", headline=True, required=True),
    take("params_b", headline=True),
    *shape_fields(named=True),
    *counted_fields(headline=False),
    take("lora_rank", 16),
    take("lora_targets", "all"),
    take("trained_layers"),
    take("head_trained", default=True),
    take("recompute", "none"),
    take("early_stop", default=False),
    take("teacher_params_b"),
    take("reward_params_b"),
    take("critic_params_b"),
    take("prompts"),
    take("group"),
    take("prompt_tokens"),
    take("response_tokens"),
    take("prefill_shared", default=True),
    take("old_logprob", default=True),
    take("kl", default=True),
    take("updates", 1),
    take("decode_pct", 3),
    take("prefill_pct", 45),
    take("other_pct", 40),
    take("accelerators", 8),
    take("peak_tflops", 989),
)

_GFLOP = Display(form="number", unit="GFLOP", scale=GIGA, decimals=2)
_PERCENT = Display(form="percent", decimals=1)

RESULTS = (
    Result(
        key="flop_per_token",
        unit="FLOP",
        display=_GFLOP,
        note="model FLOPs of a processed token; null for grpo and ppo",
    ),
    Result(key="hardware_flop_per_token", unit="FLOP", display=_GFLOP, note="with the stated recompute"),
    Result(key="multiplier", unit="FLOP per parameter and token", display=Display(form="number", decimals=2)),
    Result(key="ratio_to_full", unit="", display=Display(form="number", decimals=3), note="to full training"),
    Result(
        key="step_flop",
        unit="FLOP",
        display=Display(form="scientific", unit="FLOP", decimals=3),
        note="model FLOPs of one step of grpo or ppo",
    ),
    Result(key="share_decode", unit="fraction", display=_PERCENT, note="of the step's FLOPs"),
    Result(key="share_prefill", unit="fraction", display=_PERCENT),
    Result(key="share_old", unit="fraction", display=_PERCENT),
    Result(key="share_reference", unit="fraction", display=_PERCENT),
    Result(key="share_reward", unit="fraction", display=_PERCENT),
    Result(key="share_value", unit="fraction", display=_PERCENT, note="the critic's forward"),
    Result(key="share_train", unit="fraction", display=_PERCENT, note="policy and critic"),
    Result(key="step_s", unit="s", display=Display(form="number", unit="s", decimals=1)),
    Result(key="time_share_decode", unit="fraction", display=_PERCENT),
    Result(key="mfu", unit="fraction", display=_PERCENT, note="of the whole step"),
)

_STEP = ("prompts", "prompt_tokens", "response_tokens")

DECLARATION = Declaration(
    id="method-flops",
    number="C7",
    summary="work of a training method, per token or per step",
    fields=FIELDS,
    results=RESULTS,
    groups=(Group(keys=WAYS, exclusive=False),),
    needs=(
        Need(keys=("trained_layers",), when="method", among=("adapters-top", "top-only")),
        Need(keys=("teacher_params_b",), when="method", among=("distillation",)),
        Need(keys=("prompts", "group", *_STEP[1:]), when="method", among=("grpo",)),
        Need(keys=(*_STEP, "reward_params_b", "critic_params_b"), when="method", among=("ppo",)),
    ),
    slugs=(
        ("en", "method-flops"),
        ("es", "flops-por-metodo"),
        ("it", "flops-per-metodo"),
        ("ru", "flops-po-metodam"),
    ),
    hero="multiplier",
    facts=("flop_per_token", "hardware_flop_per_token", "ratio_to_full", "step_s"),
    sends=(
        Send(to="mfu", field="flop_per_token", result="flop_per_token"),
        Send(to="finetune-throughput", field="flop_per_token", result="flop_per_token"),
    ),
    lookups=("model",),
)
