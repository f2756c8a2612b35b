"""The sequence length that a log implies, solved from its FLOP/s by the producer's own rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peakwise.core.series import Column, Series

# Longest length that is tried, tokens; the longest trained context published is 10⁷.
LONGEST = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedWork:
    """FLOPs per token as the log implies them: between `low` and `high`, the limits of its printed digits.

    `of_sequence`: they are FLOPs per sequence, of a log that prints no tokens.
    """

    low: float
    high: float
    of_sequence: bool = False

    def per_token(self, seq_len: int) -> LoggedWork:
        """The same per token, for sequences of this many tokens."""
        if not self.of_sequence:
            return self
        return LoggedWork(low=self.low / seq_len, high=self.high / seq_len)

    @property
    def middle(self) -> float:
        """FLOPs per token in the middle of the limits."""
        return (self.low + self.high) / 2


def imply_flop_per_token(series: Series, used: NDArray[np.bool_], peak_flop_per_s: float | None) -> LoggedWork | None:
    """FLOPs per token by the producer's rule: its FLOP/s ÷ its tokens/s, each per device.

    Where it prints no FLOP/s, its MFU × the peak that it states. None where either side lacks.
    """
    rate, rate_unit = series["tokens_per_s_per_device"], series.resolution.get("tokens_per_s_per_device", 0.0)
    flop, flop_unit = series["flop_per_s_per_device"], series.resolution.get("flop_per_s_per_device", 0.0)
    if np.isnan(flop).all() and peak_flop_per_s is not None:
        flop, flop_unit = series["mfu"] * peak_flop_per_s, series.resolution.get("mfu", 0.0) * peak_flop_per_s
    keep = used & (rate > rate_unit) & (flop > flop_unit)
    if not keep.any():
        return None
    low = (flop[keep] - flop_unit / 2) / (rate[keep] + rate_unit / 2)
    high = (flop[keep] + flop_unit / 2) / (rate[keep] - rate_unit / 2)
    return _between(low, high, of_sequence=False)


def imply_flop_per_sequence(
    series: Series, used: NDArray[np.bool_], step_s: Column, sequences_per_device: float
) -> LoggedWork | None:
    """FLOPs per sequence by the producer's rule: its FLOP/s × its step time ÷ the sequences of one device's step.

    For logs that print FLOP/s and no tokens. None where either column lacks.
    """
    flop, flop_unit = series["flop_per_s_per_device"], series.resolution.get("flop_per_s_per_device", 0.0)
    time_unit = series.resolution.get("step_s", 0.0)
    keep = used & (step_s > time_unit) & (flop > flop_unit)
    if not keep.any():
        return None
    low = (flop[keep] - flop_unit / 2) * (step_s[keep] - time_unit / 2) / sequences_per_device
    high = (flop[keep] + flop_unit / 2) * (step_s[keep] + time_unit / 2) / sequences_per_device
    return _between(low, high, of_sequence=True)


def _between(low: Column, high: Column, *, of_sequence: bool) -> LoggedWork:
    """What all records allow; the middle of the records where no figure fits them all."""
    if low.max() <= high.min():
        return LoggedWork(low=float(low.max()), high=float(high.min()), of_sequence=of_sequence)
    return LoggedWork(low=float(np.median(low)), high=float(np.median(high)), of_sequence=of_sequence)


def solve_seq_len(work: LoggedWork, flop_per_token: Callable[[int], float | None]) -> int | None:
    """The roundest length, in tokens, whose FLOPs per token by the producer's rule lie within the log's digits.

    `flop_per_token`: of one length; FLOPs per sequence where `work` is of sequences.

    None where the rule does not apply, does not grow with the length, or no length gives the figure.

    **Formula** attention makes the rule grow with T, so T is between the lengths that give `low` and `high`; of
    these the multiple of the largest power of two is taken.
    """
    shortest, longest = flop_per_token(1), flop_per_token(LONGEST)
    if shortest is None or longest is None or longest <= shortest or not shortest <= work.high <= longest:
        return None
    least = _first_at_least(work.low, flop_per_token)
    most = _first_at_least(work.high, flop_per_token)
    if (flop_per_token(most) or 0.0) > work.high:
        most -= 1
    if most < least:
        return None
    power = 1
    while (most // (power * 2)) * power * 2 >= least:
        power *= 2
    return most // power * power


def _first_at_least(target: float, flop_per_token: Callable[[int], float | None]) -> int:
    low, high = 1, LONGEST
    while low < high:
        middle = (low + high) // 2
        if (flop_per_token(middle) or 0.0) < target:
            low = middle + 1
        else:
            high = middle
    return low
