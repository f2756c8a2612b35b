"""Tokens per step and per second, of all devices and of one, from what the log prints and the inputs say."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peakwise.core.finding import Finding
from peakwise.core.quantity import Basis, Quantity, weakest
from peakwise.measuring.inputs import DIFFERS, Inputs
from peakwise.measuring.timeline import Timeline, median_of
from peakwise.measuring.tokens import constant_of, count_sequences, find_tokens

# A quotient of two rates is a whole number of devices or sequences within 0.5 % (rules 15, 16).
WHOLE_WITHIN = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates at the median used record, and the counts that follow from them; None where an input lacks.

    `warnings`: two ways to one number that disagree; that number is None then, unless a flag decides.
    """

    tokens_per_step: Quantity | None
    tokens_per_s: Quantity | None
    tokens_per_s_per_device: Quantity | None
    n_devices: Quantity | None
    seq_len: Quantity | None
    global_batch: Quantity | None
    warnings: tuple[Finding, ...] = ()


def measure_rates(line: Timeline, inputs: Inputs) -> Rates:
    """Every rate and count that the log and the inputs give, none of them guessed. Rules 12 to 16."""
    if line.tokens is None:  # a length that was solved since gives tokens to sequences
        line = replace(line, tokens=find_tokens(line.series, line.segments, inputs))
    device = _from_column(line, "tokens_per_s_per_device")
    per_step = _constant_tokens(line)
    whole = _rate_of_all(line, per_step)
    devices, warnings = _settle_devices(inputs.n_devices, whole, device)
    if device is None and whole is not None and devices is not None:
        source = f"rate of all ÷ {devices.value:,} GPU{'s' * (devices.value != 1)}"
        basis = weakest(whole.basis, devices.basis)
        device = Quantity(value=whole.value / devices.value, unit="token/s", basis=basis, source=source)
    if whole is None and devices is not None:
        whole = _times(device, devices, "token/s", f"rate per GPU × {devices.value:,} GPUs")
    if line.tokens is None:
        per_step = _rate_times_time(line, whole, device, devices)
    rates = Rates(
        tokens_per_step=per_step,
        tokens_per_s=whole,
        tokens_per_s_per_device=device,
        n_devices=devices,
        seq_len=inputs.seq_len,
        global_batch=inputs.global_batch,
        warnings=warnings,
    )
    settled = _settle_sizes(rates, line)
    batch, length = settled.global_batch, settled.seq_len
    unknown = settled.tokens_per_step is None and line.tokens is None
    if unknown and inputs.global_batch is None and batch is not None and length is not None:
        return measure_rates(line, replace(inputs, global_batch=batch, seq_len=length))  # sequences × length is new
    return settled


def _constant_tokens(line: Timeline) -> Quantity | None:
    """Tokens of every used step, where something other than a rate says it and the records agree."""
    if line.tokens is None:
        return None
    constant = constant_of(line.tokens.per_step[line.used])
    if constant is None:
        return None
    return Quantity(value=constant, unit="token", basis=line.tokens.basis, source=line.tokens.source)


def _rate_of_all(line: Timeline, per_step: Quantity | None) -> Quantity | None:
    """Tokens/s of all devices: tokens per step ÷ step; where tokens vary, all tokens ÷ all time; else as printed."""
    timed = line.median_s is not None and line.times.kind in ("log", "clock")
    if per_step is not None and line.median_s is not None and (timed or np.isnan(line.series["tokens_per_s"]).all()):
        basis = weakest(per_step.basis, "derived")
        if line.times.kind == "tokens":
            return _rate_by_samples(line, per_step)
        value = per_step.value / line.median_s
        return Quantity(value=value, unit="token/s", basis=basis, source="tokens per step ÷ step")
    if per_step is None and line.tokens is not None and timed:
        return _rate_of_varying(line)
    return _from_column(line, "tokens_per_s")


def _rate_by_samples(line: Timeline, per_step: Quantity) -> Quantity | None:
    """Tokens/s where the log's sequences/s gave the step time; None where a rate per device did."""
    if np.isnan(line.series["samples_per_s"]).all() or line.median_s is None:
        return None
    basis = weakest(per_step.basis, "derived")
    words = "tokens per step ÷ step"
    return Quantity(value=per_step.value / line.median_s, unit="token/s", basis=basis, source=words)


def _rate_of_varying(line: Timeline) -> Quantity | None:
    """Total tokens ÷ total time of the used records. Rule 13."""
    if line.tokens is None:
        return None
    seconds = line.times.seconds * line.segments.spans
    tokens = line.tokens.per_step * line.segments.spans
    keep = line.used & np.isfinite(seconds) & np.isfinite(tokens)
    if not keep.any():
        return None
    value = float(tokens[keep].sum() / seconds[keep].sum())
    basis = weakest(line.tokens.basis, "derived")
    return Quantity(value=value, unit="token/s", basis=basis, source="all tokens ÷ all time of the used records")


