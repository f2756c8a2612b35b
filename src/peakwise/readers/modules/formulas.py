"""Operators by name, and how many FLOPs a call of each does: what the framework's counter misses or miscounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, cast

from peakwise.core.flop_trace import TracedAttention
from peakwise.counting.operators import (
    OperatorFlop,
    count_convolution,
    count_grouped_matmul,
    count_recurrent,
    count_triangular_solve,
)
from peakwise.readers.modules.attention import BACKWARD, FORWARD, Lengths, read_attention

# The operands of one call by the names of its schema.
Call = Mapping[str, Any]


def _matmul(first: str, second: str) -> Callable[[Call], OperatorFlop]:
    """(…, m, k) by (…, k, n), or by a vector (k)."""

    def formula(call: Call) -> OperatorFlop:
        left, right = call[first].shape, call[second].shape
        return OperatorFlop(model=2 * prod(left) * (right[-1] if len(right) > 1 else 1))

    return formula


def _grouped(call: Call) -> OperatorFlop:
    return OperatorFlop(model=count_grouped_matmul(call["self"].shape, call["mat2"].shape))


def _outer(call: Call) -> OperatorFlop:
    return OperatorFlop(model=2 * call["vec1"].shape[0] * call["vec2"].shape[0])


def _dot(call: Call) -> OperatorFlop:
    return OperatorFlop(model=2 * call["self"].shape[0])


def _packed(call: Call) -> OperatorFlop:
    """A packed weight hides its shape; the output has it."""
    rows = prod(call["self"].shape[:-1])
    return OperatorFlop(model=2 * rows * call["self"].shape[-1] * call["out"].shape[-1])


def _first(out: Any) -> Any:
    """The first result of an operator that may have several."""
    return cast("tuple[Any, ...]", out)[0] if isinstance(out, tuple) else out


def _solve(matrix: str) -> Callable[[Call], OperatorFlop]:
    """Systems with a triangular matrix; some variants give a copy of the matrix beside the solution."""

    def formula(call: Call) -> OperatorFlop:
        return OperatorFlop(model=count_triangular_solve(_first(call["out"]).shape, call[matrix].shape[-1]))

    return formula


def _convolution_backward(call: Call) -> OperatorFlop:
    """The input's and the weight's gradient, each where it is asked for; a weight holds one group's inputs already."""
    wanted = sum(bool(one) for one in call["output_mask"][:2])
    one = count_convolution(
        call["grad_output"].shape, call["input"].shape, call["weight"].shape, transposed=call["transposed"]
    )
    return OperatorFlop(model=wanted * one)


def _layer(call: Call) -> OperatorFlop:
    return OperatorFlop(model=count_recurrent(call["input"].shape, (call["weight0"].shape, call["weight1"].shape)))


def _layer_backward(call: Call) -> OperatorFlop:
    """Both gradients of both matrices: the kernel gives the input's too, asked for or not."""
    forward = count_recurrent(call["input"].shape, (call["weight1"].shape, call["weight2"].shape))
    return OperatorFlop(model=2 * forward)


def _matrices(call: Call) -> int:
    return count_recurrent(call["input"].shape, [one.shape for one in call["weight"] if one.ndim > 1])


def _layers(call: Call) -> OperatorFlop:
    return OperatorFlop(model=_matrices(call))


def _layers_backward(call: Call) -> OperatorFlop:
    """Gradients of the states and inputs always, of the weights where they are asked for (the mask's last entry)."""
    return OperatorFlop(model=(1 + bool(call["output_mask"][-1])) * _matrices(call))


# By namespace and name of the operator; names that an older or another build lacks are simply never met.
FORMULAS: dict[str, Callable[[Call], OperatorFlop]] = {
    "aten.mv": _matmul("self", "vec"),
    "aten.addmv": _matmul("mat", "vec"),
    "aten.addmv_": _matmul("mat", "vec"),
    "aten.addmm_": _matmul("mat1", "mat2"),
    "aten._addmm_activation": _matmul("mat1", "mat2"),
    "aten.baddbmm_": _matmul("batch1", "batch2"),
    "aten.addbmm": _matmul("batch1", "batch2"),
    "aten.addbmm_": _matmul("batch1", "batch2"),
    "aten.dot": _dot,
    "aten.vdot": _dot,
    "aten.addr": _outer,
    "aten._int_mm": _matmul("self", "mat2"),
    "aten._scaled_mm_v2": _matmul("self", "mat2"),
    "aten._weight_int8pack_mm": _packed,
    "aten._weight_int4pack_mm": _packed,
    "aten._weight_int4pack_mm_for_cpu": _packed,
    "aten.mkldnn_linear": _packed,
    "aten._grouped_mm": _grouped,
    "aten._scaled_grouped_mm": _grouped,
    "aten._scaled_grouped_mm_v2": _grouped,
    "aten.linalg_solve_triangular": _solve("self"),
    "aten.triangular_solve": _solve("A"),
    "aten.convolution_backward": _convolution_backward,
    "aten.mkldnn_rnn_layer": _layer,
    "aten.mkldnn_rnn_layer_backward": _layer_backward,
    "aten._cudnn_rnn": _layers,
    "aten._cudnn_rnn_backward": _layers_backward,
    "aten.miopen_rnn": _layers,
    "aten.miopen_rnn_backward": _layers_backward,
}


def count_call(name: str, call: Call, attention: TracedAttention, lengths: Lengths) -> OperatorFlop | None:
    """FLOPs of one call of an operator that has a formula here; None for another one."""
    if name in FORWARD:
        return OperatorFlop(model=read_attention(name, call, attention, lengths).forward)
    if name in BACKWARD:
        return read_attention(name, call, attention, lengths).backward()
    formula = FORMULAS.get(name)
    return None if formula is None else formula(call)
