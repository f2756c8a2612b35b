"""`trace_flops`: a module's FLOPs by its operators, safely, and by name what could not be counted."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.errors import InputError, MissingExtra
from peakwise.integrations.torch import trace_flops
from peakwise.verbs.count import count

pytestmark = pytest.mark.torch


def _torch() -> Any:
    import torch

    return torch


def _module(forward: Callable[..., Any], **weights: Any) -> Any:
    """A module of these weights that runs `forward(module, …)`."""
    torch = _torch()

    class Made(torch.nn.Module):
        def forward(self, *args: Any) -> Any:
            return forward(self, *args)

    made = Made()
    for name, weight in weights.items():
        setattr(made, name, torch.nn.Parameter(weight))
    return made


def _attention(*, causal: bool = False) -> Any:
    sdpa = _torch().nn.functional.scaled_dot_product_attention
    return _module(lambda _, query, key, value: sdpa(query, key, value, is_causal=causal))


def _heads(*shape: int, device: str = "cpu") -> list[Any]:
    return [_torch().randn(shape, device=device, requires_grad=True) for _ in range(3)]


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_fused_attention_counts_on_every_device(device: str) -> None:
    """pytorch/pytorch#195460."""
    trace = trace_flops(_attention(), *_heads(1, 12, 64, 64, device=device))
    assert trace.forward == 12_582_912
    assert trace.backward == 2 * 12_582_912
    assert trace.recompute in (0, 12_582_912 // 2)  # the fused kernel runs the scores again
    assert trace.ran == "fake"


def test_attention_is_counted_once() -> None:
    """pytorch/pytorch#134804."""
    assert trace_flops(_attention(), *_heads(2, 5, 9, 4)).forward == 12_960


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_causal_call_counts_visible_pairs_when_asked(device: str) -> None:
    trace = trace_flops(_attention(causal=True), *_heads(1, 12, 64, 64, device=device), attention="causal")
    assert trace.forward == 12 * (64 * 65 // 2) * 4 * 64
    assert trace.backward == 2 * trace.forward


def test_a_mask_counts_what_it_shows_when_values_are_computed() -> None:
    torch = _torch()
    sdpa = torch.nn.functional.scaled_dot_product_attention
    mask = torch.ones(8, 8, dtype=torch.bool).tril().triu(-2)  # a window of three keys
    module = _module(lambda _, query, key, value, mask: sdpa(query, key, value, attn_mask=mask))
    trace = trace_flops(module, *_heads(1, 2, 8, 4), mask, attention="causal", values=True)
    assert trace.forward == 2 * (1 + 2 + 6 * 3) * 4 * 4
    assert trace.ran == "real"
    hidden = trace_flops(module, *_heads(1, 2, 8, 4), mask, attention="causal")
    assert hidden.forward == 2 * 64 * 4 * 4
    assert "mask tensor" in hidden.notes[0]


def test_a_mask_that_the_module_holds_counts_what_it_shows() -> None:
    torch = _torch()
    sdpa = torch.nn.functional.scaled_dot_product_attention
    mask = torch.full((8, 8), torch.finfo(torch.float32).min).triu(1)  # added: zero where a pair is visible
    module = _module(lambda _, query, key, value: sdpa(query, key, value, attn_mask=mask))
    trace = trace_flops(module, *_heads(1, 2, 8, 4), attention="causal")
    assert (trace.forward, trace.ran) == (2 * 36 * 4 * 4, "fake")


@pytest.mark.parametrize(("channels", "out", "groups"), [(64, 64, 64), (8, 8, 2), (8, 16, 8), (6, 9, 1)], ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_a_grouped_convolution_goes_back_at_twice_its_forward(
    channels: int, out: int, groups: int, transposed: bool
) -> None:
    """pytorch/pytorch#183405: the weight gradient of a group knows only its own channels."""
    torch = _torch()
    kind = torch.nn.ConvTranspose1d if transposed else torch.nn.Conv1d
    layer = kind(channels, out, 4, groups=groups, bias=False)
    trace = trace_flops(layer, torch.randn(1, channels, 128, requires_grad=True))
    positions = 128 if transposed else 125
    assert trace.forward == 2 * positions * layer.weight.numel()
    assert trace.backward == 2 * trace.forward


def test_depth_wise_convolution_of_the_report() -> None:
    torch = _torch()
    layer = torch.nn.Conv1d(64, 64, 4, groups=64, bias=False)
    trace = trace_flops(layer, torch.randn(1, 64, 128, requires_grad=True))
    assert (trace.forward, trace.backward) == (64_000, 128_000)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_grouped_matmul_counts_every_row_once(device: str) -> None:
    torch = _torch()
    offsets = torch.tensor([8, 16, 24, 32], dtype=torch.int32).to(device)
    module = _module(
        lambda self, x: torch._grouped_mm(x, self.w, offs=offsets), w=torch.randn(4, 64, 128, device=device)
    )
    trace = trace_flops(module, torch.randn(32, 64, requires_grad=True, device=device))
    assert trace.forward == 524_288
    assert trace.backward == 2 * 524_288


def test_recurrent_layers_count_their_matrices() -> None:
    torch = _torch()
    trace = trace_flops(torch.nn.LSTM(8, 16, 2, bidirectional=True), torch.randn(5, 3, 8, requires_grad=True))
    matrices = 2 * (4 * 16 * (8 + 16) + 4 * 16 * (32 + 16))
    assert trace.forward == 2 * 5 * 3 * matrices
    assert trace.backward == 2 * trace.forward


def test_products_with_vectors_and_whole_numbers_count() -> None:
    torch = _torch()

    def forward(self: Any, whole: Any) -> Any:
        return torch._int_mm(whole, whole.t()).sum() + (self.w @ self.w[0]).sum() + self.w[0] @ self.w[1]

    trace = trace_flops(_module(forward, w=torch.randn(6, 6)), torch.ones(32, 64, dtype=torch.int8), backward=False)
    assert trace.forward == 2 * 32 * 64 * 32 + 2 * 6 * 6 + 2 * 6


def test_the_encoder_fast_path_hides_nothing() -> None:
    torch = _torch()
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    trace = trace_flops(layer, torch.randn(1, 5, 16), backward=False)
    assert trace.forward == 2 * 5 * (4 * 16 * 16 + 2 * 16 * 32) + 2 * 5 * 5 * 2 * 16
    assert trace.is_complete
    assert torch.backends.mha.get_fastpath_enabled()


def test_a_heavy_operator_without_a_formula_is_named() -> None:
    torch = _torch()
    trace = trace_flops(_module(lambda self, x: torch.linalg.inv(self.w) @ x, w=torch.eye(6)), torch.randn(6, 6))
    named = {one.op: one.calls for one in trace.uncounted}
    assert named == {"aten.linalg_inv_ex": 1}
    assert not trace.is_complete
    document = json.loads(json.dumps(trace.to_dict()))
    assert document["uncounted"][0]["share_of_time"] is None
    assert "share of the time is unknown" in trace.to_markdown()


def test_a_custom_operator_is_named() -> None:
    torch = _torch()

    twice = torch.library.custom_op(
        "peakwise_test::twice", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    twice.register_fake(torch.empty_like)
    trace = trace_flops(_module(lambda _, x: twice(x)), torch.randn(3), backward=False)
    assert [one.op for one in trace.uncounted] == ["peakwise_test.twice"]


def test_light_operators_are_not_named() -> None:
    torch = _torch()
    module = torch.nn.Sequential(torch.nn.LayerNorm(4), torch.nn.GELU(), torch.nn.Softmax(-1), torch.nn.Dropout(0.1))
    trace = trace_flops(module, torch.randn(2, 4, requires_grad=True))
    assert trace.uncounted == ()
    assert trace.model == 0


def test_modules_sum_to_the_whole() -> None:
    torch = _torch()
    trace = trace_flops(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)), torch.randn(3, 4))
    parts = {part.name: part for part in trace.modules}
    assert parts["Sequential"].forward == trace.forward == 2 * 3 * (32 + 16)
    assert parts["Sequential"].backward == trace.backward == 2 * 3 * 32 + 2 * 2 * 3 * 16  # no gradient of the input
    assert parts["Sequential.0"].forward == 2 * 3 * 32
    assert parts["Sequential.1"].backward == 2 * 2 * 3 * 16
    assert sum(part.forward for part in trace.ops) == trace.forward


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointed_work_is_recompute_and_no_model_work(reentrant: bool) -> None:
    torch = _torch()
    inner = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4), torch.nn.ReLU())
    plain = trace_flops(inner, torch.randn(3, 4, requires_grad=True))

    class Again(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Any) -> Any:
            return torch.utils.checkpoint.checkpoint(self.inner, x, use_reentrant=reentrant)

    trace = trace_flops(Again(), torch.randn(3, 4, requires_grad=True))
    assert (trace.forward, trace.backward) == (plain.forward, plain.backward)
    assert trace.recompute == plain.forward


