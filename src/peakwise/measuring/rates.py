"""Tokens per step and per second, of all devices and of one, from what the log prints and the inputs say."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peakwise.core.quantity import Quantity, weakest
from peakwise.measuring.inputs import Inputs
from peakwise.measuring.step_time import CONSTANT_WITHIN
from peakwise.measuring.timeline import Timeline, median_of

# A quotient of two rates is a whole number of devices or sequences within 0.5 % (rules 15, 16).
WHOLE_WITHIN = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates at the median used record, and the counts that follow from them; None where an input lacks."""

    tokens_per_step: Quantity | None
    tokens_per_s: Quantity | None
    tokens_per_s_per_device: Quantity | None
    n_devices: Quantity | None
    seq_len: Quantity | None
    global_batch: Quantity | None


def measure_rates(line: Timeline, inputs: Inputs) -> Rates:
    """Every rate and count that the log and the inputs give, none of them guessed. Rules 12 to 16."""
    device = _from_column(line, "tokens_per_s_per_device")
    whole = _from_column(line, "tokens_per_s")
    per_step = _from_column(line, "tokens_per_step") or _times(
        inputs.global_batch, inputs.seq_len, "token", "sequences × length"
    )
    if whole is None and per_step is not None and line.median_s is not None and line.times.kind != "tokens":
        basis = weakest(per_step.basis, "derived")
        value = per_step.value / line.median_s
        whole = Quantity(value=value, unit="token/s", basis=basis, source="tokens per step ÷ step")
    devices = inputs.n_devices or _whole_ratio(whole, device, "device", "rate of all ÷ rate of one")
    if device is None and whole is not None and devices is not None:
        source = f"rate of all ÷ {devices.value:,} GPUs"
        basis = weakest(whole.basis, devices.basis)
        device = Quantity(value=whole.value / devices.value, unit="token/s", basis=basis, source=source)
    if whole is None and devices is not None:
        whole = _times(device, devices, "token/s", f"rate per GPU × {devices.value:,} GPUs")
    per_step = per_step or _per_step(line, whole, device, devices)
    rates = Rates(
        tokens_per_step=per_step,
        tokens_per_s=whole,
        tokens_per_s_per_device=device,
        n_devices=devices,
        seq_len=inputs.seq_len,
        global_batch=inputs.global_batch,
    )
    return _divide(rates)


def _divide(rates: Rates) -> Rates:
    """The third of tokens per step, sequences and their length where two are known."""
    if rates.tokens_per_step is None:
        return rates
    if rates.seq_len is None and rates.global_batch is not None:
        length = _whole_ratio(rates.tokens_per_step, rates.global_batch, "token", "tokens per step ÷ sequences")
        return replace(rates, seq_len=length)
    if rates.global_batch is None and rates.seq_len is not None:
        batch = _whole_ratio(rates.tokens_per_step, rates.seq_len, "sequence", "tokens per step ÷ length")
        return replace(rates, global_batch=batch)
    return rates


def _from_column(line: Timeline, name: str) -> Quantity | None:
    value = median_of(line.series[name], line.used)
    if value is None:
        return None
    unit = "token" if name == "tokens_per_step" else "token/s"
    return Quantity(value=value, unit=unit, basis="measured", source=f"log, {line.over_records()}")


def _per_step(
    line: Timeline, whole: Quantity | None, device: Quantity | None, devices: Quantity | None
) -> Quantity | None:
    """Tokens of one step as rate × time, where that is the same for the records within 1 %."""
    if whole is None or line.times.kind not in ("log", "clock"):
        return None
    rates = line.series["tokens_per_s"]
    if np.isnan(rates).all() and device is not None and devices is not None:
        rates = line.series["tokens_per_s_per_device"] * devices.value
    products = (rates * line.times.seconds)[line.used]
    products = products[np.isfinite(products)]
    if not len(products):
        return None
    middle = float(np.median(products))
    if np.abs(products - middle).max() > CONSTANT_WITHIN * middle:
        return None
    basis = weakest(whole.basis, "derived")
    return Quantity(value=middle, unit="token", basis=basis, source="rate × step time, the same for every record")


def _times(left: Quantity | None, right: Quantity | None, unit: str, source: str) -> Quantity | None:
    if left is None or right is None:
        return None
    return Quantity(value=left.value * right.value, unit=unit, basis=weakest(left.basis, right.basis), source=source)


def _whole_ratio(left: Quantity | None, right: Quantity | None, unit: str, source: str) -> Quantity | None:
    if left is None or right is None or not right.value:
        return None
    ratio = left.value / right.value
    whole = round(ratio)
    if whole < 1 or abs(ratio - whole) > WHOLE_WITHIN * whole:
        return None
    return Quantity(value=whole, unit=unit, basis=weakest(left.basis, right.basis), source=source)
