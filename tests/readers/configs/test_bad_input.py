"""Wrong files and wrong fields are clear errors, quickly, and never a traceback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.errors import ConfigError, InputError, PeakwiseError, ReadError, UnknownModel
from peakwise.readers.configs.decode import LARGEST_BYTES
from peakwise.readers.configs.find import find_config
from peakwise.readers.configs.read import read_config, read_mapping

ABSENT = object()


def changed(name: str, **fields: object) -> dict[str, Any]:
    config = json.loads(find_config(name).data)
    config |= fields
    return {key: value for key, value in config.items() if value is not ABSENT}


def refuse(config: dict[str, Any], kind: type[PeakwiseError] = ConfigError) -> PeakwiseError:
    with pytest.raises(kind) as caught:
        read_config(json.dumps(config).encode(), where="config.json")
    assert caught.value.where.startswith("config.json")
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n ",
        b"hello",
        b"\x80\x02\x00\x01binary",
        b"\xff\xfe\x00\x7b",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[]",
        b"3",
        b"null",
        b'{"model_type": "llama"} more',
        b" " * (LARGEST_BYTES + 1),
    ],
    ids=lambda data: data[:12],
)
def test_what_is_no_json_object_is_a_read_error(data: bytes) -> None:
    with pytest.raises(ReadError) as caught:
        read_config(data, where="config.json")
    assert caught.value.where == "config.json"
    assert caught.value.got
    assert caught.value.expected


def test_an_empty_object_is_refused_for_want_of_a_model_type() -> None:
    assert refuse({}).where == "config.json: $.model_type"


@pytest.mark.parametrize("value", ["4096", 4096.0, True, -4096, 0, [4096], {}, float("nan"), float("inf"), 10**13])
def test_an_ill_typed_size_is_refused_with_its_path(value: object) -> None:
    error = refuse(changed("llama-3.1-8b", hidden_size=value))
    assert error.where == "config.json: $.hidden_size"
    assert error.expected == "a whole number of at least 1"


@pytest.mark.parametrize("value", ["no", 0, 1, []])
def test_an_ill_typed_flag_is_refused_with_its_path(value: object) -> None:
    assert refuse(changed("llama-3.1-8b", attention_bias=value)).where == "config.json: $.attention_bias"


def test_a_size_without_value_or_class_default_is_named() -> None:
    assert "num_attention_heads is missing" in str(refuse(changed("llama-3.1-8b", num_attention_heads=ABSENT)))


def test_widths_that_do_not_divide_are_refused() -> None:
    error = refuse(changed("llama-3.1-8b", num_attention_heads=30, head_dim=ABSENT))
    assert "hidden_size 4096 is not divisible by num_attention_heads 30" in error.message


def test_heads_that_are_no_multiple_of_the_key_value_heads_are_refused() -> None:
    assert "is not a multiple of num_key_value_heads 7" in str(refuse(changed("llama-3.1-8b", num_key_value_heads=7)))


def test_two_names_of_one_thing_must_agree() -> None:
    error = refuse(changed("llama-3.1-8b", n_embd=2048))
    assert "$.hidden_size and $.n_embd" in error.message
    assert read_mapping(changed("llama-3.1-8b", n_embd=4096), where="x").shape.d_model == 4096


def test_a_nested_table_must_agree_with_the_top() -> None:
    assert "attn_config.kv_n_heads" in str(refuse(changed("dbrx", kv_n_heads=48)))


def test_layer_types_of_another_length_are_refused() -> None:
    assert "layer_types" in refuse(changed("gemma-2-9b", layer_types=["full_attention"] * 3)).where


def test_a_kind_of_layer_that_is_not_counted_is_refused_by_its_place() -> None:
    kinds = ["full_attention"] * 41 + ["mamba"]
    assert refuse(changed("gemma-2-9b", layer_types=kinds)).where == "config.json: $.layer_types[41]"


def test_more_experts_a_token_than_experts_are_refused() -> None:
    error = refuse(changed("mixtral-8x7b", num_experts_per_tok=9))
    assert (error.where, error.got) == ("config.json: $.num_experts_per_tok", "9 of 8")


def test_a_number_of_layers_beyond_any_model_is_refused_at_once() -> None:
    assert "too many layers" in refuse(changed("llama-3.1-8b", num_hidden_layers=10**9)).message


@pytest.mark.parametrize("model", ["deepseek-v3", "deepseek-v2-lite"])
def test_a_stub_without_its_expert_and_latent_fields_is_refused(model: str) -> None:
    kept = ("model_type", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
    stub = {key: value for key, value in changed(model).items() if key in kept}
    latent, experts = {"kv_lora_rank": 64}, {"num_experts_per_tok": 2}
    for part in ({}, latent, experts):
        assert "would be a guess" in refuse(stub | part).message
    assert read_mapping(stub | latent | experts, where="x").defaults_used


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"peft_type": "LORA", "base_model_name_or_path": "a/b", "r": 8, "target_modules": ["q_proj"]}, "lora:r=8"),
        ({"_class_name": "FluxPipeline", "_diffusers_version": "0.30"}, "diffusers"),
        ({"metadata": {}, "weight_map": {"a": "b"}}, "index of weight files"),
    ],
)
def test_a_file_that_lies_beside_a_config_is_refused_by_what_it_is(config: dict[str, Any], says: str) -> None:
    assert says in str(refuse(config))


def test_a_composite_with_a_tower_is_refused_and_a_nested_text_part_alone_is_read() -> None:
    text = changed("llama-3.2-1b", tie_word_embeddings=ABSENT)
    nested = {"model_type": "llava", "tie_word_embeddings": True, "text_config": text}
    assert "vision_config" in str(refuse(nested | {"vision_config": {"hidden_size": 8}}))
    assert read_mapping({"model_type": "x", "tie_word_embeddings": True, "text_config": text}, where="x").tied


def test_an_error_inside_a_nested_part_has_its_path() -> None:
    nested = {"text_config": changed("llama-3.1-8b", hidden_size="8")}
    assert refuse(nested).where == "config.json: $.text_config.hidden_size"


def test_infinity_is_read_in_both_spellings_and_refused_only_where_it_is_used() -> None:
    text = json.dumps(changed("llama-3.1-8b", time_limit="T", time_range="R", note='a "NaN" \\ Infinity'))
    text = text.replace('"T"', "[0.0, Infinity]").replace('"R"', '{"__float__": "Infinity"}')
    assert read_config(text.encode(), where="x").shape.d_model == 4096


JUNK: tuple[object, ...] = (None, "x", "8", 8.5, True, False, -1, 0, 3, 10**13, float("nan"), [], {}, [1], [None])
JUNK += ({"a": 1}, [[["global", "local"], 2]], [["x", 10**9]], "LLG")


def attempt(config: dict[str, Any]) -> PeakwiseError | None:
    try:
        read_mapping(config, where="config.json")
    except PeakwiseError as error:
        return error
    return None


@given(data=st.data())
def test_any_field_with_any_value_is_a_model_or_a_clear_error(data: st.DataObject) -> None:
    names = ["deepseek-v3", "gemma-2-9b", "dbrx", "opt-6.7b", "llama-4-scout-text", "gpt-oss-20b", "falcon-7b"]
    config = changed(data.draw(st.sampled_from(names)))
    field = data.draw(st.sampled_from(sorted(config)))
    error = attempt(config | {field: data.draw(st.sampled_from(JUNK))})
    assert error is None or (error.where and error.got and error.expected)


def test_an_unknown_type_lists_the_nearest_and_offers_like() -> None:
    error = refuse(changed("llama-3.1-8b", model_type="llamma"), UnknownModel)
    assert "llama" in error.expected
    assert error.hint.startswith("--like llama")


@pytest.mark.parametrize("extra", [{}, {"auto_map": {"AutoConfig": "x.Y"}}])
def test_like_supplies_the_facts_of_an_unknown_type_and_is_remembered(extra: dict[str, Any]) -> None:
    config = changed("llama-3.1-8b", model_type="other", **extra)
    refuse(config, UnknownModel)
    model = read_mapping(config, where="x", like="llama")
    assert (model.assumed_like, model.model_type) == ("llama", "other")


def test_like_does_not_excuse_a_field_that_may_hold_weights() -> None:
    with pytest.raises(ConfigError, match="conv_kernel"):
        read_mapping(changed("llama-3.1-8b", model_type="other", conv_kernel=4), where="x", like="llama")


def test_like_must_name_a_known_type_and_only_helps_an_unknown_one() -> None:
    with pytest.raises(UnknownModel, match="llama"):
        read_mapping(changed("llama-3.1-8b", model_type="other"), where="x", like="lama")
    with pytest.raises(InputError, match="facts of its own"):
        read_mapping(changed("llama-3.1-8b"), where="x", like="qwen3")
