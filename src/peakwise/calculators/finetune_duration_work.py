"""What the fine-tuning duration calculator works on: steps, tokens, the parts of its time, and their price."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from math import hypot, inf
from typing import NamedTuple

from peakwise.core.units import KILO, S_PER_DAY, S_PER_MINUTE, to_hours, to_percent

# How far a rate, a mean length and an efficiency (in percentage points) may be off: the product's rules for the band.
RATE_OFF, LENGTH_OFF, EFFICIENCY_OFF = 0.10, 0.10, 5
STEP_OFF = 0.10  # a measured step time, which holds the lengths


def ceiling(ratio: Decimal) -> int:
    """The whole number at or above a ratio; in decimals, so that 1.1 × 10 steps are 11."""
    return int(ratio.to_integral_value(ROUND_CEILING))


class Every(NamedTuple):
    """Something that stops the training every so many steps for so many seconds; `steps` None: never."""

    steps: int | None
    seconds: float

    def times(self, steps: int) -> int:
        """How often it happens in a run of so many steps."""
        return 0 if self.steps is None else steps // self.steps


class Hardware(NamedTuple):
    """What runs, and what it costs: watts and prices of one accelerator, in the stated currency."""

    devices: int
    price_per_hour: float
    power_w: float
    pue: float
    kwh_price: float | None
    gco2_per_kwh: float | None


class Work(NamedTuple):
    """One fine-tuning run in tokens, sequences and seconds.

    Either `tokens_per_s` or `step_s` is known. `sequences` of one epoch: examples, or what they are packed into.
    `restarts_per_day` lose `restart_min` minutes each. `efficiency`: of scaling, a fraction, where it is known.
    """

    examples: int
    epochs: float
    tokens_per_example: float
    sequences: int
    packed: bool
    global_batch: int
    drop_last: bool
    tokens_per_s: float | None
    step_s: float | None
    evaluation: Every
    checkpoint: Every
    warmup_s: float
    restarts_per_day: float
    restart_min: float
    efficiency: float | None
    hardware: Hardware

    @property
    def steps_per_epoch(self) -> int:
        """Optimizer steps of one epoch; a last, smaller batch is one too, unless it is dropped."""
        return self.sequences // self.global_batch if self.drop_last else -(-self.sequences // self.global_batch)

    @property
    def steps(self) -> int:
        """Optimizer steps of the run."""
        return ceiling(Decimal(str(self.epochs)) * self.steps_per_epoch)

    @property
    def kept(self) -> int:
        """Sequences of one epoch that are trained on."""
        return self.steps_per_epoch * self.global_batch if self.drop_last else self.sequences

    @property
    def tokens_total(self) -> float:
        """Tokens that are trained on in all epochs."""
        tokens = self.examples * self.tokens_per_example
        if self.packed and self.kept != self.sequences:
            tokens = tokens * self.kept / self.sequences
        elif self.kept != self.sequences:
            tokens = self.kept * self.tokens_per_example
        return tokens * self.epochs

    @property
    def train_s(self) -> float:
        """Seconds of training alone: tokens ÷ rate, or steps × their time."""
        if self.step_s is not None:
            return self.steps * self.step_s
        assert self.tokens_per_s is not None  # one of the two is known
        return self.tokens_total / self.tokens_per_s

    @property
    def eval_s(self) -> float:
        """Seconds of all evaluations."""
        return self.evaluation.times(self.steps) * self.evaluation.seconds

    @property
    def checkpoint_s(self) -> float:
        """Seconds of all checkpoints."""
        return self.checkpoint.times(self.steps) * self.checkpoint.seconds

    @property
    def lost(self) -> float:
        """The fraction of the time that restarts lose."""
        return self.restarts_per_day * self.restart_min / (S_PER_DAY / S_PER_MINUTE)

    @property
    def duration_s(self) -> float:
        """Seconds of the whole run. **Formula** (training + warm-up + evaluations + checkpoints) ÷ (1 − lost)."""
        return (self.train_s + self.warmup_s + self.eval_s + self.checkpoint_s) / (1 - self.lost)

    @property
    def spread(self) -> float:
        """How far the time may be off, a fraction. **Formula** √(rate² + length² + (5 ÷ efficiency in %)²)."""
        if self.step_s is not None:
            return STEP_OFF
        percent = None if self.efficiency is None else to_percent(self.efficiency)
        # A share too small for a double to divide by leaves the end of the time open.
        efficiency = 0.0 if percent is None else EFFICIENCY_OFF / percent if percent else inf
        return hypot(RATE_OFF, LENGTH_OFF, efficiency)

    @property
    def low_s(self) -> float:
        """The short end of the band, seconds; no run ends before it begins."""
        return max(0.0, self.duration_s * (1 - self.spread))

    @property
    def high_s(self) -> float:
        """The long end of the band, seconds."""
        return self.duration_s * (1 + self.spread)

    @property
    def device_hours(self) -> float:
        """Accelerator-hours of the whole run."""
        return self.hardware.devices * to_hours(self.duration_s)

    @property
    def energy_kwh(self) -> float:
        """Kilowatt-hours of the accelerators, times the facility's share."""
        return self.device_hours * self.hardware.power_w * self.hardware.pue / KILO

    @property
    def energy_cost(self) -> float | None:
        """The price of the energy; None without a price per kWh."""
        price = self.hardware.kwh_price
        return None if price is None else self.energy_kwh * price

    @property
    def co2_kg(self) -> float | None:
        """Kilograms of CO₂; None without grams per kWh."""
        grams = self.hardware.gco2_per_kwh
        return None if grams is None else self.energy_kwh * grams / KILO
