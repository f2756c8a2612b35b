"""The term of a weight matmul, and of weights that no matmul multiplies."""

from __future__ import annotations

from peakwise.core.ledger import Term
from peakwise.core.model import Matmul, Stream, Weights
from peakwise.core.workload import Workload
from peakwise.counting.streams import count_positions

FLOP_PER_MULTIPLY_ADD = 2


def count_matmul(
    matmul: Matmul,
    streams: tuple[Stream, ...],
    workload: Workload,
    *,
    layers: int,
    n_recomputed: int,
    in_block: bool,
) -> Term:
    """The term of one weight matrix, 2 FLOPs per weight and token (per sequence where it runs once a sequence).

    **Counts / leaves out** of `stored` alike matrices a token meets `used`; adding a bias is left out.
    """
    matrix = matmul.stored * matmul.matrix_weights if matmul.owned else 0
    idle = (matmul.stored - matmul.used) * matmul.matrix_weights if matmul.owned else 0
    return Term(
        component=matmul.component,
        name=matmul.name,
        layers=layers,
        over=matmul.over,
        repeats=count_positions(matmul.over, streams, workload),
        flop=FLOP_PER_MULTIPLY_ADD * matmul.used * matmul.matrix_weights,
        matrix_weights=matrix,
        idle_weights=idle,
        plain_weights=matmul.stored * matmul.bias if matmul.owned else 0,
        input_grad=matmul.input_grad,
        in_block=in_block,
        n_recomputed=n_recomputed,
    )


def count_weights(weights: Weights, *, layers: int, in_block: bool) -> Term:
    """The term of a lookup table, of norms or of lone biases: weights without FLOPs."""
    return Term(
        component=weights.component,
        name=weights.name,
        layers=layers,
        over="token",
        repeats=0,
        flop=0,
        plain_weights=weights.n,
        in_block=in_block,
    )
