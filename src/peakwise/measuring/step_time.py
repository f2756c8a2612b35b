"""Seconds per optimizer step of each record, from the best source that the log has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peakwise.core.series import Column, Series
from peakwise.measuring.elapsed import time_by_elapsed
from peakwise.measuring.segments import Segments
from peakwise.measuring.tokens import CONSTANT_WITHIN

# Time stamps serve as a clock where their resolution is under 2 % of the interval (rule 9).
COARSEST = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepTimes:
    """`seconds` per step and record, NaN where unknown. `kind` is where from; `relative` is the same for judging
    records against each other, filled from rates where the clock has no interval; its unit is arbitrary then."""

    seconds: Column
    kind: Literal["log", "tokens", "clock", "none"]
    relative: Column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sizes:
    """What one step holds, of each record, where something other than a rate says it; None where nothing does."""

    tokens: Column | None = None
    sequences: Column | None = None
    n_devices: int | None = None


def time_steps(series: Series, segments: Segments, sizes: Sizes) -> StepTimes:
    """Seconds per step: the producer's own, else what a step holds ÷ rate, else differences of a clock. Rule 9."""
    own = series["step_s"]
    rates = fill_rates(series, sizes.n_devices)
    if not np.isnan(own).all():
        return StepTimes(seconds=own, kind="log", relative=_relative(own, rates, series))
    for held, rate in ((sizes.tokens, rates), (sizes.sequences, series["samples_per_s"])):
        if held is not None and not np.isnan(held * rate).all():
            with np.errstate(divide="ignore", invalid="ignore"):
                seconds = np.where(rate > 0, held / rate, np.nan)
            return StepTimes(seconds=seconds, kind="tokens", relative=seconds)
    clock = time_by_elapsed(series, segments)
    if np.isnan(clock).all():
        clock = time_by_clock(series, segments)
    kind = "none" if np.isnan(clock).all() else "clock"
    return StepTimes(seconds=clock, kind=kind, relative=_relative(clock, rates, series))


def fill_rates(series: Series, n_devices: int | None) -> Column:
    """Tokens/s of all devices per record; from the rate of one device where their number is known."""
    whole = series["tokens_per_s"]
    if n_devices is None:
        return whole
    return np.where(np.isnan(whole), series["tokens_per_s_per_device"] * n_devices, whole)


def time_by_clock(series: Series, segments: Segments) -> Column:
    """Seconds per step from the clock: the time since the record before ÷ the steps since then."""
    time = series["time_s"]
    if len(time) < 2 or np.isnan(time).all():
        return np.full(len(time), np.nan)
    passed = np.concatenate(([np.nan], np.diff(time)))
    sharp = passed * COARSEST > series.resolution.get("time_s", 0.0)
    with np.errstate(invalid="ignore"):
        return np.where(sharp & (passed > 0), passed / segments.passed, np.nan)


def _relative(seconds: Column, whole_rates: Column, series: Series) -> Column:
    """Step times to judge by; where a record has none, 1 ÷ rate, if rate × time is constant or no time is known."""
    rates = whole_rates if not np.isnan(whole_rates).all() else series["tokens_per_s_per_device"]
    rates = np.where(rates > 0, rates, np.nan)
    if np.isnan(rates).all() or not np.isnan(seconds).any():
        return seconds
    both = seconds * rates
    if np.isnan(both).all():
        return 1 / rates
    middle = float(np.nanmedian(both))
    steady = np.abs(both[~np.isnan(both)] - middle) <= CONSTANT_WITHIN * middle
    if np.count_nonzero(steady) * 2 < len(steady):
        return seconds
    return np.where(np.isnan(seconds), middle / rates, seconds)
