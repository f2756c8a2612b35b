"""The ledger against the framework's own counter, at published sizes, on the meta device."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from peakwise.core.workload import Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.read import read_config

pytestmark = pytest.mark.torch

CONFIGS = Path(str(files("peakwise.facts") / "configs"))
SEQ_LEN = 64
# Routed; with the sweep also multi-head, grouped, local and global, latent, shared experts and sinks.
NAMES = ("olmoe-1b-7b",)
SWEPT = ("gpt2-124m", "llama-3.2-1b", "gemma-2-9b", "deepseek-v2-lite", "qwen1.5-moe-a2.7b", "gpt-oss-20b")


def count_with_framework(path: Path) -> tuple[int, int, int]:
    """Parameters, forward FLOPs and forward + backward FLOPs of one sequence, eager attention, batched experts."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model(**json.loads(path.read_text()))
    config._attn_implementation = "eager"
    config._experts_implementation = "batched_mm"
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
        positions = torch.arange(SEQ_LEN).unsqueeze(0)
        counter = FlopCounterMode(display=False)
        with counter:
            ids = torch.zeros((1, SEQ_LEN), dtype=torch.long)
            logits = model(input_ids=ids, position_ids=positions, use_cache=False).logits
            forward = counter.get_total_flops()
            logits.sum().backward()
    return sum(weight.numel() for weight in model.parameters()), forward, counter.get_total_flops()


@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(name, marks=pytest.mark.sweep) for name in SWEPT)])
def test_the_ledger_equals_the_frameworks_counter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters, forward, and a backward of twice the forward, to the last FLOP."""
    from transformers import masking_utils

    # packed-sequence detection reads token values, which the meta device has not
    monkeypatch.setattr(masking_utils, "find_packed_sequence_indices", lambda *_: None)
    path = CONFIGS / f"{name}.json"
    model = read_config(path.read_bytes(), where=path.name)
    ledger = build_ledger(model, Workload(seq_len=SEQ_LEN, attention="full"))
    assert (count_params(model).total, ledger.forward, ledger.model) == count_with_framework(path)
    assert ledger.backward == 2 * ledger.forward
