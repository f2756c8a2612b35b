"""Configs of state-space, hybrid and short-convolution models, in the spellings they are published in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peakwise.core.errors import ConfigError
from peakwise.core.model import Model
from peakwise.core.scan import Scan
from peakwise.counting.params import count_params
from peakwise.readers.configs.read import read_config

NEMOTRON: dict[str, Any] = {
    "model_type": "nemotron_h",
    "architectures": ["NemotronHForCausalLM"],
    "hidden_size": 96,
    "vocab_size": 211,
    "intermediate_size": 200,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 20,
    "mamba_num_heads": 6,
    "mamba_head_dim": 14,
    "ssm_state_size": 12,
    "n_groups": 2,
    "conv_kernel": 4,
    "chunk_size": 16,
    "n_routed_experts": 7,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 33,
    "moe_shared_expert_intermediate_size": 51,
}
MAMBA2: dict[str, Any] = {
    "model_type": "mamba2",
    "architectures": ["Mamba2ForCausalLM"],
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "vocab_size": 211,
    "num_heads": 8,
    "head_dim": 16,
    "expand": 2,
    "state_size": 12,
    "n_groups": 2,
    "chunk_size": 16,
}


def read(fields: dict[str, Any]) -> Model:
    return read_config(json.dumps(fields).encode(), where="config.json")


def test_a_pattern_of_letters_means_the_list_of_kinds() -> None:
    """M a scan, * attention, - an MLP, E experts: one mixer a layer."""
    old = read(NEMOTRON | {"hybrid_override_pattern": "M-ME*", "num_hidden_layers": 5})
    kinds = ["linear_attention", "mlp", "mamba", "moe", "attention"]
    assert old.layers == read(NEMOTRON | {"layers_block_type": kinds}).layers
    assert [any(isinstance(op, Scan) for op in layer.ops) for layer in old.layers] == [True, False, True, False, False]
    assert old.shape.n_scan_layers == 2


def test_a_pattern_that_contradicts_the_depth_is_refused() -> None:
    with pytest.raises(ConfigError, match="num_hidden_layers"):
        read(NEMOTRON | {"hybrid_override_pattern": "M-ME", "num_hidden_layers": 52})
    with pytest.raises(ConfigError, match="num_hidden_layers"):
        read(NEMOTRON | {"layers_block_type": ["mamba", "moe", "attention", "mlp"], "num_hidden_layers": 52})


def test_a_lost_pattern_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="hybrid_override_pattern"):
        read(NEMOTRON)


def test_a_letter_that_means_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="X"):
        read(NEMOTRON | {"hybrid_override_pattern": "MX"})


def test_experts_behind_a_narrower_input_have_two_matrices_more() -> None:
    pattern = {"hybrid_override_pattern": "ME*"}
    wide, narrow = read(NEMOTRON | pattern), read(NEMOTRON | pattern | {"moe_latent_size": 40})
    saved = 7 * 2 * 33 * (96 - 40) - 2 * 96 * 40
    assert count_params(wide).total - count_params(narrow).total == saved


def test_heads_that_do_not_fill_the_inner_width_are_refused() -> None:
    assert count_params(read(MAMBA2)).total > 0
    with pytest.raises(ConfigError, match="differ") as caught:
        read(MAMBA2 | {"head_dim": 24})
    assert "192" in caught.value.got
    assert "128" in caught.value.got


def test_a_model_without_attention_has_no_heads() -> None:
    shape = read(MAMBA2).shape
    assert (shape.n_heads, shape.n_kv_heads, shape.n_scan_layers) == (0, 0, 3)


def test_a_kind_of_layer_that_the_type_does_not_have_is_refused() -> None:
    llama = {
        "model_type": "qwen3",
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 97,
        "intermediate_size": 80,
        "layer_types": ["linear_attention", "full_attention"],
    }
    with pytest.raises(ConfigError, match="linear_attention"):
        read(llama)


def test_the_rank_of_the_step_may_be_left_to_the_model() -> None:
    mamba = {
        "model_type": "mamba",
        "hidden_size": 70,
        "num_hidden_layers": 2,
        "vocab_size": 97,
        "state_size": 8,
        "time_step_rank": "auto",
    }
    assert read(mamba).layers == read(mamba | {"time_step_rank": 5}).layers


def test_sizes_in_a_table_of_their_own_are_read_from_there() -> None:
    """Kimi-Linear's published file keeps its linear layers in `linear_attn_config`, counted from one."""
    kimi = {
        "model_type": "kimi_linear",
        "architectures": ["KimiLinearForCausalLM"],
        "hidden_size": 64,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 72,
        "vocab_size": 97,
        "intermediate_size": 80,
        "moe_intermediate_size": 24,
        "num_experts": 6,
        "num_experts_per_token": 2,
        "num_shared_experts": 1,
        "first_k_dense_replace": 1,
        "moe_layer_freq": 1,
        "kv_lora_rank": 20,
        "q_lora_rank": None,
        "qk_nope_head_dim": 12,
        "qk_rope_head_dim": 8,
        "v_head_dim": 10,
    }
    nested = {"head_dim": 14, "num_heads": 3, "short_conv_kernel_size": 5, "full_attn_layers": [4], "kda_layers": [1]}
    flat = {"linear_head_dim": 14, "linear_num_heads": 3, "linear_conv_kernel_dim": 5}
    kinds = ["linear_attention", "linear_attention", "linear_attention", "full_attention"]
    old = read(kimi | {"linear_attn_config": nested})
    assert old.layers == read(kimi | flat | {"layer_types": kinds}).layers


def test_an_embedding_that_is_not_tied_leaves_a_shared_block_unclear() -> None:
    """Zamba's shared blocks are shared by the same means as its head."""
    zamba = {
        "model_type": "zamba2",
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "vocab_size": 97,
        "n_mamba_heads": 8,
        "num_attention_heads": 4,
        "hybrid_layer_ids": [1, 2],
        "tie_word_embeddings": False,
    }
    with pytest.raises(ConfigError, match="copy of the shared block"):
        read(zamba)
