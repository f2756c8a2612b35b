"""Fields first: synonyms, defaults, unread fields, heads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peakwise.core.errors import ConfigError
from peakwise.core.model import Matmul, Model, Scores
from peakwise.counting.params import count_params
from peakwise.readers.configs.find import find_config
from peakwise.readers.configs.read import read_mapping


def read(name: str, **fields: object) -> Model:
    config: dict[str, Any] = json.loads(find_config(name).data) | fields
    return read_mapping({key: value for key, value in config.items() if value is not ...}, where="config.json")


def total(model: Model) -> int:
    return count_params(model).total


def test_older_spellings_read_the_same() -> None:
    config: dict[str, Any] = json.loads(find_config("llama-3.1-8b").data)
    old = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}
    old |= {"num_key_value_heads": "n_kv_heads", "intermediate_size": "ffn_dim", "head_dim": "kv_channels"}
    renamed = {old.get(key, key): value for key, value in config.items()}
    assert read_mapping(renamed, where="x").layers == read("llama-3.1-8b").layers


def test_absent_key_value_heads_are_the_heads_and_not_a_number() -> None:
    model = read("llama-2-7b", num_attention_heads=64, head_dim=..., num_key_value_heads=...)
    assert (model.shape.n_kv_heads, model.shape.d_qk) == (64, 64)


def test_a_null_window_is_no_window_and_an_absent_one_is_the_class_default() -> None:
    assert set(read("mistral-7b-v0.1", sliding_window=None).shape.windows) == {None}
    absent = read("mistral-7b-v0.1", sliding_window=...)
    assert set(absent.shape.windows) == {4096}
    assert absent.defaults_used == ("sliding_window = 4096 (class default of mistral)",)


@pytest.mark.parametrize("value", [131072, 0])
def test_a_window_that_is_switched_off_is_none(value: int) -> None:
    model = read("qwen2.5-7b", use_sliding_window=False, sliding_window=value, layer_types=...)
    assert set(model.shape.windows) == {None}


def test_layers_from_max_window_layers_on_slide_where_it_is_switched_on() -> None:
    model = read("qwen2.5-7b", use_sliding_window=True, sliding_window=1024, max_window_layers=20, layer_types=...)
    assert model.shape.windows == (None,) * 20 + (1024,) * 8


def test_a_padded_vocabulary_wins() -> None:
    assert read("llama-3.1-8b", padded_vocab_size=128512).shape.vocab_size == 128512


def test_bias_fields_add_the_biases_of_their_linears() -> None:
    plain = total(read("llama-3.1-8b"))
    assert total(read("llama-3.1-8b", attention_bias=True)) - plain == 32 * (4096 + 1024 + 1024 + 4096)
    assert total(read("llama-3.1-8b", mlp_bias=True)) - plain == 32 * (14336 + 14336 + 4096)
    assert total(read("glm-4-9b-0414")) - total(read("glm-4-9b-0414", attention_bias=False)) == 40 * (4096 + 256 + 256)


def test_a_bias_field_that_the_type_does_not_read_changes_nothing() -> None:
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 101}
    phi3 = {"model_type": "phi3", "attention_bias": False, "intermediate_size": 96, **sizes}
    assert total(read_mapping(phi3, where="x")) == total(read_mapping(phi3 | {"attention_bias": True}, where="x"))


@pytest.mark.parametrize(
    "field", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size"]
)
def test_a_size_that_every_file_writes_takes_no_class_default(field: str) -> None:
    """The writer leaves these out of no file; only a part inside a composite takes them from its class."""
    config = json.loads(find_config("llama-3.1-8b").data)
    del config[field]
    with pytest.raises(ConfigError, match=f"{field} is missing"):
        read_mapping(config, where="x")


def test_a_part_inside_a_composite_may_leave_its_sizes_to_its_class() -> None:
    config = json.loads(find_config("llama-3.1-8b").data)
    del config["vocab_size"]
    inside = read_mapping({"text_config": config}, where="x")
    assert inside.defaults_used == ("vocab_size = 32000 (class default of llama)",)


def test_dense_layers_stand_where_the_fields_say() -> None:
    model = read("qwen3-30b-a3b", mlp_only_layers=[0, 2], decoder_sparse_step=2)
    experts = [any(isinstance(op, Matmul) and op.component == "router" for op in layer.ops) for layer in model.layers]
    assert experts == [i % 2 == 1 for i in range(48)]


def test_an_unread_field_that_may_hold_weights_is_refused_by_name() -> None:
    for field, value in [
        ("conv_kernel_size", 3),
        ("n_memory", 2),
        ("extra_proj", True),
        ("expert_kind", "x"),
        ("use_qk_norm", True),
    ]:
        with pytest.raises(ConfigError, match=field):
            read("llama-3.1-8b", **{field: value})


def test_an_unread_field_that_holds_nothing_is_only_reported() -> None:
    assert read("llama-3.1-8b", flavour="mild", extra_proj=False, n_memory=0).unread == ("flavour",)


def test_experts_in_a_dense_type_are_refused() -> None:
    with pytest.raises(ConfigError, match="num_local_experts"):
        read("llama-3.1-8b", num_local_experts=8)


def test_cross_attention_is_refused_where_it_is_switched_on() -> None:
    with pytest.raises(ConfigError, match="add_cross_attention"):
        read("gpt2-124m", add_cross_attention=True)


def test_a_factorised_embedding_adds_its_projections() -> None:
    """opt-350m: tables of 512, hidden 1024, no final norm."""
    fields = {"hidden_size": 1024, "word_embed_proj_dim": 512, "ffn_dim": 4096, "num_hidden_layers": 24}
    model = read("opt-6.7b", num_attention_heads=16, do_layer_norm_before=False, **fields)
    assert total(model) == 331196416  # facebook/opt-350m, its published safetensors total


def test_the_class_name_says_the_head() -> None:
    body = total(read("llama-3.1-8b", architectures=["LlamaModel"]))
    assert total(read("llama-3.1-8b")) - body == 128256 * 4096
    labels = {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "a", "1": "b", "2": "c"}}
    model = read("llama-3.1-8b", **labels)
    head = model.outside[-1]
    assert total(model) - body == 3 * 4096
    assert isinstance(head, Matmul)
    assert (head.over, head.d_out) == ("sequence", 3)
    assert total(read("llama-3.1-8b", architectures=["LlamaForTokenClassification"])) - body == 2 * 4096 + 2
    assert total(read("llama-3.1-8b", architectures=...)) == total(read("llama-3.1-8b"))


def test_a_class_that_says_no_known_head_is_refused() -> None:
    with pytest.raises(ConfigError, match="LlamaForCausalLMEagle3"):
        read("llama-3.1-8b", architectures=["LlamaForCausalLMEagle3"])


def test_a_tied_head_multiplies_and_owns_nothing() -> None:
    head = read("llama-3.2-1b").outside[-1]
    assert isinstance(head, Matmul)
    assert not head.owned


def test_under_latent_attention_head_dim_is_void() -> None:
    scores = [op for op in read("deepseek-v3", head_dim=64).layers[0].ops if isinstance(op, Scores)]
    assert [(op.d_qk, op.d_v, op.n_heads) for op in scores] == [(192, 128, 128)]


def test_a_direct_query_projection_has_no_low_rank_one() -> None:
    names = [op.name for op in read("deepseek-v2-lite").layers[0].ops if isinstance(op, Matmul)]
    assert names[:4] == ["q", "o", "kv_a", "kv_b"]


MEGATRON: dict[str, Any] = {
    "num_layers": 2,
    "hidden_size": 192,
    "num_attention_heads": 6,
    "max_position_embeddings": 64,
    "padded_vocab_size": 128,
    "add_bias_linear": True,
    "global_batch_size": 8,
    "num_workers": 2,
    "num_experts": None,
}


def test_megatron_arguments_are_read_and_its_trainer_switches_carry_nothing() -> None:
    model = read_mapping(MEGATRON, where="log")
    body = 2 * (4 * 192 * 192 + 4 * 192 + 8 * 192 * 192 + 5 * 192 + 4 * 192) + 2 * 192
    assert total(model) == body + 128 * 192 + 64 * 192
    assert (model.tied, model.unread) == (True, ())


def test_megatron_arguments_say_the_gate_the_groups_and_the_norm() -> None:
    more = {"swiglu": True, "group_query_attention": True, "num_query_groups": 2, "num_experts": [1]}
    more |= {"normalization": "RMSNorm", "add_bias_linear": False, "position_embedding_type": "rope"}
    model = read_mapping(MEGATRON | more, where="log")
    shape = model.shape
    assert (shape.gated, shape.n_kv_heads, shape.d_ff, shape.n_moe_layers) == (True, 2, 512, 0)
    assert total(model) == 2 * (2 * 192 * 192 + 2 * 192 * 64 + 3 * 192 * 512 + 2 * 192) + 192 + 128 * 192


def test_megatron_structures_that_are_not_counted_are_refused() -> None:
    with pytest.raises(ConfigError, match="multi_latent_attention"):
        read_mapping(MEGATRON | {"multi_latent_attention": True}, where="log")


@pytest.mark.parametrize(
    ("native", "row"),
    [
        ({"dim": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 99, "multiple_of": 32}, "native-meta"),
        ({"dim": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 99, "hidden_dim": 160}, "native-mistral"),
        ({"n_layer": 2, "n_head": 4, "n_embd": 64, "block_size": 32, "vocab_size": 99}, "native-nanogpt"),
    ],
)
def test_a_native_style_is_recognised_by_its_names(native: dict[str, int], row: str) -> None:
    model = read_mapping(native, where="params.json")
    assert model.model_type == row
    assert model.shape.d_ff == {"native-meta": 192, "native-mistral": 160, "native-nanogpt": 256}[row]
