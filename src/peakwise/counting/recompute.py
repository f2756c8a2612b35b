"""Which operations of which layers run their forward again in the backward pass."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from peakwise.core.model import Op, Scores, Weights
from peakwise.core.workload import Recompute
from peakwise.counting.training import Block


class Again(NamedTuple):
    """How often an operation runs again in one layer: whole, and its query–key product alone."""

    whole: int = 0
    products: int = 0


NEVER = Again()


def count_again(op: Op, block: Block, layer_index: int, recompute: Recompute) -> Again:
    """How often the forward of `op` in layer `layer_index` runs a second time.

    **Counts / leaves out** `full`: every matmul and attention core of every block that the backward pass reaches;
    `every` N: of blocks 0, N, 2N …; `selective`: the attention cores alone. What stands outside the blocks (the head)
    never does. Stopping early leaves out the last matmul of what is redone: the block's closing one, or P·V of a core.
    Flash attention's backward kernel runs Q·Kᵀ again.
    **Source** Korthikanti et al. 2022, section 5 (selective); torch.utils.checkpoint, early stop; Dao 2023, section 3.
    """
    if isinstance(op, Weights) or not block.reached:
        return NEVER
    again = _by_policy(op, block, layer_index, recompute)
    if recompute.flash_backward and isinstance(op, Scores):
        return Again(again.whole, again.products + 1)
    return again


def _by_policy(op: Op, block: Block, layer_index: int, recompute: Recompute) -> Again:
    match recompute.policy:
        case "none":
            return NEVER
        case "selective":
            if not isinstance(op, Scores):
                return NEVER
            return Again(products=1) if recompute.early_stop else Again(whole=1)
        case "full":
            return _whole(op, block, recompute)
        case "every":
            return _whole(op, block, recompute) if layer_index % recompute.every == 0 else NEVER
        case _ as unknown:
            assert_never(unknown)


def _whole(op: Op, block: Block, recompute: Recompute) -> Again:
    return NEVER if recompute.early_stop and op in block.unkept else Again(whole=1)
