"""The catalogue's models give the framework's own figures to the integer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peakwise.core.model import Model
from peakwise.core.workload import Attention, Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.find import find_config
from peakwise.readers.configs.read import read_config

DATA = Path(__file__).parents[2] / "data" / "configs"
ORACLE = json.loads((DATA / "oracle.json").read_text(encoding="utf-8"))


def load(name: str) -> Model:
    source = find_config(name)
    return read_config(source.data, where=source.where, id=source.id, name=source.name)


def forward(model: Model, seq: int, attention: Attention) -> int:
    return build_ledger(model, Workload(seq_len=seq, mode="forward", attention=attention)).forward


@pytest.mark.parametrize("entry", ORACLE, ids=lambda entry: entry["name"])
def test_the_parameters_are_those_of_the_framework(entry: dict[str, object]) -> None:
    parameters = count_params(load(str(entry["name"])))
    assert (parameters.total, parameters.active) == (entry["params_total"], entry["params_active"])


@pytest.mark.parametrize("entry", ORACLE, ids=lambda entry: entry["name"])
def test_the_forward_flops_are_those_of_the_framework(entry: dict[str, int]) -> None:
    model = load(str(entry["name"]))
    assert forward(model, entry["seq"], "full") == entry["fwd_model_flops"]
    assert forward(model, entry["seq"], "causal") == entry["fwd_causal_exact"]


@pytest.mark.parametrize("entry", ORACLE, ids=lambda entry: entry["name"])
def test_a_full_dump_uses_no_class_default_and_leaves_no_field_to_warn_of(entry: dict[str, object]) -> None:
    model = load(str(entry["name"]))
    assert model.defaults_used == ()
    assert set(model.unread) <= {"attn_temperature_tuning"}
    assert model.tied is entry["tied"]


def test_gpt3_has_the_published_weights_to_the_integer() -> None:
    parameters = count_params(load("gpt3-175b"))
    assert (parameters.total, parameters.matmul) == (174604259328, 174563733504)


def test_prediction_modules_stand_apart_and_cost_what_the_report_says() -> None:
    """DeepSeek-V3 at 4096: 250.46 GFLOP a trained token, its one module 10.19 more."""
    model = load("deepseek-v3")
    plain = build_ledger(model, Workload(seq_len=4096)).model / 4096
    with_module = build_ledger(model, Workload(seq_len=4096, mtp=True)).model / 4096
    assert round(plain / 10**9, 2) == 250.46
    assert round((with_module - plain) / 10**9, 2) == 10.19
    assert count_params(model).total == 671026404352


def test_alike_layers_are_one_object() -> None:
    assert len({id(layer) for layer in load("deepseek-v3").layers}) == 2


def test_the_shape_says_the_nominal_sizes() -> None:
    shape = load("deepseek-v3").shape
    assert (shape.d_qk, shape.d_v, shape.latent_attention, shape.n_kv_heads) == (192, 128, True, 128)
    assert (shape.n_moe_layers, shape.n_experts, shape.top_k, shape.d_expert, shape.d_shared) == (
        58,
        256,
        8,
        2048,
        2048,
    )
    assert shape.d_ff == 18432


def test_windows_are_listed_layer_by_layer() -> None:
    assert load("gemma-2-9b").shape.windows[:4] == (4096, None, 4096, None)
    assert load("llama-4-scout-text").shape.windows[:4] == (8192, 8192, 8192, None)
    assert set(load("llama-3.1-8b").shape.windows) == {None}
