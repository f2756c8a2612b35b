"""What log lines of every producer carry around their words: colours, clocks, ranks, cut numbers."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from peakwise.core.units import S_PER_DAY, S_PER_HOUR, S_PER_MINUTE

# A colour code, with its escape byte or, as copied from a terminal, without.
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_COLOUR = re.compile(r"\[\d{1,3}(?:;\d{1,3})*m")
_CLOCK = re.compile(r"(?<!\d)(\d{4}[-/:]\d\d[-/:]\d\d[ T-]\d\d:\d\d):(\d\d)(?:[.,](\d{1,9}))?(?!\d)")
# A clock stands at most so many characters before what it dates; many records on one line are each searched for theirs.
_NEAR = 2048
_RANK = re.compile(r"\[(?:rank|default)\s?(\d{1,7})\]")
_RANK_FIRST = re.compile(r"\s*(\d{1,7}):\s")

# A whole number or decimal, thousands separators allowed, that ends at a blank, a sign of its unit or the line's end.
NUMBER = r"[-+]?(?:\d[\d,]*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[\s%;|)\]}]|,\s|$)"


def strip_colour(line: str) -> str:
    """The line without colour codes."""
    return _COLOUR.sub("", _ESCAPE.sub("", line) if "\x1b" in line else line)


def read_number(text: str) -> float:
    """A number as matched by `NUMBER`, its thousands separators taken out."""
    return float(text.replace(",", ""))


def read_clock(line: str, end: int) -> tuple[float, float] | None:
    """Seconds since 1970 and their resolution in seconds, from the last time stamp before position `end`.

    Time zones are passed over: only differences within one log are used.
    """
    last = None
    for match in _CLOCK.finditer(line, max(0, end - _NEAR), end):
        last = match
    if last is None:
        return None
    minute, second, digits = last.groups()
    start = _minute(minute)
    if start is None or second > "60":  # 60: a leap second
        return None
    clock = start + int(second)
    return (clock + int(digits) / 10 ** len(digits), 10.0 ** -len(digits)) if digits else (clock, 1.0)


def read_rank(line: str, end: int) -> int:
    """The rank that a launcher wrote before position `end`; -1 where it wrote none."""
    match = _RANK_FIRST.match(line, 0, end) or _RANK.search(line, 0, end)
    return -1 if match is None else int(match.group(1))


@lru_cache(maxsize=512)
def _minute(text: str) -> float | None:
    """Seconds since 1970 at the start of a minute, written as `_CLOCK` has it; None where there is no such minute."""
    try:
        day = date(int(text[:4]), int(text[5:7]), int(text[8:10]))
    except ValueError:
        return None
    hour, minute = int(text[11:13]), int(text[14:])
    if hour > 23 or minute > 59:
        return None
    return float((day - date(1970, 1, 1)).days * S_PER_DAY + hour * S_PER_HOUR + minute * S_PER_MINUTE)
