"""What is traced without values, and the ledger beside the tracer: equal to the integer, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.errors import InputError
from peakwise.integrations.torch import trace_flops
from peakwise.verbs.count import count

from .made import load_torch

pytestmark = pytest.mark.torch

# Ledger and tracer


def _config(kind: str, **sizes: int) -> dict[str, Any]:
    import transformers

    config = getattr(transformers, f"{kind}Config")(**sizes)
    return {**json.loads(config.to_json_string(use_diff=False)), "architectures": [f"{kind}ForCausalLM"]}


def _write(folder: Path, document: dict[str, Any]) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_a_default_mixture_on_the_cpu_equals_its_ledger(tmp_path: Path) -> None:
    """Fused attention and grouped experts, the defaults of the library: its counter alone sees a quarter."""
    import transformers

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2, "vocab_size": 64}
    module = transformers.MixtralForCausalLM(transformers.MixtralConfig(**sizes))
    trace = trace_flops(module, input_ids=load_torch().ones(1, 12, dtype=load_torch().long), use_cache=False)
    ledger = count(_write(tmp_path, _config("Mixtral", **sizes)), seq=12, attention="full").ledger
    assert (trace.forward, trace.backward) == (ledger.forward, ledger.backward)
    assert trace.is_complete
    assert trace.ran == "fake"


@settings(max_examples=5)
@given(
    kind=st.sampled_from(["Llama", "Mixtral", "Qwen2", "Gemma2"]),
    n_kv_heads=st.integers(1, 3),
    per_kv=st.integers(1, 2),
    d_head=st.sampled_from([4, 6]),
    n_layers=st.integers(1, 3),
    d_ff=st.integers(3, 20),
    seq=st.integers(2, 9),
    batch=st.integers(1, 2),
)
def test_the_ledger_equals_the_tracer(  # noqa: PLR0917  # one argument a size that is drawn
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    n_kv_heads: int,
    per_kv: int,
    d_head: int,
    n_layers: int,
    d_ff: int,
    seq: int,
    batch: int,
) -> None:
    heads = n_kv_heads * per_kv
    sizes = {"hidden_size": heads * d_head, "intermediate_size": d_ff, "num_hidden_layers": n_layers}
    sizes |= {"num_attention_heads": heads, "num_key_value_heads": n_kv_heads, "vocab_size": 50, "head_dim": d_head}
    path = _write(tmp_path_factory.mktemp("config"), _config(kind, **sizes))
    check = count(path, seq=seq, batch=batch, trace=True).trace
    assert check is not None
    assert check.agrees
    assert check.ledger_forward > 0
    assert (check.difference_forward, check.difference_backward) == (0, 0)


def test_a_type_that_the_library_lacks_is_refused(tmp_path: Path) -> None:
    document = _config("Llama", hidden_size=8, num_attention_heads=2, num_hidden_layers=1)
    path = _write(tmp_path, {**document, "model_type": "no_such_type"})
    with pytest.raises(InputError, match="cannot build"):
        count(path, seq=4, like="llama", trace=True)


def test_a_config_that_the_library_fails_at_is_refused_with_its_words(tmp_path: Path) -> None:
    """A published dbrx config says its rope_theta; the library has no default for it."""
    document = {
        "model_type": "dbrx",
        "architectures": ["DbrxForCausalLM"],
        "d_model": 16,
        "n_heads": 4,
        "n_layers": 1,
        "vocab_size": 20,
        "tie_word_embeddings": False,
        "attn_config": {"kv_n_heads": 2},
        "ffn_config": {"ffn_hidden_size": 12, "hidden_size": 16, "moe_num_experts": 4, "moe_top_k": 2},
    }
    with pytest.raises(InputError, match=r"fails to build.*rope_theta"):
        count(_write(tmp_path, document), seq=4, trace=True)


def test_a_workload_that_no_trace_has_is_refused() -> None:
    with pytest.raises(InputError, match="--trace cannot check"):
        count("llama-3.2-1b", seq=4, train="frozen:embed", trace=True)


LINEAR = {
    "hidden_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 8,
    "intermediate_size": 12,
    "vocab_size": 20,
}
SCANS: dict[str, dict[str, Any]] = {
    "Qwen3Next": LINEAR
    | {
        "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"],
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 6,
        "linear_value_head_dim": 10,
        "num_experts": 3,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 8,
        "shared_expert_intermediate_size": 8,
    },
    "MiniMax": LINEAR
    | {
        "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"],
        "block_size": 5,
        "num_local_experts": 3,
        "num_experts_per_tok": 2,
    },
    "KimiLinear": LINEAR
    | {
        "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"],
        "mlp_layer_types": ["dense", "dense"],
        "linear_num_heads": 2,
        "linear_head_dim": 6,
        "linear_conv_kernel_dim": 3,
        "num_key_value_heads": 2,
        "kv_lora_rank": 5,
        "qk_nope_head_dim": 4,
        "qk_rope_head_dim": 4,
        "qk_head_dim": 8,
        "v_head_dim": 6,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
}


@pytest.mark.parametrize("seq", [3, pytest.param(70, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("kind", list(SCANS))
def test_a_recurrence_agrees_with_its_trace_but_for_what_the_library_adds(kind: str, seq: int, tmp_path: Path) -> None:
    """Systems that the library solves, and gradients that its first and last chunk need not, stand apart."""
    check = count(_write(tmp_path, _config(kind, **SCANS[kind])), seq=seq, trace=True).trace
    assert check is not None
    assert check.library_backward != 0
    assert (check.difference_forward, check.difference_backward) == (0, 0)
    assert check.agrees


def test_dbrx_is_traced_without_its_weights(tmp_path: Path) -> None:
    """Its experts are a loop over those that were chosen, and it has no other form."""
    document = {
        "model_type": "dbrx",
        "architectures": ["DbrxForCausalLM"],
        "d_model": 16,
        "n_heads": 4,
        "n_layers": 2,
        "vocab_size": 20,
        "max_seq_len": 64,
        "tie_word_embeddings": False,
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10000.0, "clip_qkv": 8.0},
        "ffn_config": {"ffn_hidden_size": 12, "hidden_size": 16, "moe_num_experts": 4, "moe_top_k": 2},
    }
    check = count(_write(tmp_path, document), seq=6, trace=True).trace
    assert check is not None
    assert check.agrees
