"""FLOPs of single operators from the shapes of their operands."""

from __future__ import annotations

import pytest

from peakwise.counting.operators import (
    Attended,
    OperatorFlop,
    Visible,
    count_convolution,
    count_grouped_matmul,
    count_recurrent,
    count_triangular_solve,
)


@pytest.mark.parametrize(
    ("first", "second", "flop"),
    [
        ((32, 64), (4, 64, 128), 524_288),
        ((64, 32), (32, 128), 524_288),
        ((4, 8, 64), (64, 20), 2 * 8 * 64 * 20),
        ((4, 8, 64), (4, 64, 5), 2 * 4 * 8 * 64 * 5),
    ],
)
def test_a_grouped_matmul_counts_every_row_once(first: tuple[int, ...], second: tuple[int, ...], flop: int) -> None:
    assert count_grouped_matmul(first, second) == flop


def test_a_convolution_multiplies_its_weights_at_every_position() -> None:
    assert count_convolution((2, 6, 125), (2, 4, 128), (6, 4, 4), transposed=False) == 2 * 2 * 125 * 96
    assert count_convolution((2, 6, 131), (2, 4, 128), (4, 6, 4), transposed=True) == 2 * 2 * 128 * 96


def test_recurrent_layers_multiply_every_matrix_once_a_step() -> None:
    assert count_recurrent((5, 3, 8), [(64, 8), (64, 16)]) == 2 * 15 * (512 + 1024)


@pytest.mark.parametrize("causal", ["no", "top_left", "bottom_right"])
@pytest.mark.parametrize(("left", "right"), [(None, None), (2, None), (2, 1), (0, 0)])
@pytest.mark.parametrize(("n_queries", "n_keys"), [(5, 5), (3, 7), (7, 3)])
def test_visible_pairs_are_those_of_the_mask(
    causal: str, left: int | None, right: int | None, n_queries: int, n_keys: int
) -> None:
    shift = 0 if causal == "top_left" else n_keys - n_queries

    def sees(query: int, key: int) -> bool:
        ahead = key - query - shift
        end = 0 if causal != "no" else right
        return (left is None or -ahead <= left) and (end is None or ahead <= end)

    pairs = sum(sees(query, key) for query in range(n_queries) for key in range(n_keys))
    assert Visible(causal=causal, left=left, right=right).pairs(n_queries, n_keys) == pairs  # type: ignore[arg-type]


def test_the_backward_of_attention_gives_each_operand_its_gradient() -> None:
    attended = Attended(pairs=10, d_qk=3, d_v=5)
    assert attended.forward == 2 * 10 * 8
    assert attended.backward() == OperatorFlop(model=2 * attended.forward, again=60)
    assert attended.backward((True, False, False), fused=False) == OperatorFlop(model=60 + 100)
    assert attended.backward((False, False, True)) == OperatorFlop(model=100, again=60)


def test_a_triangular_system_costs_n_squared_a_right_hand_side() -> None:
    assert count_triangular_solve((2, 5, 7), 5) == 2 * 7 * 5**2
