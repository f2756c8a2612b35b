"""What takes time from a run's peak, and how the log shows it."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.measurement import Schedule
from peakwise.core.waterfall import Cause, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One cause: how it is known, and the reasons in a measurement's gaps and exclusions that belong to it."""

    cause: Cause
    evidence: Evidence
    reasons: tuple[str, ...] = ()


# In the order of the document: what the peak was for, what was modelled inside the steps, what the clock shows.
KINDS: tuple[Kind, ...] = (
    Kind(cause="mfu", evidence="measured"),
    Kind(cause="recompute", evidence="modelled"),
    Kind(cause="pipeline_bubble", evidence="modelled"),
    Kind(cause="warm_up", evidence="measured", reasons=("warm-up",)),
    Kind(cause="evaluation", evidence="measured", reasons=("evaluation",)),
    Kind(cause="checkpoint", evidence="measured", reasons=("checkpoint",)),
    Kind(cause="stall", evidence="measured", reasons=("stall",)),
    Kind(cause="repeated_steps", evidence="measured"),
    Kind(cause="skipped_steps", evidence="measured"),
    Kind(cause="restart", evidence="measured", reasons=("restart",)),
    Kind(cause="not_attributable", evidence="unknown"),
)


def model_bubble(schedule: Schedule) -> float:
    """The fraction of a step's time in which a pipeline's stages wait for each other.

    **Formula** (p − 1) ÷ (v·m + p − 1): p stages, m micro-batches, v interleaved parts of each stage; v is 1 in a
    plain schedule.
    **Counts / leaves out** stages of equal length; a schedule without a bubble (zero-bubble, DualPipe) has less.
    **Source** Narayanan et al. 2021, section 2.2.

    **Example**
    >>> round(model_bubble(Schedule(pp=4, vp=1, n_microbatches=8)), 4)
    0.2727
    """
    waiting = schedule.pp - 1
    return waiting / (schedule.vp * schedule.n_microbatches + waiting)


def model_recompute(mfu: float, hfu: float) -> float:
    """The fraction of the peak that recomputed FLOPs take while steps run: HFU − MFU."""
    return hfu - mfu
