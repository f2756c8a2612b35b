"""`trace_flops`: a module's FLOPs by its operators, safely, and by name what could not be counted."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

from peakwise.core.errors import InputError, MissingExtra
from peakwise.integrations.torch import trace_flops

from .made import load_torch, make_module

pytestmark = pytest.mark.torch


def _attention(*, causal: bool = False) -> Any:
    sdpa = load_torch().nn.functional.scaled_dot_product_attention
    return make_module(lambda _, query, key, value: sdpa(query, key, value, is_causal=causal))


def _heads(*shape: int, device: str = "cpu") -> list[Any]:
    return [load_torch().randn(shape, device=device, requires_grad=True) for _ in range(3)]


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
    torch = load_torch()
    sdpa = torch.nn.functional.scaled_dot_product_attention
    mask = torch.ones(8, 8, dtype=torch.bool).tril().triu(-2)  # a window of three keys
    module = make_module(lambda _, query, key, value, mask: sdpa(query, key, value, attn_mask=mask))
    trace = trace_flops(module, *_heads(1, 2, 8, 4), mask, attention="causal", values=True)
    assert trace.forward == 2 * (1 + 2 + 6 * 3) * 4 * 4
    assert trace.ran == "real"
    hidden = trace_flops(module, *_heads(1, 2, 8, 4), mask, attention="causal")
    assert hidden.forward == 2 * 64 * 4 * 4
    assert "mask tensor" in hidden.notes[0]


def test_a_mask_that_the_module_holds_counts_what_it_shows() -> None:
    torch = load_torch()
    sdpa = torch.nn.functional.scaled_dot_product_attention
    mask = torch.full((8, 8), torch.finfo(torch.float32).min).triu(1)  # added: zero where a pair is visible
    module = make_module(lambda _, query, key, value: sdpa(query, key, value, attn_mask=mask))
    trace = trace_flops(module, *_heads(1, 2, 8, 4), attention="causal")
    assert (trace.forward, trace.ran) == (2 * 36 * 4 * 4, "fake")


@pytest.mark.parametrize(("channels", "out", "groups"), [(64, 64, 64), (8, 8, 2), (8, 16, 8), (6, 9, 1)], ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_a_grouped_convolution_goes_back_at_twice_its_forward(
    channels: int, out: int, groups: int, transposed: bool
) -> None:
    """pytorch/pytorch#183405: the weight gradient of a group knows only its own channels."""
    torch = load_torch()
    kind = torch.nn.ConvTranspose1d if transposed else torch.nn.Conv1d
    layer = kind(channels, out, 4, groups=groups, bias=False)
    trace = trace_flops(layer, torch.randn(1, channels, 128, requires_grad=True))
    positions = 128 if transposed else 125
    assert trace.forward == 2 * positions * layer.weight.numel()
    assert trace.backward == 2 * trace.forward


def test_depth_wise_convolution_of_the_report() -> None:
    torch = load_torch()
    layer = torch.nn.Conv1d(64, 64, 4, groups=64, bias=False)
    trace = trace_flops(layer, torch.randn(1, 64, 128, requires_grad=True))
    assert (trace.forward, trace.backward) == (64_000, 128_000)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_grouped_matmul_counts_every_row_once(device: str) -> None:
    torch = load_torch()
    offsets = torch.tensor([8, 16, 24, 32], dtype=torch.int32).to(device)
    module = make_module(
        lambda self, x: torch._grouped_mm(x, self.w, offs=offsets), w=torch.randn(4, 64, 128, device=device)
    )
    trace = trace_flops(module, torch.randn(32, 64, requires_grad=True, device=device))
    assert trace.forward == 524_288
    assert trace.backward == 2 * 524_288


def test_recurrent_layers_count_their_matrices() -> None:
    torch = load_torch()
    trace = trace_flops(torch.nn.LSTM(8, 16, 2, bidirectional=True), torch.randn(5, 3, 8, requires_grad=True))
    matrices = 2 * (4 * 16 * (8 + 16) + 4 * 16 * (32 + 16))
    assert trace.forward == 2 * 5 * 3 * matrices
    assert trace.backward == 2 * trace.forward


def test_products_with_vectors_and_whole_numbers_count() -> None:
    torch = load_torch()

    def forward(self: Any, whole: Any) -> Any:
        return torch._int_mm(whole, whole.t()).sum() + (self.w @ self.w[0]).sum() + self.w[0] @ self.w[1]

    trace = trace_flops(make_module(forward, w=torch.randn(6, 6)), torch.ones(32, 64, dtype=torch.int8), backward=False)
    assert trace.forward == 2 * 32 * 64 * 32 + 2 * 6 * 6 + 2 * 6


