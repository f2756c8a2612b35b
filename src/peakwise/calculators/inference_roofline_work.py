"""What the inference roofline works on: the inputs in base units, and what follows at a batch."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.core.chip import Chip
from peakwise.predicting.decode import (
    FLOP_PER_WEIGHT,
    bandwidth_share,
    batch_that_fits,
    compute_rate,
    memory_rate,
    read_bytes,
    read_bytes_at_most,
    ridge_batch,
    ridge_intensity,
    streams_for,
)


class Work(NamedTuple):
    """One model decoding on some hardware: parameters, bytes, byte/s, FLOP/s; hardware figures of all devices together.

    `n_active`: as stated, None where it was not. `n_expert_params`, `n_experts`, `top_k`: routed experts, 0 where they
    were not stated in full. `reached`: the share of the bandwidth that is reached. `rate` was measured.
    """

    n_params: float
    n_active: float | None
    n_expert_params: float
    n_experts: int
    top_k: int
    bytes_per_param: float
    bandwidth_per_device: float
    reached: float
    peak_per_device: float
    devices: int
    memory_per_device: float | None
    batch: int
    context: int
    kv_bytes_per_token: float
    rate: float | None
    target: float | None
    chip: Chip | None

    @property
    def bandwidth(self) -> float:
        """Bandwidth that is reached, byte/s."""
        return self.bandwidth_per_device * self.devices * self.reached

    @property
    def stated_bandwidth(self) -> float:
        """Bandwidth as the hardware states it, byte/s: the denominator of MBU."""
        return self.bandwidth_per_device * self.devices

    @property
    def peak(self) -> float:
        """Dense peak, FLOP/s."""
        return self.peak_per_device * self.devices

    @property
    def memory(self) -> float | None:
        """Memory of all devices, bytes; None where it is not known."""
        return None if self.memory_per_device is None else self.memory_per_device * self.devices

    @property
    def experts_known(self) -> bool:
        """Whether the routed experts were stated in full, so that their expected reads are exact."""
        return bool(self.n_expert_params and self.n_experts and self.top_k)

    @property
    def is_mixture(self) -> bool:
        """Whether a token meets fewer parameters than there are."""
        return self.active < self.n_params

    @property
    def active(self) -> float:
        """Parameters that a token meets: as stated, else by the experts, else all."""
        if self.n_active is not None:
            return self.n_active
        if self.experts_known:
            return self.n_params - self.n_expert_params * (1 - self.top_k / self.n_experts)
        return self.n_params

    @property
    def flop_per_token(self) -> float:
        """Model FLOPs of one token: two for each parameter that it meets."""
        return FLOP_PER_WEIGHT * self.active

    @property
    def weight_bytes_held(self) -> float:
        """Bytes of all weights."""
        return self.n_params * self.bytes_per_param

    @property
    def kv_bytes_each(self) -> float:
        """Bytes of the KV cache of one sequence."""
        return self.context * self.kv_bytes_per_token

    @property
    def reads_bounded(self) -> bool:
        """Whether the bytes of experts are only bounded: fewer parameters are active and their number is not known."""
        return self.is_mixture and not self.experts_known

    def weight_bytes(self, batch: int) -> float:
        """Bytes of weights that one step of this batch reads."""
        if self.experts_known:
            dense = (self.n_params - self.n_expert_params) * self.bytes_per_param
            experts = self.n_expert_params * self.bytes_per_param
            return read_bytes(dense, experts, self.n_experts, self.top_k, batch)
        if self.reads_bounded:
            return read_bytes_at_most(self.weight_bytes_held, self.active * self.bytes_per_param, batch)
        return self.weight_bytes_held

    def memory_rate(self, batch: int) -> float:
        """Token/s that the bandwidth allows."""
        return memory_rate(batch, self.weight_bytes(batch), self.kv_bytes_each, self.bandwidth)

    @property
    def compute_rate(self) -> float:
        """Token/s that the peak allows, at any batch."""
        return compute_rate(self.flop_per_token, self.peak)

    def ceiling(self, batch: int) -> float:
        """Token/s at most with this batch."""
        return min(self.memory_rate(batch), self.compute_rate)

    @property
    def bound(self) -> str:
        """What holds the ceiling down: `memory` or `compute`."""
        return "memory" if self.memory_rate(self.batch) < self.compute_rate else "compute"

    @property
    def ridge(self) -> float:
        """FLOP per byte where compute takes over."""
        return ridge_intensity(self.peak, self.bandwidth)

    @property
    def ridge_batch(self) -> float | None:
        """Batch at the ridge; None for a mixture of experts, whose reads grow with the batch, and where none is."""
        if self.is_mixture:
            return None
        return ridge_batch(self.weight_bytes_held, self.kv_bytes_each, self.flop_per_token, self.peak, self.bandwidth)

    @property
    def used_rate(self) -> float:
        """The rate of MFU and MBU: the measured one, else the ceiling."""
        return self.ceiling(self.batch) if self.rate is None else self.rate

    @property
    def mfu(self) -> float:
        """Model FLOPs utilization, fraction."""
        return self.used_rate * self.flop_per_token / self.peak

    @property
    def mbu(self) -> float:
        """Memory bandwidth utilization, fraction of the stated bandwidth."""
        weights = self.weight_bytes(self.batch)
        return bandwidth_share(self.used_rate, self.batch, weights, self.kv_bytes_each, self.stated_bandwidth)

    @property
    def memory_bytes(self) -> float:
        """Bytes of all weights and of the KV cache of the batch."""
        return self.weight_bytes_held + self.batch * self.kv_bytes_each

    @property
    def fits(self) -> bool | None:
        """Whether weights and KV cache fit; None where the memory is not known."""
        return None if self.memory is None else self.memory_bytes <= self.memory

    @property
    def max_batch(self) -> int | None:
        """Most sequences by memory; None without the memory or the size of the KV cache."""
        if self.memory is None or not self.kv_bytes_each:
            return None
        return batch_that_fits(self.memory, self.weight_bytes_held, self.kv_bytes_each)

    @property
    def streams_needed(self) -> int | None:
        """Least batch whose ceiling reaches the target; None where none does, or no target was given."""
        return None if self.target is None else streams_for(self.target, self.ceiling)

    @property
    def over(self) -> bool:
        """Whether a measured rate is above what the hardware can do. Twelve digits: doubles differ below."""
        return self.rate is not None and (round(self.mfu, 12) > 1 or round(self.mbu, 12) > 1)
