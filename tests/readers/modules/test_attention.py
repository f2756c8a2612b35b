"""Fused attention operators in their own layouts, as visible pairs and head widths."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from peakwise.readers.modules.attention import BACKWARD, FORWARD, read_attention
from peakwise.readers.modules.formulas import count_call
from peakwise.readers.modules.heavy import why_heavy


def _tensor(*shape: int) -> Any:
    return SimpleNamespace(shape=shape, ndim=len(shape))


def _call(query: Any, key: Any, value: Any, **more: Any) -> dict[str, Any]:
    return {"query": query, "key": key, "value": value, "is_causal": True, **more}


def _none(_: Any) -> list[int] | None:
    return None


def test_heads_first_kernels_see_from_the_top_left() -> None:
    call = _call(_tensor(2, 3, 4, 8), _tensor(2, 3, 6, 8), _tensor(2, 3, 6, 5))
    name = "aten._scaled_dot_product_flash_attention_for_cpu"
    assert read_attention(name, call, "causal", _none).pairs == 2 * 3 * (1 + 2 + 3 + 4)
    full = read_attention(name, call, "full", _none)
    assert (full.pairs, full.d_qk, full.d_v) == (2 * 3 * 24, 8, 5)


def test_length_first_kernels_see_from_the_bottom_right_through_their_window() -> None:
    call = _call(_tensor(2, 4, 3, 8), _tensor(2, 6, 1, 8), _tensor(2, 6, 1, 8), cum_seq_q=None, cum_seq_k=None)
    name = "aten._flash_attention_forward"
    assert read_attention(name, call, "causal", _none).pairs == 2 * 3 * (3 + 4 + 5 + 6)
    windowed = {**call, "window_size_left": 1, "window_size_right": -1}
    assert read_attention(name, windowed, "causal", _none).pairs == 2 * 3 * 4 * 2
    assert read_attention(name, call, "full", _none).pairs == 2 * 3 * 24


def test_packed_sequences_do_not_see_each_other() -> None:
    offsets = _tensor(3)
    call = _call(_tensor(10, 2, 8), _tensor(10, 2, 8), _tensor(10, 2, 8), cu_seq_q=offsets, cu_seq_k=None)
    call |= {"max_q": 7, "max_k": 7, "window_size": [-1, 0]}
    name = "torch_attn._varlen_attn"
    known = read_attention(name, call, "full", lambda _: [3, 7])
    assert known.pairs == 2 * (9 + 49)
    assert read_attention(name, call, "causal", lambda _: [3, 7]).pairs == 2 * (6 + 28)
    assert read_attention(name, call, "full", _none).pairs == 2 * (49 + 49)  # each at the longest


def test_the_memory_efficient_kernel_says_its_mask_by_number() -> None:
    call = _call(_tensor(1, 4, 2, 8), _tensor(1, 4, 2, 8), _tensor(1, 4, 2, 8), cu_seqlens_q=None)
    name = "aten._efficient_attention_forward"
    seen = [read_attention(name, {**call, "custom_mask_type": kind}, "causal", _none).pairs for kind in (0, 1, 2)]
    assert seen == [32, 20, 20]
    windowed = {**call, "custom_mask_type": 1, "window_size": 2}
    assert read_attention(name, windowed, "causal", _none).pairs == 2 * (1 + 2 + 2 + 2)


@pytest.mark.parametrize("name", sorted(FORWARD))
def test_every_forward_kernel_has_a_formula(name: str) -> None:
    call = _call(_tensor(1, 2, 2, 8), _tensor(1, 2, 2, 8), _tensor(1, 2, 2, 8))
    flop = count_call(name, call, "full", _none)
    assert flop is not None
    assert flop.model == 4 * 8 * 8


@pytest.mark.parametrize("name", sorted(BACKWARD))
def test_every_backward_kernel_counts_twice_its_forward_and_the_scores_again(name: str) -> None:
    call = _call(_tensor(1, 2, 2, 8), _tensor(1, 2, 2, 8), _tensor(1, 2, 2, 8))
    flop = count_call(name, call, "full", _none)
    assert flop is not None
    assert (flop.model, flop.again) == (2 * 4 * 8 * 8, 2 * 8 * 8)


@pytest.mark.parametrize(
    ("name", "shapes", "flop"),
    [
        ("aten._scaled_grouped_mm", {"self": (32, 64), "mat2": (4, 64, 128)}, 524_288),
        ("aten._scaled_mm_v2", {"self": (3, 4), "mat2": (4, 5)}, 120),
        ("aten._weight_int4pack_mm", {"self": (3, 64), "mat2": (1, 1, 32, 4), "out": (3, 8)}, 2 * 3 * 64 * 8),
        ("aten.addbmm", {"batch1": (2, 3, 4), "batch2": (2, 4, 5)}, 240),
        ("aten.addr", {"vec1": (3,), "vec2": (4,)}, 24),
    ],
)
def test_an_operator_of_another_build_counts_by_its_shapes(name: str, shapes: dict[str, Any], flop: int) -> None:
    counted = count_call(name, {key: _tensor(*shape) for key, shape in shapes.items()}, "full", _none)
    assert counted is not None
    assert counted.model == flop


def test_many_layers_of_a_recurrent_kernel_count_their_matrices_alone() -> None:
    call = {"input": _tensor(5, 3, 8), "weight": [_tensor(64, 8), _tensor(64, 16), _tensor(64)]}
    forward = count_call("aten._cudnn_rnn", call, "full", _none)
    assert forward is not None
    assert forward.model == 2 * 15 * 64 * 24
    for mask, times in (([True] * 4, 2), ([True, True, True, False], 1)):
        backward = count_call("aten._cudnn_rnn_backward", {**call, "output_mask": mask}, "full", _none)
        assert backward is not None
        assert backward.model == times * forward.model


@pytest.mark.parametrize(
    ("namespace", "name", "heavy"),
    [
        ("aten", "_trilinear", True),
        ("aten", "_foreach_mm", True),
        ("aten", "_sparse_addmm", True),
        ("aten", "linalg_solve_ex", True),
        ("aten", "slow_conv_transpose2d", True),
        ("aten", "_fft_r2c", True),
        ("aten", "linalg_vector_norm", False),
        ("aten", "upsample_bilinear2d", False),
        ("aten", "_convert_weight_to_int4pack", False),
        ("aten", "gelu", False),
        ("aten", "softmax", False),
        ("prims", "convert_element_type", False),
        ("flash_attn", "_flash_attn_forward", True),
        ("_foreign", "_foreach_add", True),
        ("higher_order", "associative_scan", True),
        ("higher_order", "wrap", False),
    ],
)
def test_heavy_work_is_known_by_its_name(namespace: str, name: str, heavy: bool) -> None:
    assert bool(why_heavy(namespace, name)) == heavy