def test_the_encoder_fast_path_hides_nothing() -> None:
    torch = load_torch()
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    trace = trace_flops(layer, torch.randn(1, 5, 16), backward=False)
    assert trace.forward == 2 * 5 * (4 * 16 * 16 + 2 * 16 * 32) + 2 * 5 * 5 * 2 * 16
    assert trace.is_complete
    assert torch.backends.mha.get_fastpath_enabled()


def test_a_heavy_operator_without_a_formula_is_named() -> None:
    torch = load_torch()
    trace = trace_flops(make_module(lambda self, x: torch.linalg.inv(self.w) @ x, w=torch.eye(6)), torch.randn(6, 6))
    named = {one.op: one.calls for one in trace.uncounted}
    assert named == {"aten.linalg_inv_ex": 1}
    assert not trace.is_complete
    document = json.loads(json.dumps(trace.to_dict()))
    assert document["uncounted"][0]["share_of_time"] is None
    assert "share of the time is unknown" in trace.to_markdown()


def test_a_custom_operator_is_named() -> None:
    torch = load_torch()

    twice = torch.library.custom_op(
        "peakwise_test::twice", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    twice.register_fake(torch.empty_like)
    trace = trace_flops(make_module(lambda _, x: twice(x)), torch.randn(3), backward=False)
    assert [one.op for one in trace.uncounted] == ["peakwise_test.twice"]


def test_light_operators_are_not_named() -> None:
    torch = load_torch()
    module = torch.nn.Sequential(torch.nn.LayerNorm(4), torch.nn.GELU(), torch.nn.Softmax(-1), torch.nn.Dropout(0.1))
    trace = trace_flops(module, torch.randn(2, 4, requires_grad=True))
    assert trace.uncounted == ()
    assert trace.model == 0


def test_modules_sum_to_the_whole() -> None:
    torch = load_torch()
    trace = trace_flops(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)), torch.randn(3, 4))
    parts = {part.name: part for part in trace.modules}
    assert parts["Sequential"].forward == trace.forward == 2 * 3 * (32 + 16)
    assert parts["Sequential"].backward == trace.backward == 2 * 3 * 32 + 2 * 2 * 3 * 16  # no gradient of the input
    assert parts["Sequential.0"].forward == 2 * 3 * 32
    assert parts["Sequential.1"].backward == 2 * 2 * 3 * 16
    assert sum(part.forward for part in trace.ops) == trace.forward


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointed_work_is_recompute_and_no_model_work(reentrant: bool) -> None:
    torch = load_torch()
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
    torch = load_torch()
    weights = [(weight.data_ptr(), weight._version, weight.detach().clone()) for weight in module.parameters()]
    buffers = [buffer.clone() for buffer in module.buffers()]
    hooks = [list(part._forward_hooks) for part in module.modules()]
    grads = [None if weight.grad is None else weight.grad.clone() for weight in module.parameters()]
    return [weights, buffers, hooks, grads, torch.get_rng_state(), module.training]


@pytest.mark.parametrize("values", [False, True])
def test_the_module_stays_as_it_is(values: bool) -> None:
    torch = load_torch()
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
    return bool((one == other).all()) if isinstance(one, load_torch().Tensor) else one == other


def test_a_forward_that_reads_values_is_computed_on_a_copy() -> None:
    torch = load_torch()
    module = make_module(lambda self, x: x[x[:, 0] > 0] @ self.w, w=torch.randn(4, 2))
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
    torch = load_torch()
    compiled = torch.compile(torch.nn.Linear(4, 8), backend=_never)
    trace = trace_flops(compiled, torch.randn(3, 4))
    assert trace.forward == 2 * 3 * 32
    assert trace.module == "Linear"


def test_a_call_that_fails_is_explained() -> None:
    torch = load_torch()
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


# What a compiler's own counter hides


def test_a_loop_is_counted_at_every_turn() -> None:
    """google/flax#3492, jax-ml/jax#18672: 24 turns of one block, not one."""
    torch = load_torch()

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
    torch = load_torch()
    layer = torch.nn.Linear(73, 256, device=device)
    assert trace_flops(layer, torch.randn(2, 73, device=device), backward=False).forward == 74_752
