"""Lengths that are known by their quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from peakwise.core.errors import InputError
from peakwise.core.units import to_percent

Quantile = tuple[float, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Lengths known by quantiles: (fraction of the examples, the length that they do not exceed), rising."""

    points: tuple[Quantile, ...]

    def __post_init__(self) -> None:
        fractions = [fraction for fraction, _ in self.points]
        lengths = [length for _, length in self.points]
        if len(self.points) < 2:
            raise self._fault("quantiles of lengths need two points or more", "two quantiles or more")
        if not all(0 <= fraction <= 1 for fraction in fractions):
            raise self._fault("a quantile lies between 0 and 100 %", "p0 to p100")
        if any(later <= earlier for earlier, later in pairwise(fractions)):
            raise self._fault("quantiles must rise", "each percentage once, from low to high")
        if lengths[0] < 1 or any(later < earlier for earlier, later in pairwise(lengths)):
            raise self._fault("the lengths of rising quantiles cannot fall", "lengths of 1 or more that do not fall")

    def text(self) -> str:
        """The quantiles as the command line writes them: `p50=450,p99=2100`."""
        return ",".join(f"p{to_percent(fraction):.10g}={length}" for fraction, length in self.points)

    def _fault(self, message: str, expected: str) -> InputError:
        return InputError(
            message,
            where="--seq",
            got=self.text() or "no quantile",
            expected=expected,
            hint="--seq p50=450,p90=900,p99=2100",
        )
