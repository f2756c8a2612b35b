"""The achievable matmul rate of a device from the times of its multiplications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from peakwise.core.matmul_rate import MatmulTimes, MeasuredPeak

LOW, HIGH = 0.9, 0.1  # the percentiles of the times that the spread shows


def rate_matmuls(taken: Iterable[MatmulTimes]) -> tuple[MeasuredPeak, ...]:
    """The best shape of each device, library and type, FLOP/s at the median time, in the order they were taken."""
    best: dict[tuple[str, str, str], MeasuredPeak] = {}
    for times in taken:
        key = (times.device, times.library, times.precision)
        rate = _rate(times)
        if key not in best or rate.flop_per_s > best[key].flop_per_s:
            best[key] = rate
    return tuple(best.values())


def _rate(times: MatmulTimes) -> MeasuredPeak:
    ordered = sorted(times.seconds)
    return MeasuredPeak(
        device=times.device,
        library=times.library,
        precision=times.precision,
        m=times.m,
        n=times.n,
        k=times.k,
        n_runs=len(ordered),
        flop_per_s=times.flop / median(ordered),
        low=times.flop / _percentile(ordered, LOW),
        high=times.flop / _percentile(ordered, HIGH),
    )


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The nearest rank."""
    return ordered[round(share * (len(ordered) - 1))]
