"""Recurrences and short convolutions against the framework's own counter, over several of their chunks."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from .counted import Counted, count

pytestmark = [pytest.mark.torch, pytest.mark.sweep]

TYPES = (
    "bamba",
    "falcon_h1",
    "falcon_mamba",
    "granitemoehybrid",
    "jamba",
    "kimi_linear",
    "lfm2",
    "lfm2_moe",
    "lfm3",
    "mamba",
    "mamba2",
    "minimax",
    "nemotron_h",
    "olmo_hybrid",
    "qwen3_5_moe_text",
    "qwen3_5_text",
    "qwen3_next",
    "recurrent_gemma",
    "rwkv",
    "zamba",
    "zamba2",
)
# Two chunks of 64 (gated delta rule) and a few tokens more; 1: one token, whose chunk is all padding.
LENGTHS = (1, 133)


@pytest.mark.parametrize("seq_len", LENGTHS)
@pytest.mark.parametrize("model_type", TYPES)
def test_every_number_of_chunks_gives_the_frameworks_flops(
    model_type: str, seq_len: int, framework: ModuleType
) -> None:
    """A token, and a sequence that no chunk divides: never refused, equal to the integer."""
    small = replace(framework.Small.draw(model_type, seed=0), seq_len=seq_len)
    assert count(small.document, seq_len) == Counted(n_params=small.n_params(), forward=small.forward())
