"""The fields of a model's shapes, as every calculator that takes shapes asks for them."""

from __future__ import annotations

from peakwise.calculators.check import Checked
from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Field

# How a model is told: all of its parameters, a name, or its sizes.
WAYS = ("params_b", "model", "n_layers")

SIZES: tuple[Field, ...] = (
    take("n_layers"),
    take("d_model"),
    take("d_q"),
    take("d_kv"),
    take("d_ff"),
    take("ffn_matrices", 3),
    take("vocab_size"),
    take("tied", default=False),
    take("n_heads"),
    take("q_lora_rank"),
    take("kv_lora_rank"),
    take("d_qk_nope"),
    take("d_qk_rope"),
    take("d_v"),
    take("n_experts", 0),
    take("top_k", 0),
    take("n_shared_experts", 0),
    take("d_expert"),
    take("d_latent"),
    take("n_moe_layers", 0),
    take("window"),
    take("global_every"),
)
MTP: tuple[Field, ...] = (take("mtp", default=False), take("n_mtp_modules", 1))

# Sizes that say nothing of a model by themselves: they bound what is seen.
BOUNDS = ("window", "global_every")


def says_shapes(checked: Checked) -> bool:
    """Were shapes said? A default that a form sends along says none."""
    for field in SIZES:
        value = checked.value(field.key) if checked.stated(field.key) else None
        if value is not None and field.key not in BOUNDS and str(value) != str(field.default):
            return True
    return False


def shape_fields(*, named: bool) -> tuple[Field, ...]:
    """The model, its shapes, and what of it is counted. `named`: whether every link carries the model's name."""
    return (take("model", headline=named), *SIZES, *MTP)


def counted_fields(*, headline: bool) -> tuple[Field, ...]:
    """The length, attention and the router; `headline`: whether every link carries the first two."""
    return (
        take("seq_len", headline=headline),
        take("attention", "causal", headline=headline),
        take("pairs", "exact"),
        take("router", default=True),
    )
