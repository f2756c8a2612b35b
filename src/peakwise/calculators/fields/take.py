"""A field by its key, as one calculator asks it. A key, its flag and its link parameter mean the same everywhere."""

from __future__ import annotations

from peakwise.calculators.fields.compare import COMPARE
from peakwise.calculators.fields.hardware import HARDWARE
from peakwise.calculators.fields.lengths import LENGTHS
from peakwise.calculators.fields.log import LOG
from peakwise.calculators.fields.method import METHOD
from peakwise.calculators.fields.shape import SHAPE
from peakwise.calculators.fields.training import TRAINING
from peakwise.calculators.fields.tuning import TUNING
from peakwise.calculators.fields.work import WORK
from peakwise.core.declaration import Field, Value

TABLES = (WORK, HARDWARE, SHAPE, TRAINING, TUNING, METHOD, LENGTHS, COMPARE, LOG)
FIELDS: dict[str, Field] = {field.key: field for table in TABLES for field in table}


def take(
    key: str,
    default: Value | None = None,
    *,
    headline: bool = False,
    required: bool = False,
    preselect: Value | None = None,
    note: str = "",
) -> Field:
    """The field of a key with what differs from one calculator to the next. **Raises** KeyError for no such key."""
    field = FIELDS[key]
    return field._replace(
        default=default, headline=headline, required=required, preselect=preselect, note=note or field.note
    )