def _state(module: Any) -> list[Any]:
    torch = _torch()
    weights = [(weight.data_ptr(), weight._version, weight.detach().clone()) for weight in module.parameters()]
    buffers = [buffer.clone() for buffer in module.buffers()]
    hooks = [list(part._forward_hooks) for part in module.modules()]
    grads = [None if weight.grad is None else weight.grad.clone() for weight in module.parameters()]
    return [weights, buffers, hooks, grads, torch.get_rng_state(), module.training]


@pytest.mark.parametrize("values", [False, True])
def test_the_module_stays_as_it_is(values: bool) -> None:
    torch = _torch()
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))
    module[0].register_forward_hook(lambda *_: None)
    module(torch.randn(3, 4)).sum().backward()
    x = torch.randn(3, 4, requires_grad=True)
    before = _state(module)
    trace_flops(module, x, values=values)
    after = _state(module)
    for one, other in zip(torch.utils._pytree.tree_leaves(before), torch.utils._pytree.tree_leaves(after), strict=True):
        assert _same((one, other))
    assert x.grad is None


def _same(pair: Any) -> bool:
    if not isinstance(pair, tuple):
        return True
    one, other = pair
    return bool((one == other).all()) if isinstance(one, _torch().Tensor) else one == other


def test_a_forward_that_reads_values_is_computed_on_a_copy() -> None:
    torch = _torch()
    module = _module(lambda self, x: x[x[:, 0] > 0] @ self.w, w=torch.randn(4, 2))
    x = torch.tensor([[1.0] * 4, [-1.0] * 4, [2.0] * 4])
    trace = trace_flops(module, x)
    assert trace.ran == "real"
    assert trace.forward == 2 * 2 * 4 * 2
    assert module.w.grad is None
    with pytest.raises(InputError, match="reads values"):
        trace_flops(module, x.to("meta"))


