"""Numbers, fractions and durations as dicts and tables print them, with the unit of their last digit."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from peakwise.core.units import S_PER_DAY, S_PER_HOUR, S_PER_MINUTE

_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.(\d+))?(?:[eE]([-+]?\d{1,3}))?|nan|NaN|inf|-inf")
_POSITION = re.compile(r"(\d{1,15})/(\d{1,15})")
_WORDS = re.compile(r"(?:(\d{1,6})\s?d\s?)?(?:(\d{1,6})\s?h\s?)?(?:(\d{1,6})\s?m\s?)?(?:(\d{1,9}(?:\.\d+)?)\s?s)?")
_CLOCK = re.compile(r"(?:(\d{1,6}) days?, )?(?:(\d{1,6}):)?(\d{1,2}):(\d{2})(\.\d+)?")


class Printed(NamedTuple):
    """A value in its base unit and the unit of its last printed digit."""

    value: float
    unit: float


def read_printed(text: str) -> Printed | None:
    """A number; None where the text is none, or is cut after its point."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    value = float(match.group().replace(",", ""))
    decimals, exponent = len(match.group(1) or ""), int(match.group(2) or 0)
    return Printed(value, 10.0 ** (exponent - decimals))


def read_number_of(values: dict[str, str], *keys: str) -> Printed | None:
    """The finite number at the first of the keys that has one."""
    for key in keys:
        found = read_printed(values[key]) if key in values else None
        if found is not None and math.isfinite(found.value):
            return found
    return None


def read_position(text: str) -> tuple[int, int] | None:
    """A step and the number of all steps, from "12/94"."""
    match = _POSITION.fullmatch(text.strip())
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def read_duration(text: str) -> Printed | None:
    """Seconds, from "16m 51s", "0:36:58.55", "1 day, 2:03:04" or a plain number."""
    text = text.strip()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        days, hours, minutes, seconds, part = clock.groups()
        whole = int(days or 0) * S_PER_DAY + int(hours or 0) * S_PER_HOUR + int(minutes) * S_PER_MINUTE + int(seconds)
        return Printed(whole + float(part or 0), 10.0 ** -max(0, len(part or ".") - 1))
    words = _WORDS.fullmatch(text)
    if words is not None and any(words.groups()):
        days, hours, minutes, seconds = words.groups()
        whole = int(days or 0) * S_PER_DAY + int(hours or 0) * S_PER_HOUR + int(minutes or 0) * S_PER_MINUTE
        decimals = len(seconds.partition(".")[2]) if seconds else 0
        return Printed(whole + float(seconds or 0), 10.0**-decimals)
    return read_printed(text)
