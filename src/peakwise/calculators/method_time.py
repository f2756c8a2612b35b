"""The time of one step of reinforcement learning, phase by phase."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.counting.methods import RolloutStep


class StepTime(NamedTuple):
    """A step's FLOPs by phase, the peak of all accelerators, and the utilization of decoding, prefill and the rest.

    Utilizations are of model FLOPs: what recompute costs is in the time and not in the count.
    """

    step: RolloutStep
    peak_flop_per_s: float
    decode: float
    prefill: float
    other: float

    @property
    def flop(self) -> float:
        """Model FLOPs of the whole step."""
        return self.step.model

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by phase, in the order they run. **Formula** FLOPs ÷ (utilization × peak)."""
        reached = {"decode": self.decode, "prefill": self.prefill}
        return {
            phase: flop / (reached.get(phase, self.other) * self.peak_flop_per_s)
            for phase, flop in self.step.phases.items()
        }

    @property
    def step_s(self) -> float:
        """Seconds of the step, its phases one after the other."""
        return sum(self.seconds.values())

    def share_of(self, phase: str) -> float:
        """A phase's share of the time, a fraction."""
        return self.seconds[phase] / self.step_s

    @property
    def mfu(self) -> float:
        """MFU of the whole step, a fraction. **Formula** FLOPs ÷ (time × peak)."""
        return self.flop / (self.step_s * self.peak_flop_per_s)
