"""What log lines of every producer carry around their words: colours, clocks, ranks, cut numbers."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from peakwise.core.units import S_PER_DAY, S_PER_HOUR, S_PER_MINUTE

# A colour code, with its escape byte or, as copied from a terminal, without.
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\[\d{1,3}(?:;\d{1,3})*m")
_CLOCK = re.compile(
    r"(?<!\d)(\d{4})[-/:](\d\d)[-/:](\d\d)[ T-](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?!\d)",
)
_RANK = re.compile(r"\[(?:rank|default)\s?(\d{1,7})\]|^\s*(\d{1,7}):\s")

# A whole number or decimal, thousands separators allowed, that ends at a blank, a sign of its unit or the line's end.
NUMBER = r"[-+]?(?:\d[\d,]*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[\s%;|)\]}]|,\s|$)"


def strip_colour(line: str) -> str:
    """The line without colour codes."""
    return _COLOUR.sub("", line)


def read_number(text: str) -> float:
    """A number as matched by `NUMBER`, its thousands separators taken out."""
    return float(text.replace(",", ""))


def read_clock(line: str, end: int) -> tuple[float, float] | None:
    """Seconds since 1970 and their resolution in seconds, from the last time stamp before position `end`.

    Time zones are passed over: only differences within one log are used.
    """
    last = None
    for match in _CLOCK.finditer(line, 0, end):
        last = match
    if last is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in last.groups()[:6])
    days = _day(year, month, day)
    if days is None or hour > 23 or minute > 59 or second > 60:  # 60: a leap second
        return None
    digits = last.group(7) or ""
    fraction = int(digits) / 10 ** len(digits) if digits else 0.0
    clock = days * S_PER_DAY + hour * S_PER_HOUR + minute * S_PER_MINUTE + second + fraction
    return clock, 10.0 ** -len(digits)


def read_rank(line: str, end: int) -> int:
    """The rank that a launcher wrote before position `end`; -1 where it wrote none."""
    match = _RANK.search(line, 0, end)
    return -1 if match is None else int(match.group(1) or match.group(2))


@lru_cache(maxsize=512)
def _day(year: int, month: int, day: int) -> int | None:
    try:
        return (date(year, month, day) - date(1970, 1, 1)).days
    except ValueError:
        return None