def _never(*_: Any) -> Any:
    raise AssertionError("compiled")


def test_a_compiled_module_is_traced_without_compiling() -> None:
    torch = _torch()
    compiled = torch.compile(torch.nn.Linear(4, 8), backend=_never)
    trace = trace_flops(compiled, torch.randn(3, 4))
    assert trace.forward == 2 * 3 * 32
    assert trace.module == "Linear"


def test_a_call_that_fails_is_explained() -> None:
    torch = _torch()
    with pytest.raises(InputError, match="call failed"):
        trace_flops(torch.nn.Linear(4, 8), torch.randn(3, 5))
    with pytest.raises(InputError, match="not a module"):
        trace_flops(len, torch.randn(3, 5))
    with pytest.raises(InputError, match="attention rule"):
        trace_flops(torch.nn.Linear(4, 8), torch.randn(3, 4), attention="half")


def test_without_the_framework_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def blocked(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "torch":
            raise ImportError("No module named 'torch'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", blocked)
    with pytest.raises(MissingExtra) as caught:
        trace_flops(object())
    assert caught.value.hint == 'pip install "peakwise[torch]"'


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
    trace = trace_flops(module, input_ids=_torch().ones(1, 12, dtype=_torch().long), use_cache=False)
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


# What a compiler's own counter hides


def test_a_loop_is_counted_at_every_turn() -> None:
    """google/flax#3492, jax-ml/jax#18672: 24 turns of one block, not one."""
    torch = _torch()

    class Loop(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.block = torch.nn.Linear(16, 16, bias=False)

        def forward(self, x: Any) -> Any:
            for _ in range(24):
                x = self.block(x)
            return x

    trace = trace_flops(Loop(), torch.randn(3, 16, requires_grad=True))
    assert trace.forward == 24 * 2 * 3 * 16 * 16
    assert trace.backward == 2 * trace.forward


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_dense_layer_on_two_rows_is_not_hidden_by_its_kernel(device: str) -> None:
    """jax-ml/jax#22249: 73 → 256 on two rows is 74,752 FLOPs, not 511 and not −1."""
    torch = _torch()
    layer = torch.nn.Linear(73, 256, device=device)
    assert trace_flops(layer, torch.randn(2, 73, device=device), backward=False).forward == 74_752


# What only values tell


def test_whole_numbers_among_the_arguments_are_read_as_they_are() -> None:
    """Labels are no offsets of packed sequences, and reading them runs no traced operator."""
    torch = _torch()
    module = _module(lambda self, x, label: x @ self.w[label], w=torch.randn(10, 4))
    trace = trace_flops(module, torch.randn(3, 10), torch.tensor([1, 0, 2, 5, 5, 7, 8, 1, 2, 3]))
    assert (trace.forward, trace.ran) == (2 * 3 * 10 * 4, "fake")


def test_a_triangular_system_costs_n_squared_a_right_hand_side() -> None:
    torch = _torch()
    solve = torch.linalg.solve_triangular
    module = _module(lambda self, right: solve(self.w, right, upper=False), w=torch.eye(6))
    trace = trace_flops(module, torch.randn(5, 6, 4, requires_grad=True))
    assert trace.forward == 5 * 4 * 6**2
    assert trace.backward == 5 * 4 * 6**2 + 2 * 5 * 4 * 6**2  # the right-hand sides, then the matrix
    assert trace.is_complete


def _routed(n_experts: int, top_k: int) -> Any:
    """Experts by a loop over those that were chosen, as older libraries write it."""
    torch = _torch()

    class Routed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.router = torch.nn.Linear(4, n_experts, bias=False)
            self.experts = torch.nn.ModuleList(torch.nn.Linear(4, 4, bias=False) for _ in range(n_experts))

        def forward(self, x: Any) -> Any:
            weights, chosen = torch.topk(self.router(x).softmax(-1), top_k, dim=-1)
            out = torch.zeros_like(x)
            mask = torch.nn.functional.one_hot(chosen, num_classes=n_experts).permute(2, 1, 0)
            for hit in mask.sum(dim=(-1, -2)).nonzero():
                index = int(hit[0])
                place, token = torch.where(mask[index])
                out.index_add_(0, token, self.experts[index](x[token]) * weights[token, place, None])
            return out

    return Routed()


@pytest.mark.parametrize("tokens", [1, 7])
def test_a_loop_over_experts_is_traced_on_the_meta_device(tokens: int) -> None:
    """Which experts are chosen nobody knows there: tokens are dealt out, and top-k of them cost the same anyhow."""
    torch = _torch()
    with torch.device("meta"):
        module = _routed(5, 2)
    trace = trace_flops(module, torch.randn(tokens, 4, device="meta", requires_grad=True))
    assert trace.forward == 2 * tokens * (4 * 5 + 2 * 4 * 4)
    assert trace.backward == 2 * trace.forward
    assert trace.ran == "fake"
    assert "dealt" in trace.notes[0]


def test_a_loop_over_experts_with_values_is_computed() -> None:
    torch = _torch()
    trace = trace_flops(_routed(5, 2), torch.randn(7, 4))
    assert (trace.forward, trace.ran, trace.notes) == (2 * 7 * (4 * 5 + 2 * 4 * 4), "real", ())


def test_other_values_than_choices_stay_unknown_on_the_meta_device() -> None:
    torch = _torch()
    module = _module(lambda self, x: x[x[:, 0] > 0] @ self.w, w=torch.randn(4, 2, device="meta"))
    with pytest.raises(InputError, match="reads values"):
        trace_flops(module, torch.randn(3, 4, device="meta"))


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


@pytest.mark.parametrize("seq", [3, 70])
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
