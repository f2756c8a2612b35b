"""What the fine-tuning throughput calculator works on, and the rates that follow."""

from __future__ import annotations

from typing import NamedTuple

MARKS = (0.50, 0.90, 0.99)  # quantiles of the lengths that a person compares with the mean


class Points(NamedTuple):
    """Two measured points of one accelerator: (sequences of a batch, tokens per second), and the batch between."""

    batch: float
    low: tuple[float, float]
    high: tuple[float, float]

    @property
    def is_inside(self) -> bool:
        """Whether the batch lies between the two points."""
        return self.low[0] <= self.batch <= self.high[0]

    @property
    def rate(self) -> float | None:
        """Tokens per second at the batch, linear between the points; None outside them."""
        if not self.is_inside:
            return None
        share = (self.batch - self.low[0]) / (self.high[0] - self.low[0])
        return self.low[1] + share * (self.high[1] - self.low[1])


class Work(NamedTuple):
    """One fine-tuning run: tokens, tokens per second, FLOP, FLOP/s, fractions.

    `rate_per_device` is None where the batch lies outside the measured `points`. `scaling_c` is known from two rates.
    `lengths` are rising, empty where they were not given. `factor`: FLOPs per parameter and token behind
    `flop_per_token`, None where that was stated.
    """

    devices: int
    rate_per_device: float | None
    points: Points | None
    efficiency: float
    scaling_c: float | None
    fraction_noted: bool
    tokens_per_example: float
    lengths: tuple[int | float, ...]
    flop_per_token: float | None
    factor: int | None
    peak_per_device: float | None

    @property
    def tokens_per_s(self) -> float | None:
        """Tokens per second of the whole run. **Formula** accelerators × rate of one × efficiency."""
        return None if self.rate_per_device is None else self.devices * self.rate_per_device * self.efficiency

    @property
    def examples_per_s(self) -> float | None:
        """Examples per second. **Formula** tokens per second ÷ tokens of an example."""
        return self.examples_at(self.tokens_per_example)

    def examples_at(self, tokens_per_example: float) -> float | None:
        """Examples per second, were every example so long."""
        rate = self.tokens_per_s
        return None if rate is None else rate / tokens_per_example

    @property
    def mfu(self) -> float | None:
        """Model FLOPs utilization, a fraction; None where model, peak or rate are not known."""
        rate = self.tokens_per_s
        if rate is None or self.flop_per_token is None or self.peak_per_device is None:
            return None
        return self.flop_per_token * rate / (self.peak_per_device * self.devices)
