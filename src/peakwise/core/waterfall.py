"""Where the rest of the peak went: parts of peak × window that sum to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from peakwise.core.drawn import drawn
from peakwise.core.errors import Json
from peakwise.core.finding import Finding
from peakwise.core.measurement import Measurement
from peakwise.core.quantity import Quantity, quantity_dict

Evidence = Literal["measured", "modelled", "unknown"]
Cause = Literal[
    "mfu",
    "recompute",
    "pipeline_bubble",
    "warm_up",
    "evaluation",
    "checkpoint",
    "stall",
    "repeated_steps",
    "skipped_steps",
    "restart",
    "not_attributable",
]

# The parts are fractions of one whole; a sum further off than this is a mistake of ours (DESIGN, JSON contract).
SUM_WITHIN = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one cause took: a fraction of peak × window, and the same in device-seconds where devices are known.

    `evidence`: measured in the log, modelled from what was stated, or unknown. `where` says in a few words where.
    `fraction` of the last, unknown part is below 0 only where the others claim more than the whole.
    """

    cause: Cause
    fraction: float
    device_s: float | None
    evidence: Evidence
    where: str = ""

    def to_dict(self) -> Json:
        """The entry of `parts`."""
        return {
            "cause": self.cause,
            "fraction": self.fraction,
            "device_s": self.device_s,
            "evidence": self.evidence,
            "where": self.where,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """Peak × window of a run, by cause. The parts' fractions sum to 1; construction refuses otherwise.

    `window`: the run's wall time, or where no clock is known the steps alone. `window_s` and `devices` are None where
    nobody knows them: device-seconds are None then too. `hfu_wall` is None without a statement on recompute.
    """

    run: Measurement
    window: Literal["wall", "steps"]
    window_s: Quantity | None
    devices: Quantity | None
    parts: tuple[Part, ...]
    mfu_wall: Quantity | None
    hfu_wall: Quantity | None
    command: str = ""
    warnings: tuple[Finding, ...] = ()
    draw: Callable[[Any, Any], str] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len({part.cause for part in self.parts}) != len(self.parts):
            raise ValueError("a waterfall has one part for each cause")
        if not abs(self.residual) <= SUM_WITHIN:  # a NaN is refused too
            raise ValueError(f"the parts of a waterfall sum to {1 + self.residual}, not to 1")

    @property
    def residual(self) -> float:
        """The sum of the parts − 1: what rounding leaves, a fraction."""
        return math.fsum(part.fraction for part in self.parts) - 1

    def fraction(self, cause: Cause) -> float:
        """The fraction that one cause took; 0 where it has no part."""
        return next((part.fraction for part in self.parts if part.cause == cause), 0.0)

    def to_dict(self) -> Json:
        """The document `peakwise.explain/1`."""
        run = self.run
        return {
            "schema": "peakwise.explain/1",
            "version": run.version,
            "sources": list(run.sources),
            "producer": run.producer,
            "generation": run.generation or None,
            "model": {"id": run.model_id, "name": run.model_name} if run.model_id else None,
            "window": self.window,
            "window_s": quantity_dict(self.window_s),
            "devices": quantity_dict(self.devices),
            "parts": [part.to_dict() for part in self.parts],
            "residual": self.residual,
            "mfu_wall": quantity_dict(self.mfu_wall),
            "hfu_wall": quantity_dict(self.hfu_wall),
            "peak_flop_per_s_per_device": quantity_dict(run.peak_flop_per_s_per_device),
            "peak": None if run.peak is None else run.peak.to_dict(),
            "convention": run.convention,
            "recompute": run.recompute or None,
            "missing": [item.to_dict() for item in run.missing],
            "command": self.command or None,
            "warnings": [warning.to_dict() for warning in self.warnings],
        }

    def to_markdown(self) -> str:
        """The waterfall as Markdown."""
        return drawn(self, "markdown")

    def _repr_html_(self) -> str:
        return drawn(self, "html")
