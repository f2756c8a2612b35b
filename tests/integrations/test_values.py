"""Forwards that read values: choices among experts dealt out on shapes, a copy computed where there are values."""

from __future__ import annotations

from typing import Any

import pytest

from peakwise.core.errors import InputError
from peakwise.integrations.torch import trace_flops

from .made import load_torch, make_module

pytestmark = pytest.mark.torch

# What only values tell


def test_whole_numbers_among_the_arguments_are_read_as_they_are() -> None:
    """Labels are no offsets of packed sequences, and reading them runs no traced operator."""
    torch = load_torch()
    module = make_module(lambda self, x, label: x @ self.w[label], w=torch.randn(10, 4))
    trace = trace_flops(module, torch.randn(3, 10), torch.tensor([1, 0, 2, 5, 5, 7, 8, 1, 2, 3]))
    assert (trace.forward, trace.ran) == (2 * 3 * 10 * 4, "fake")


def test_a_triangular_system_costs_n_squared_a_right_hand_side() -> None:
    torch = load_torch()
    solve = torch.linalg.solve_triangular
    module = make_module(lambda self, right: solve(self.w, right, upper=False), w=torch.eye(6))
    trace = trace_flops(module, torch.randn(5, 6, 4, requires_grad=True))
    assert trace.forward == 5 * 4 * 6**2
    assert trace.backward == 5 * 4 * 6**2 + 2 * 5 * 4 * 6**2  # the right-hand sides, then the matrix
    assert trace.is_complete


def _routed(n_experts: int, top_k: int) -> Any:
    """Experts by a loop over those that were chosen, as older libraries write it."""
    torch = load_torch()

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
    torch = load_torch()
    with torch.device("meta"):
        module = _routed(5, 2)
    trace = trace_flops(module, torch.randn(tokens, 4, device="meta", requires_grad=True))
    assert trace.forward == 2 * tokens * (4 * 5 + 2 * 4 * 4)
    assert trace.backward == 2 * trace.forward
    assert trace.ran == "fake"
    assert "dealt" in trace.notes[0]


def test_a_loop_over_experts_with_values_is_computed() -> None:
    torch = load_torch()
    trace = trace_flops(_routed(5, 2), torch.randn(7, 4))
    assert (trace.forward, trace.ran, trace.notes) == (2 * 7 * (4 * 5 + 2 * 4 * 4), "real", ())


def test_other_values_than_choices_stay_unknown_on_the_meta_device() -> None:
    torch = load_torch()
    module = make_module(lambda self, x: x[x[:, 0] > 0] @ self.w, w=torch.randn(4, 2, device="meta"))
    with pytest.raises(InputError, match="reads values"):
        trace_flops(module, torch.randn(3, 4, device="meta"))
