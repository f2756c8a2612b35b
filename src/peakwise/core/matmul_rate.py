"""How fast a device multiplied matrices: the times as they were taken, and the rate that they give."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.chip import Precision
from peakwise.core.errors import InputError, Json
from peakwise.core.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class MatmulTimes:
    """Seconds that each multiplication of (m, k) by (k, n) took on one device."""

    device: str
    library: str
    precision: Precision
    m: int
    n: int
    k: int
    seconds: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.seconds or min(self.seconds) <= 0:
            raise InputError(
                "a matmul has no time", where=self.device, got=str(self.seconds), expected="seconds above 0"
            )

    @property
    def flop(self) -> int:
        """FLOPs of one multiplication."""
        return 2 * self.m * self.n * self.k


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPeak:
    """The rate that one device reached in one type, at its best shape: a `measured` peak, never a datasheet's.

    `flop_per_s` is at the median time; `low` and `high` at the 90th and the 10th percentile of the times.
    """

    device: str
    library: str
    precision: Precision
    m: int
    n: int
    k: int
    n_runs: int
    flop_per_s: float
    low: float
    high: float

    def _quantity(self, value: float) -> Json:
        source = f"{self.library} on {self.device}, {self.m} × {self.n} × {self.k}, {self.n_runs} runs"
        return Quantity(value=value, unit="FLOP/s", basis="measured", source=source).to_dict()

    def to_dict(self) -> Json:
        """The entry of the document."""
        return {
            "kind": "measured",
            "device": self.device,
            "library": self.library,
            "precision": self.precision,
            "shape": {"m": self.m, "n": self.n, "k": self.k},
            "n_runs": self.n_runs,
            "flop_per_s": self._quantity(self.flop_per_s),
            "low_flop_per_s": self._quantity(self.low),
            "high_flop_per_s": self._quantity(self.high),
        }
