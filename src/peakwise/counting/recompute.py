"""Which operations of which layers run their forward again in the backward pass."""

from __future__ import annotations

from typing import assert_never

from peakwise.core.model import Op, Scores, Weights
from peakwise.core.workload import Recompute


def is_recomputed(op: Op, layer_index: int, recompute: Recompute) -> bool:
    """Whether the forward of `op` in layer `layer_index` runs a second time.

    **Counts / leaves out** `full`: every matmul and attention core of every block; `every` N: of blocks 0, N, 2N …;
    `selective`: the attention cores alone. What stands outside the blocks (the head) never does.
    **Source** Korthikanti et al. 2022, section 5 (selective); DESIGN, Definitions (HFU).
    """
    if isinstance(op, Weights):
        return False
    match recompute.policy:
        case "none":
            return False
        case "selective":
            return isinstance(op, Scores)
        case "full":
            return True
        case "every":
            return layer_index % recompute.every == 0
        case _ as unknown:
            assert_never(unknown)