def _settle_devices(
    stated: Quantity | None, whole: Quantity | None, device: Quantity | None
) -> tuple[Quantity | None, tuple[Finding, ...]]:
    """The devices as given or stated, or a whole rate ÷ a device's; None with a warning where two ways disagree."""
    ratio = _whole_ratio(whole, device, "device", "rate of all ÷ rate of one")
    if whole is None or device is None or not device.value:
        return stated, ()
    quotient = whole.value / device.value
    if stated is None and ratio is None:
        message = f"rate of all ÷ rate of one is {quotient:,.2f}: no number of devices"
        return None, (Finding(code="W_BASIS", message=message, input="n_devices", fix="--devices with the right one"),)
    if stated is None or ratio is None or abs(stated.value - quotient) <= DIFFERS * stated.value:
        return stated or ratio, ()
    return _disagree(stated, ratio, "n_devices", "--devices", "devices")


def _settle_sizes(rates: Rates, line: Timeline) -> Rates:
    """The third of tokens per step, sequences and length where two are known; all three must fit each other."""
    per_step, length, batch = rates.tokens_per_step, rates.seq_len, rates.global_batch
    warnings = rates.warnings
    if batch is None:
        batch = _batch_of(per_step, length, line)
    if length is None:
        length = _whole_ratio(per_step, batch, "token", "tokens per step ÷ sequences")
    elif per_step is not None and batch is not None and line.tokens is not None:
        quotient = _whole_ratio(per_step, batch, "token", "tokens per step ÷ sequences")
        if quotient is not None and abs(quotient.value - length.value) > DIFFERS * length.value:
            length, found = _disagree(length, quotient, "seq_len", "--seq", "sequence length")
            warnings = (*warnings, *found)
    return replace(rates, seq_len=length, global_batch=batch, warnings=warnings)


def _batch_of(per_step: Quantity | None, length: Quantity | None, line: Timeline) -> Quantity | None:
    """Sequences of one step: tokens ÷ length, or the sample counter, or samples/s × step time. Rule 16."""
    found = _whole_ratio(per_step, length, "sequence", "tokens per step ÷ length")
    counted = count_sequences(line.series, line.segments)
    if found is None and counted is not None:
        found = _whole(constant_of(counted[line.used]), "sequence", "differences of the sample counter")
    if found is None and line.times.kind in ("log", "clock"):
        product = constant_of((line.series["samples_per_s"] * line.times.seconds)[line.used])
        found = _whole(product, "sequence", "samples/s × step time")
    return found


def _whole(value: float | None, unit: str, source: str) -> Quantity | None:
    if value is None or round(value) < 1 or abs(value - round(value)) > WHOLE_WITHIN * value:
        return None
    return Quantity(value=round(value), unit=unit, basis="derived", source=source)


def _disagree(
    stated: Quantity, other: Quantity, key: str, flag: str, words: str
) -> tuple[Quantity | None, tuple[Finding, ...]]:
    """Two ways to one number: a warning, no choice; a flag alone decides. Rule 16."""
    flagged = stated.source.startswith("--")
    message = f"{words}: {stated.value:,} by {stated.source}, {other.value:,} by {other.source}"
    message += "; the flag was used" if flagged else "; neither was used"
    finding = Finding(code="W_DIFFERS", message=message, input=key, fix=f"{flag} with the right one")
    return (stated if flagged else None), (finding,)


def _from_column(line: Timeline, name: str) -> Quantity | None:
    value = median_of(line.series[name], line.used)
    if value is None:
        return None
    return Quantity(value=value, unit="token/s", basis="measured", source=f"log, {line.over_records()}")


def _rate_times_time(
    line: Timeline, whole: Quantity | None, device: Quantity | None, devices: Quantity | None
) -> Quantity | None:
    """Tokens of one step as rate × time, where that is the same for the records within 1 %."""
    if whole is None or line.times.kind not in ("log", "clock"):
        return None
    rates = line.series["tokens_per_s"]
    if np.isnan(rates).all() and device is not None and devices is not None:
        rates = line.series["tokens_per_s_per_device"] * devices.value
    constant = constant_of((rates * line.times.seconds)[line.used])
    if constant is None:
        return None
    basis: Basis = weakest(whole.basis, "derived")
    return Quantity(value=constant, unit="token", basis=basis, source="rate × step time, the same for every record")


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
