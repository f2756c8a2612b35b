"""What the roofline's page draws: the two roofs with their points, and throughput against batch."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.calculators.inference_roofline_work import Work

_WIDEST = 2**20  # the largest batch of the curve, as the field's own range


class Roof(NamedTuple):
    """The roofline of all devices: byte/s, FLOP/s, and FLOP per byte where they meet."""

    bandwidth: float
    peak: float
    ridge: float


class Point(NamedTuple):
    """One working point. `id`: one, yours, ridge. FLOP per byte, FLOP/s, token/s and the batch of it."""

    id: str
    batch: float
    intensity: float
    flop_per_s: float
    tokens_per_s: float


class Reached(NamedTuple):
    """Throughput at one batch, token/s, what bounds it, and whether its KV cache fits (None: not known)."""

    batch: int
    tokens_per_s: float
    bound: str
    fits: bool | None


class RooflineChart(NamedTuple):
    """The roofline chart: roofs, points, and the curve of throughput against batch."""

    roof: Roof
    points: tuple[Point, ...]
    curve: tuple[Reached, ...]


def draw_roofline(work: Work) -> RooflineChart:
    """What the page draws of one calculation; log-log on both charts."""
    roof = Roof(bandwidth=work.bandwidth, peak=work.peak, ridge=work.ridge)
    points = [_point("one", work, 1), _point("yours", work, work.batch)]
    ridge = work.ridge_batch
    if ridge is not None:
        rate = work.compute_rate
        points.append(Point("ridge", ridge, work.ridge, rate * work.flop_per_token, rate))
    return RooflineChart(roof, tuple(points), tuple(_reached(work, batch) for batch in _batches(work)))


def _point(identifier: str, work: Work, batch: int) -> Point:
    """A working point under the roof: what a step computes by what it moves."""
    moved = work.weight_bytes(batch) + batch * work.kv_bytes_each
    rate = work.ceiling(batch)
    return Point(identifier, batch, batch * work.flop_per_token / moved, rate * work.flop_per_token, rate)


def _batches(work: Work) -> list[int]:
    """Powers of two up to eight times what matters, with the batch that was asked."""
    far = max(work.batch, 8 * int(work.ridge_batch or 0), 256)
    powers = [2**power for power in range(_WIDEST.bit_length()) if 2**power <= 2 * far]
    return sorted({*powers, work.batch})


def _reached(work: Work, batch: int) -> Reached:
    at = work._replace(batch=batch)
    return Reached(batch, at.ceiling(batch), at.bound, at.fits)
