"""Draws a small config of any causal-LM type: no two sizes alike, a prime vocabulary, options flipped by the seed."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SIZES: dict[str, dict[str, Any]] = tomllib.loads((HERE / "sizes.toml").read_text())

# One role a size plays, and every field name that plays it. Fields that a class does not know are left out.
ROLES = {
    "hidden": ("hidden_size", "n_embd", "d_model", "emb_dim"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers", "num_decoder_layers"),
    "heads": (
        "num_attention_heads",
        "n_head",
        "n_heads",
        "num_heads",
        "decoder_attention_heads",
        "num_decoder_attention_heads",
        "attention_heads",
    ),
    "kv_heads": ("num_key_value_heads", "num_kv_heads"),
    "head_dim": ("head_dim", "kv_channels", "dim_head"),
    "ffn": ("intermediate_size", "n_inner", "ffn_dim", "dff", "dim_ff", "ffn_hidden_size", "decoder_ffn_dim"),
    "second_ffn": ("intermediate_size_mlp", "dense_intermediate_size"),
    "expert_ffn": ("moe_intermediate_size", "expert_ffn_hidden_size"),
    "shared_ffn": (
        "shared_expert_intermediate_size",
        "shared_intermediate_size",
        "shared_experts_intermediate_size",
    ),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
    "top_k": ("num_experts_per_tok", "moe_k", "moe_topk", "num_experts_per_token"),
    "shared": ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts"),
    "vocab": ("vocab_size", "decoder_vocab_size"),
    "positions": ("max_position_embeddings", "n_positions", "max_seq_len", "max_target_positions"),
    "window": ("sliding_window", "window_size", "sliding_window_size", "local_attention", "attention_chunk_size"),
    "q_lora": ("q_lora_rank",),
    "kv_lora": ("kv_lora_rank",),
    "nope": ("qk_nope_head_dim",),
    "rope": ("qk_rope_head_dim",),
    "v": ("v_head_dim",),
    "dense_first": ("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"),
    "rotary": ("rotary_dim",),
    "pattern": ("sliding_window_pattern", "global_attn_every_n_layers", "no_rope_layer_interval"),
    "first_windowed": ("max_window_layers",),
    "one": ("n_group", "topk_group", "num_expert_group"),
    "state": ("state_size", "mamba_d_state", "ssm_state_size"),
    "taps": ("conv_kernel", "mamba_d_conv", "linear_conv_kernel_dim", "conv_L_cache", "conv1d_width"),
    "scan_heads": ("mamba_n_heads", "mamba_num_heads", "n_mamba_heads"),
    "scan_head_dim": ("mamba_d_head", "mamba_head_dim"),
    "scan_block": ("chunk_size", "mamba_chunk_size", "block_size"),
    "step_rank": ("time_step_rank", "mamba_dt_rank"),
    "linear_kv": ("linear_num_key_heads",),
    "linear_heads": ("linear_num_value_heads", "linear_num_heads"),
    "linear_key": ("linear_key_head_dim",),
    "linear_value": ("linear_value_head_dim", "linear_head_dim"),
}
# Flags that say what a run returns, not what the model is; every other flag is flipped by the seeds.
NO_OPTIONS = (
    "is_decoder",
    "is_encoder_decoder",
    "moe_apply_router_weight_on_input",  # true is refused by the one class that has it
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "return_dict",
    "use_cache",
)
NULL_CHANCE = 0.3  # how often a seed leaves an optional size null
PRIMES = (211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311, 313, 317)


def draw_sizes(rng: random.Random) -> dict[str, int]:
    """A value for every role: no two alike, heads × head size away from the hidden width."""
    kv_heads = rng.choice((2, 3))
    heads = kv_heads * rng.choice((2, 4))
    head_dim, other_dim = rng.sample((8, 16, 24, 32), 2)
    nope, rope, v = rng.sample((12, 16, 20, 28, 36), 3)
    widths = rng.sample(range(33, 129, 2), 6)
    layers = rng.randint(4, 6)
    experts = rng.randint(7, 11)
    return {
        "hidden": heads * other_dim,
        "layers": layers,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "ffn": 2 * widths[0],
        "second_ffn": 2 * widths[1],
        "expert_ffn": widths[2],
        "shared_ffn": widths[3],
        "experts": experts,
        "top_k": rng.choice((2, 3)),
        "shared": rng.choice((1, 2)),
        "vocab": rng.choice(PRIMES),
        "positions": rng.choice((61, 67, 71, 73)),
        "window": rng.choice((5, 6, 7)),
        "q_lora": widths[4],
        "kv_lora": widths[5],
        "nope": nope,
        "rope": rope,
        "v": v,
        "dense_first": rng.choice((1, 2)),
        "rotary": 4,
        "pattern": rng.choice((2, 3, 5)),
        "first_windowed": rng.choice((1, 2, 3)),
        "one": 1,
        **_draw_scans(rng, heads=heads, kv_heads=kv_heads, head_dim=other_dim),
    }


def _draw_scans(rng: random.Random, *, heads: int, kv_heads: int, head_dim: int) -> dict[str, int]:
    """Sizes of a recurrence: heads times their width is twice the hidden width, and blocks do not divide a sequence."""
    key, value = rng.sample((10, 14, 18, 22), 2)
    return {
        "state": rng.choice((11, 13, 15)),
        "taps": rng.choice((3, 4, 5)),
        "scan_heads": 2 * heads,
        "scan_head_dim": head_dim,
        "scan_block": rng.choice((2, 4, 5)),
        "step_rank": rng.choice((7, 9)),
        "linear_kv": kv_heads,
        "linear_heads": 2 * kv_heads,
        "linear_key": key,
        "linear_value": value,
    }


def draw_kinds(rng: random.Random, default: list[Any], layers: int) -> list[Any]:
    """A list of layer kinds of the right length that holds every kind of the class default at least once."""
    kinds = sorted(set(default), key=default.index)
    drawn = kinds + [rng.choice(kinds) for _ in range(max(0, layers - len(kinds)))]
    drawn = drawn[:layers]
    rng.shuffle(drawn)
    return drawn


def draw_fields(model_type: str, seed: int, default: dict[str, Any]) -> dict[str, Any]:
    """The fields to hand to the config class of `model_type`; `default` is what the class says by itself."""
    rng = random.Random(f"{model_type}/{seed}")
    sizes = draw_sizes(rng)
    care = SIZES.get(model_type, {})
    fields = {
        name: sizes[role]
        for role, names in ROLES.items()
        for name in names
        if name in default and not isinstance(default[name], list)
    }
    fields |= _draw_options(rng, default) if seed else {}  # seed 0 keeps the class's own options
    fields |= _draw_nulls(rng, care.get("may_be_null", ()))
    fields |= _draw_lists(rng, default, sizes["layers"])
    return _apply_care(fields, care, sizes, rng, seed)


def _draw_options(rng: random.Random, default: dict[str, Any]) -> dict[str, Any]:
    flags = sorted(name for name, value in default.items() if isinstance(value, bool) and name not in NO_OPTIONS)
    return {name: rng.random() < 0.5 for name in flags}


def _draw_nulls(rng: random.Random, names: Iterable[str]) -> dict[str, Any]:
    return {name: None for name in names if rng.random() < NULL_CHANCE}


def _draw_lists(rng: random.Random, default: dict[str, Any], layers: int) -> dict[str, Any]:
    kinds = {
        name: draw_kinds(rng, default[name], layers)
        for name in ("layer_types", "mlp_layer_types")
        if isinstance(default.get(name), list)
    }
    tokens = {
        name: rng.choice((0, 1, 2, 3))
        for name, value in default.items()
        if name.endswith("_token_id") and isinstance(value, int)
    }
    return kinds | tokens


def _apply_care(
    fields: dict[str, Any], care: dict[str, Any], sizes: dict[str, int], rng: random.Random, seed: int
) -> dict[str, Any]:
    fields = {name: value for name, value in fields.items() if name not in care.get("leave", ())}
    fields |= {name: rng.choice(choices) for name, choices in care.get("one_of", {}).items()}
    variants = care.get("variants", [{}])
    fixed = care.get("set", {}) | variants[seed % len(variants)]
    return fields | {name: fill(value, sizes) for name, value in fixed.items()}


def fill(value: Any, sizes: dict[str, int]) -> Any:
    """`value` with every text `=role` in it replaced by the drawn size of that role, `=role*2` by its double."""
    if isinstance(value, dict):
        return {key: fill(inner, sizes) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, sizes) for inner in value]
    if isinstance(value, str) and value.startswith("="):
        product = 1
        for factor in value[1:].split("*"):
            product *= sizes[factor] if factor in sizes else int(factor)
        return product
    return None if value == "null" else value
