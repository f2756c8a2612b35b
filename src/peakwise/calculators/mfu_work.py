"""What the MFU calculator works on: the inputs in base units, and the ratios that follow."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.core.catalogue import Mixture
from peakwise.core.chip import Chip, Precision

# Bytes of one weight, for the memory check. Four bits are half a byte.
WEIGHT_BYTES: dict[Precision, float] = {
    "fp64": 8,
    "fp32": 4,
    "tf32": 4,
    "fp16": 2,
    "bf16": 2,
    "fp8": 1,
    "int8": 1,
    "fp6": 0.75,
    "fp4": 0.5,
}


class Work(NamedTuple):
    """One run as the calculator sees it: FLOP, FLOP/s, bytes, fractions.

    `factor`: FLOPs per parameter and token, None where the work of a token was stated. `rate_key`: which of the three
    ways gave the rate. `peak_typed`: the peak was typed and not taken from `chip`; `near`: the chips that have the
    typed figure. `mixture`: the catalogued mixture of experts whose total was given as if it were dense.
    """

    workload: str
    factor: float | None
    factor_stated: bool
    n_params: float | None
    n_active: float | None
    attention: str
    flop_per_token: float
    stated_work: bool
    tokens_per_s: float
    rate_key: str
    devices: int
    peak_per_device: float
    peak_typed: bool
    precision: Precision
    denominator: Precision | None
    memory_bytes: float | None
    recompute: float | None
    lost: float
    chip: Chip | None
    near: tuple[Chip, ...]
    mixture: Mixture | None = None

    @property
    def flop_per_s(self) -> float:
        """Model FLOP/s of the whole run."""
        return self.flop_per_token * self.tokens_per_s

    @property
    def peak_flop_per_s(self) -> float:
        """Dense peak of all accelerators, FLOP/s."""
        return self.peak_per_device * self.devices

    @property
    def mfu(self) -> float:
        """Model FLOPs utilization, fraction."""
        return self.flop_per_s / self.peak_flop_per_s

    @property
    def hfu(self) -> float | None:
        """Hardware FLOPs utilization, fraction; None unless a training states its recompute.

        **Formula** mfu·(1 + r/3): a recomputed block runs its forward, a third of its training FLOPs, again.
        """
        if self.workload != "training" or self.recompute is None:
            return None
        return self.mfu * (1 + self.recompute / 3)

    @property
    def mfu_math_peak(self) -> float | None:
        """MFU over the named chip's peak at the precision that ran, fraction; None where that is not known."""
        peak = None if self.chip is None else self.chip.peak_flop_per_s(self.precision)
        return None if peak is None else self.flop_per_s / self.devices / peak

    @property
    def highest(self) -> float:
        """The largest of the utilizations."""
        return max(value for value in (self.mfu, self.hfu, self.mfu_math_peak) if value is not None)

    @property
    def is_mixture(self) -> bool:
        """Whether experts idle: fewer parameters active than there are, or the total of a known mixture."""
        return self.mixture is not None or (self.n_active is not None and self.n_active != self.n_params)

    @property
    def no_band(self) -> str:
        """Why the bands do not apply, or an empty text."""
        if self.workload == "inference":
            return "this is inference"
        if self.workload == "custom":
            return "this has a factor of its own"
        return "this is a mixture of experts" if self.is_mixture else ""

    def rate_at(self, mfu: float) -> float:
        """Tokens per second of the whole run at another MFU."""
        return mfu * self.peak_flop_per_s / self.flop_per_token
