"""Configs as their makers wrote them: older spellings, remote code, native styles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peakwise.core.errors import PeakwiseError
from peakwise.core.workload import Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.read import read_config

DATA = Path(__file__).parents[2] / "data" / "realworld"
INDEX = json.loads((DATA / "index.json").read_text(encoding="utf-8"))["entries"]

COUNTED = [entry for entry in INDEX if not entry["must_refuse"]]
REASONS = {
    "afm-4.5b-params": "mlp_structure",
    "llama-heads-do-not-divide": "hidden_size 4096 is not divisible by num_attention_heads 30 and head_dim is absent",
    "ktransformers-deepseek-v2-stub": "would be a guess",
    "yuan-2b": "auto_map",
    "adapter-config": "--train lora:r=16,targets=fc1+fc2+Wqkv+out_proj",
}


def data(entry: dict[str, str]) -> bytes:
    return (DATA / entry["file"]).read_bytes()


@pytest.mark.parametrize("entry", COUNTED, ids=lambda entry: entry["name"])
def test_a_published_style_gives_its_figures(entry: dict[str, str]) -> None:
    model = read_config(data(entry), where=entry["file"])
    parameters = count_params(model)
    assert (parameters.total, parameters.active) == (entry["n_params"], entry["n_active_params"])
    work = [
        Workload(seq_len=int(entry["seq"]), mode="forward", attention="full", ssm_rule="reference"),
        Workload(seq_len=int(entry["seq"]), mode="forward", attention="causal", ssm_rule="reference"),
    ]
    assert [build_ledger(model, w).forward for w in work] == [entry["fwd_full"], entry["fwd_causal"]]


@pytest.mark.parametrize("entry", COUNTED, ids=lambda entry: entry["name"])
def test_a_published_style_has_no_field_to_warn_of(entry: dict[str, str]) -> None:
    assert read_config(data(entry), where=entry["file"]).unread == ()


@pytest.mark.parametrize("entry", [e for e in INDEX if e["must_refuse"]], ids=lambda entry: entry["name"])
def test_what_must_be_refused_is_refused_with_its_reason(entry: dict[str, str]) -> None:
    with pytest.raises(PeakwiseError) as caught:
        read_config(data(entry), where=entry["file"])
    assert REASONS[entry["name"]] in str(caught.value)


def test_a_class_default_that_was_used_is_named() -> None:
    model = read_config((DATA / "gpt-oss-4l-native.json").read_bytes(), where="config.json")
    assert model.defaults_used == ("attention_bias = true (class default of gpt_oss)",)


def test_the_adapter_message_names_the_base_model() -> None:
    with pytest.raises(PeakwiseError, match=r"microsoft/phi-1_5"):
        read_config((DATA / "adapter-config.json").read_bytes(), where="adapter_config.json")
