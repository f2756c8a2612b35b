"""Types that are an encoder and a decoder, whose decoder also stands alone."""

from __future__ import annotations

import json

import pytest

from peakwise.core.workload import Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.read import read_config

H, F, L, V, P, S = 8, 24, 2, 31, 20, 5
FIELDS = {
    "model_type": "bart",
    "d_model": H,
    "decoder_layers": L,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": F,
    "encoder_layers": 3,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "max_position_embeddings": P,
    "vocab_size": V,
}


def read(**fields: object):
    return read_config(json.dumps(FIELDS | fields).encode(), where="config.json")


def test_a_lone_decoder_owns_its_cross_attention_and_does_not_run_it() -> None:
    """BartForCausalLM: the weights of the cross-attention count as parameters, their products do not."""
    model = read(architectures=["BartForCausalLM"])
    attention, mlp, norm = 4 * (H * H + H), 2 * H * F + F + H, 2 * H
    layer = 2 * attention + mlp + 3 * norm  # self- and cross-attention, each with its norm, and the MLP with its own
    assert count_params(model).total == V * H + (P + 2) * H + norm + L * layer  # + 2: bart's offset; the head is tied
    forward = build_ledger(model, Workload(seq_len=S, mode="forward", attention="full")).forward
    assert forward == 2 * S * (L * (4 * H * H + 2 * H * F) + V * H) + L * 4 * S * S * H


@pytest.mark.parametrize("name", ["BartForConditionalGeneration", "BartForCausalLM"])
def test_the_encoder_counts_only_where_the_class_has_it(name: str) -> None:
    """The class in architectures says whether the encoder is there; its fields alone do not."""
    shorter = read(architectures=[name], encoder_layers=1)
    assert (count_params(shorter).total < count_params(read(architectures=[name])).total) == ("Conditional" in name)
