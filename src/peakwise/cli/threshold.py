"""`--fail-under`: a number that a run must reach."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from peakwise.cli.usage import ThresholdMissed, UsageError
from peakwise.core.quantity import Quantity
from peakwise.core.units import from_percent
from peakwise.report.figures import percent

NAMES = ("mfu", "hfu", "mfu_wall", "goodput", "mbu")


class Threshold(NamedTuple):
    """A fraction by its name in the JSON document, and the least it may be."""

    name: str
    least: float


class Measured(Protocol):
    """What has the fractions that a threshold may name."""

    @property
    def mfu(self) -> Quantity | None: ...
    @property
    def hfu(self) -> Quantity | None: ...
    @property
    def mfu_wall(self) -> Quantity | None: ...
    @property
    def goodput(self) -> Quantity | None: ...
    @property
    def mbu(self) -> Quantity | None: ...


def parse_threshold(text: str) -> Threshold:
    """A threshold from `mfu=0.35` or `mfu=35%`. **Raises** UsageError for any other text."""
    name, _, number = text.partition("=")
    digits = number.strip().removesuffix("%").strip()
    plain = digits.replace(".", "", 1)
    if name in NAMES and plain.isascii() and plain.isdigit():
        least = from_percent(float(digits)) if "%" in number else float(digits)
        if least <= 1:
            return Threshold(name, least)
    raise UsageError(
        f'cannot read the threshold "{text}"',
        where="--fail-under",
        got=text or "nothing",
        expected=f"one of {', '.join(NAMES)}, an equals sign and a fraction from 0 to 1",
        hint="--fail-under mfu=0.35",
    )


def check_threshold(run: Measured, threshold: Threshold) -> None:
    """**Raises** ThresholdMissed where the run's number is lower or not known."""
    numbers = {
        "mfu": run.mfu,
        "hfu": run.hfu,
        "mfu_wall": run.mfu_wall,
        "goodput": run.goodput,
        "mbu": run.mbu,
    }
    quantity = numbers[threshold.name]
    if quantity is not None and quantity.value >= threshold.least:
        return
    found = "not known" if quantity is None else percent(quantity.value)
    raise ThresholdMissed(
        f"{threshold.name} is {found}, under the threshold",
        where="--fail-under",
        got=found,
        expected=f"at least {percent(threshold.least)}",
    )
