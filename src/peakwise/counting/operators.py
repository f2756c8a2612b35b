"""FLOPs of single operators from the shapes of their operands: what a framework's counter misses or miscounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

Shape = Sequence[int]
# Where the diagonal of a causal mask lies when queries and keys differ in number.
Causal = Literal["no", "top_left", "bottom_right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFlop:
    """FLOPs of one call: of the model's work, and those that a kernel runs a second time."""

    model: int
    again: int = 0


def count_grouped_matmul(first: Shape, second: Shape) -> int:
    """FLOPs of a grouped matmul of a whole batch of groups.

    **Shapes** 2-D × 3-D: (rows, k) by (groups, k, n), each row in one group; 2-D × 2-D: (m, rows) by (rows, n), a
    weight gradient; 3-D × 2-D: (groups, m, k) by (k, columns); 3-D × 3-D: a batched matmul. **Counts** every row.
    """
    if len(first) == 2:
        rows, inner = first
        return 2 * rows * inner * second[-1]
    groups, rows, inner = first
    columns = groups * second[-1] if len(second) == 3 else second[-1]
    return 2 * rows * inner * columns


def count_convolution(grad: Shape, inputs: Shape, weight: Shape, *, transposed: bool) -> int:
    """FLOPs of one pass of a convolution: the forward, the input gradient and the weight gradient cost the same.

    **Shapes** `grad` is the output's (or its gradient's), (batch, channels, size …); `weight` holds one group's inputs.
    **Formula** 2 × batch × positions × weights; positions of the input where it is transposed.
    """
    positions = (inputs if transposed else grad)[2:]
    return 2 * inputs[0] * prod(positions) * prod(weight)


def count_triangular_solve(solution: Shape, n: int) -> int:
    """FLOPs of solving triangular systems of `n` unknowns each; `solution` is the shape of all that is solved for.

    **Formula** n² for each right-hand side: n·(n − 1)/2 multiply-adds and n divisions.
    """
    return prod(solution) * n


def count_recurrent(inputs: Shape, matrices: Sequence[Shape]) -> int:
    """FLOPs of the matmuls of recurrent layers over a sequence: every matrix once per step and sequence.

    **Shapes** `inputs` (steps, batch, width) in any order of the first two; `matrices` of all layers and directions.
    """
    return 2 * prod(inputs[:-1]) * sum(prod(matrix) for matrix in matrices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visible:
    """Which keys a query sees: the causal diagonal, and how far to the left and right (None: without end)."""

    causal: Causal = "no"
    left: int | None = None
    right: int | None = None

    def pairs(self, n_queries: int, n_keys: int) -> int:
        """Visible query–key pairs of one head of one sequence."""
        if self == Visible():
            return n_queries * n_keys
        shift = 0 if self.causal == "top_left" else n_keys - n_queries
        right = 0 if self.causal != "no" else self.right
        total = 0
        for query in range(shift, shift + n_queries):
            first = 0 if self.left is None else max(0, query - self.left)
            last = n_keys - 1 if right is None else min(n_keys - 1, query + right)
            total += max(0, last - first + 1)
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Attended:
    """One call of attention: visible pairs of all its sequences and query heads, and the widths of a head."""

    pairs: int
    d_qk: int
    d_v: int

    @property
    def forward(self) -> int:
        """FLOPs of Q·Kᵀ and P·V."""
        return 2 * self.pairs * (self.d_qk + self.d_v)

    def backward(self, operands: tuple[bool, bool, bool] = (True, True, True), *, fused: bool = True) -> OperatorFlop:
        """FLOPs of the gradients of query, key and value, as far as each is needed.

        **Formula** dQ and dK cost Q·Kᵀ each, dV and dP cost P·V each; dP where query or key need a gradient. A `fused`
        kernel kept no scores: it runs Q·Kᵀ again.
        """
        query, key, value = operands
        inner, outer = 2 * self.pairs * self.d_qk, 2 * self.pairs * self.d_v
        model = (query + key) * inner + ((query or key) + value) * outer
        return OperatorFlop(model=model, again=inner if fused else 0)
