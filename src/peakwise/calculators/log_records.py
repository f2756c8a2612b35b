"""Which records of a pasted log count, by the short rule: no warm-up, no outliers; `measure` has a longer one."""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from peakwise.calculators.spread import quantile
from peakwise.core.records import Record

# The short rule of the product's log intake.
WARM_UP, ENOUGH_FOR_WARM_UP = 3, 6  # so many records are dropped where there are at least so many
ENOUGH_FOR_OUTLIERS = 5
TO_SIGMA = 1.4826  # median absolute deviation to the standard deviation of a normal distribution
SIGMAS = 3

COLUMNS = Record._fields
# What tells an outlier, by its first column that most records have.
_TELLS = ("flop_per_s_per_device", "tokens_per_s_per_device", "step_s", "examples_per_s")


class Kept(NamedTuple):
    """The records that count, how many there were, and how many were left out and why."""

    records: tuple[Record, ...]
    n_records: int
    n_warm_up: int
    n_outliers: int

    def values(self, column: str) -> list[float]:
        """The rising figures of one column."""
        return sorted(value for record in self.records if (value := record._asdict()[column]) is not None)

    def median(self, column: str) -> float | None:
        """The median of one column; None where no record has it."""
        return self.quantile(column, 0.5)

    def quantile(self, column: str, fraction: float) -> float | None:
        """A quantile of one column; None where no record has it."""
        values = self.values(column)
        return quantile(values, fraction) if values else None


def keep_records(records: tuple[Record, ...]) -> Kept:
    """The records without warm-up and outliers.

    **Formula** of six or more the first 3 are dropped; of five or more that are left, those further than
    3 × 1.4826 × MAD from the median, unless the MAD is 0. A record without the column that is judged stays.
    """
    n_warm_up = WARM_UP if len(records) >= ENOUGH_FOR_WARM_UP else 0
    left = records[n_warm_up:]
    column = max(_TELLS, key=lambda name: sum(record._asdict()[name] is not None for record in left))
    kept = _without_outliers(left, column) if len(left) >= ENOUGH_FOR_OUTLIERS else left
    return Kept(records=kept, n_records=len(records), n_warm_up=n_warm_up, n_outliers=len(left) - len(kept))


def _without_outliers(records: tuple[Record, ...], column: str) -> tuple[Record, ...]:
    values = [value for record in records if (value := record._asdict()[column]) is not None]
    if not values:
        return records
    middle = median(values)
    deviation = median(abs(value - middle) for value in values)
    if not deviation:
        return records
    most = SIGMAS * TO_SIGMA * deviation

    def belongs(record: Record) -> bool:
        value = record._asdict()[column]
        return value is None or abs(value - middle) <= most

    return tuple(filter(belongs, records))
