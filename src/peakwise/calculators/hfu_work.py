"""A reported utilization with what was recomputed, in base units, and the ratios that follow."""

from __future__ import annotations

from typing import Literal, NamedTuple

Reported = Literal["model", "hardware"]


class Work(NamedTuple):
    """One reported utilization, a fraction of the peak.

    `kind`: what its FLOPs count. `again`: recomputed FLOPs by model FLOPs, None where recompute was not stated or
    needs shapes that are not known; `full`: the same for full recompute of all blocks, None where shapes lack their
    length. `bubble`: share of the step in which pipeline stages wait. `key`: the field that gave the figure.
    """

    reported: float
    kind: Reported
    key: str
    again: float | None
    full: float | None
    bubble: float
    stated: bool
    mixture: bool = False

    @property
    def mfu(self) -> float | None:
        """Model FLOPs utilization; None where hardware FLOPs were given and what of them is recompute is not known."""
        if self.kind == "model":
            return self.reported
        return None if self.again is None else self.reported / (1 + self.again)

    @property
    def hfu(self) -> float | None:
        """Hardware FLOPs utilization; None where what is recomputed is not known.

        **Formula** mfu · (F + R)/F.
        """
        if self.again is None:
            return None
        return self.reported if self.kind == "hardware" else self.reported * (1 + self.again)

    @property
    def mfu_without_bubble(self) -> float | None:
        """The MFU if no stage waited. **Formula** mfu ÷ (1 − bubble)."""
        return None if self.mfu is None else without_loss(self.mfu, self.bubble)


def find_bubble(stages: int, microbatches: int, virtual_stages: int) -> float:
    """Share of a pipelined step in which a stage waits, a fraction.

    **Formula** (p − 1)/(v·m + p − 1): p stages fill and drain once; v virtual stages a device cut the wait by v.
    **Source** Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 2.2.
    **Example**
    >>> round(find_bubble(8, 32, 1), 3), round(find_bubble(8, 32, 4), 3)
    (0.179, 0.052)
    """
    return (stages - 1) / (virtual_stages * microbatches + stages - 1)


def without_loss(mfu: float, share: float) -> float:
    """The MFU if a loss of `share` of the time were gone. **Formula** mfu ÷ (1 − share); losses multiply.

    **Example**
    >>> without_loss(0.40, 0.2)
    0.5
    """
    assert 0 <= share < 1  # a loss of all the time leaves no MFU to speak of
    return mfu / (1 - share)
