"""The gradient rules against the framework's own counter, on small models with real routing, to the last FLOP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peakwise.core.training import parse_train
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.read import read_config

pytestmark = pytest.mark.torch

SEQ_LEN = 5
RANK = 3
SMALL: dict[str, dict[str, Any]] = {
    "llama": {
        "hidden_size": 32,
        "intermediate_size": 40,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 12,
        "vocab_size": 50,
        "tie_word_embeddings": False,
    },
    "mixtral": {
        "hidden_size": 32,
        "intermediate_size": 40,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 50,
        "num_local_experts": 5,
        "num_experts_per_tok": 2,
    },
    "gpt2": {
        "n_embd": 32,
        "n_layer": 4,
        "n_head": 4,
        "n_positions": 16,
        "vocab_size": 50,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
}
# The linears of a module by the ledger's names of them.
NAMES = {"qv": ("q_proj", "v_proj"), "all": ("_proj", "c_attn", "c_fc", "w1", "w2", "w3")}
# PyTorch's checkpoints: reentrant; the other kind, which stops early; the other kind, told not to.
CHECKPOINTS = ["none", "reentrant", "not reentrant", "not reentrant, to the end"]
CASES = ["full", f"lora:r={RANK},targets=all", f"lora:r={RANK},targets=all,last=2", "last:2", "frozen:embed"]
CASES += [f"lora:r={RANK},targets=qv", f"lora:r={RANK},targets=qv,last=2"]
MODELS = [(name, train) for name in SMALL for train in CASES]


def _experts_of_linears(experts: Any) -> Any:
    """The experts as linears that run over the tokens routed to them."""
    import torch
    from torch import nn

    class Expert(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width, inner = experts.hidden_dim, experts.intermediate_dim
            self.w1, self.w3 = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
            self.w2 = nn.Linear(inner, width, bias=False)

        def forward(self, x: Any) -> Any:
            return self.w2(torch.sigmoid(self.w1(x)) * self.w3(x))

    class Experts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.experts = nn.ModuleList(Expert() for _ in range(experts.num_experts))

        def forward(self, x: Any, chosen: Any, weights: Any) -> Any:
            result = torch.zeros_like(x)
            for index, expert in enumerate(self.experts):
                token, place = torch.where(chosen == index)
                result = result.index_add(0, token, expert(x[token]) * weights[token, place, None])
            return result

    return Experts()


def _with_adapter(linear: Any) -> Any:
    from torch import nn
    from transformers.pytorch_utils import Conv1D

    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            d_in, d_out = linear.weight.shape if isinstance(linear, Conv1D) else reversed(linear.weight.shape)
            self.linear = linear
            self.a, self.b = nn.Linear(d_in, RANK, bias=False), nn.Linear(RANK, d_out, bias=False)

        def forward(self, x: Any) -> Any:
            return self.linear(x) + self.b(self.a(x)) * 2.0

    return Adapted()


def _split(joined: Any) -> Any:
    """GPT-2's q, k and v, which are one matrix, as three: an adapter on q and v alone needs them apart."""
    from torch import nn

    class Apart(tuple[Any, ...]):
        def split(self, *_: Any, **__: Any) -> Any:
            """What the attention asks of its one matrix's output."""
            return self

    class Split(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width = joined.weight.shape[0]
            self.q_proj, self.k_proj, self.v_proj = (nn.Linear(width, width) for _ in range(3))

        def forward(self, x: Any) -> Any:
            return Apart((self.q_proj(x), self.k_proj(x), self.v_proj(x)))

    return Split()


def _layers(model: Any) -> Any:
    return model.transformer.h if hasattr(model, "transformer") else model.model.layers


def _freeze(model: Any, train: str) -> None:
    """Freezes and adapts the modules as the text says, by the framework's own means."""
    said = parse_train(train)
    layers = _layers(model)
    if said.kind == "frozen":
        model.get_input_embeddings().requires_grad_(False)
        if hasattr(model, "transformer"):
            model.transformer.wpe.requires_grad_(False)
    if said.kind in ("last", "lora"):
        model.requires_grad_(False)
    if said.kind == "last":
        layers[-said.last :].requires_grad_(True)
        if not model.config.tie_word_embeddings:
            model.lm_head.requires_grad_(True)
    if said.kind == "lora":
        wanted = NAMES["qv" if said.targets else "all"]
        for layer in layers[-(said.last or len(layers)) :]:
            for parent in list(layer.modules()):
                for name, child in list(parent.named_children()):
                    if name.endswith(wanted) and name != "linear":
                        setattr(parent, name, _with_adapter(child))


def build(name: str, train: str) -> Any:
    """The small model, its experts as linears."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(0)
    config = AutoConfig.for_model(name, **SMALL[name])
    config._attn_implementation = "eager"
    model = AutoModelForCausalLM.from_config(config).eval()
    for layer in _layers(model):
        if name == "mixtral":
            layer.mlp.experts = _experts_of_linears(layer.mlp.experts)
        if name == "gpt2" and parse_train(train).targets:
            layer.attn.c_attn = _split(layer.attn.c_attn)
    _freeze(model, train)
    return model


def count_with_framework(model: Any, checkpoint: str) -> int:
    """FLOPs of one step, checkpoints around every layer."""
    import functools

    import torch
    from torch.utils.checkpoint import checkpoint as keep
    from torch.utils.flop_counter import FlopCounterMode

    for layer in _layers(model):
        if checkpoint == "reentrant":
            layer.forward = functools.partial(_reentrant, keep, layer.forward)
        elif checkpoint != "none":
            early = checkpoint == "not reentrant"
            layer.forward = functools.partial(keep, layer.forward, use_reentrant=False, early_stop=early)
    if checkpoint == "reentrant":
        model.enable_input_require_grads()  # no gradient passes a checkpoint whose input needs none
    counter = FlopCounterMode(display=False)
    with counter:
        model(input_ids=torch.arange(SEQ_LEN).unsqueeze(0), use_cache=False).logits.sum().backward()
    return counter.get_total_flops()


def _reentrant(keep: Any, forward: Any, hidden: Any, *args: Any, **kwargs: Any) -> Any:
    return keep(lambda value: forward(value, *args, **kwargs), hidden, use_reentrant=True)


def count_here(name: str, train: str, checkpoint: str) -> int:
    """Hardware FLOPs of the ledger, every query seeing every key."""
    recompute = Recompute()
    if checkpoint != "none":
        early, reentrant = checkpoint == "not reentrant", checkpoint == "reentrant"
        recompute = Recompute(policy="full", early_stop=early, reentrant=reentrant)
    model = read_config(json.dumps({"model_type": name, **SMALL[name]}).encode(), where="config.json")
    work = Workload(seq_len=SEQ_LEN, attention="full", train=parse_train(train), recompute=recompute)
    return build_ledger(model, work).hardware


def _cells() -> list[Any]:
    """Every model, what trains of it, and every checkpoint; some of the reentrant kind only with the sweep."""
    cells: list[Any] = []
    for name, train in MODELS:
        for checkpoint in CHECKPOINTS:
            swept = checkpoint == CHECKPOINTS[-1] or (checkpoint == "reentrant" and name != "llama")
            cells.append(pytest.param(name, train, checkpoint, marks=[pytest.mark.sweep] if swept else []))
    return cells


@pytest.mark.parametrize(("name", "train", "checkpoint"), _cells())
def test_what_trains_costs_what_the_framework_counts(name: str, train: str, checkpoint: str) -> None:
    assert count_here(name, train, checkpoint) == count_with_framework(build(name, train), checkpoint)
