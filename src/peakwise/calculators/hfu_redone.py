"""What of a model's FLOPs runs again: what was stated of it, and its share where no shapes are known."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.calculators.check import Checked
from peakwise.core.finding import Finding

# Recomputed FLOPs by model FLOPs where every block runs its forward again: 2N of 6N, the head taken for a block.
FULL = 1 / 3


class Statement(NamedTuple):
    """What was stated of recompute: the share of blocks that run again (None: selective), and its two refinements."""

    blocks: float | None
    early_stop: bool
    flash_backward: bool

    @property
    def needs_shapes(self) -> bool:
        """Whether its share of the FLOPs hangs on the model's shapes."""
        return self.blocks is None or self.flash_backward or (self.early_stop and self.blocks > 0)


class Redone(NamedTuple):
    """Recomputed FLOPs by model FLOPs, `again` as stated (None: not known) and `full` for every block.

    `inputs` as they were used; `attention` is what was counted of it, `mixture` whether experts idle.
    """

    again: float | None
    full: float | None
    inputs: Checked
    shaped: bool = False
    attention: str = "none"
    mixture: bool = False
    warnings: tuple[Finding, ...] = ()


def read_statement(checked: Checked) -> Statement | None:
    """What was stated of recompute, None where nothing was. A fraction alone says `fraction`."""
    policy, fraction = checked.text("recompute"), checked.number("recompute_fraction")
    if policy is None and fraction is None:
        return None
    blocks = {"none": 0.0, "full": 1.0, "selective": None}.get(policy or "fraction", fraction)
    return Statement(
        blocks=blocks,
        early_stop=bool(checked.flag("early_stop")),
        flash_backward=bool(checked.flag("flash_backward")),
    )


def redone_by_rule(checked: Checked) -> Redone:
    """The share without shapes: a third for all blocks, and nothing where it hangs on the shapes."""
    said = read_statement(checked)
    if said is None or said.needs_shapes or said.blocks is None:
        return Redone(None, FULL, checked)
    return Redone(said.blocks * FULL, FULL, checked)
