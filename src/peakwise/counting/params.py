"""Parameter counts of a model: all, active and multiplied per token."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.core.count import Parameters
from peakwise.core.model import Matmul, Model, Op, Scores, Weights
from peakwise.core.scan import Scan


def count_params(model: Model) -> Parameters:
    """How many weights the model has.

    **Counts / leaves out** `total`: every parameter, a tied matrix once, no buffers, no MTP module. `active`: total
    minus the matrices (not the biases) of routed experts that a token does not meet. `matmul`: weights that one
    token is multiplied with, router, head (a tied head too) and convolutions in, lookups, norms and biases out.
    """
    total = idle = multiplied = 0
    # A token of a text part; where no part is text, whatever the weights repeat over (patches, frames).
    overs = {op.over for op in _ops(model) if isinstance(op, Matmul)}
    repeated = overs & {"token", "encoder"} or overs
    for op in _ops(model):
        if isinstance(op, Weights):
            total += op.n
        elif isinstance(op, Matmul):
            if op.owned:
                total += op.stored * (op.matrix_weights + op.bias)
                idle += (op.stored - op.used) * op.matrix_weights
            if op.over in repeated:
                multiplied += op.used * op.matrix_weights
        elif isinstance(op, Scan):
            total += op.matrix_weights + op.bias if op.owned else 0
            multiplied += op.matrix_weights
        else:
            assert isinstance(op, Scores)  # holds no weights
    return Parameters(total=total, active=total - idle, matmul=multiplied)


def _ops(model: Model) -> Iterator[Op]:
    for layer in model.layers:
        yield from layer.ops
    yield from model.outside
