"""Dicts as a training loop prints them, found in a line and read without running anything."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A brace, or a key with its value. A number or a word is whole only where a comma or a
# bracket follows; `np.float64(…)` and `tensor(…)` are unwrapped.
_TOKEN = re.compile(
    r"(?P<open>\{(?=\s{0,9}['\"]))|(?P<close>\})|"
    r"(?P<quote>['\"])(?P<key>[^'\"{}]{1,100})(?P=quote)\s{0,9}:\s{0,9}"
    r"(?:'(?P<single>[^'{}]{0,100})'|\"(?P<double>[^\"{}]{0,100})\"|"
    r"(?:[a-z_.\d]{1,20}\()?(?P<word>[-+]?[\w.][\w.+-]{0,40})(?=\)?\s{0,9}[,}])|)"
)
_NESTED = re.compile(r":\s{0,9}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDict:
    """The keys of one dict with their values as text, and where it stands; `whole` where its end stands there too."""

    values: dict[str, str]
    start: int
    end: int
    whole: bool


def find_dicts(text: str) -> list[FoundDict]:
    """The dicts of a text in order, in the notation of Python or JSON.

    A dict whose head or tail is cut off keeps the keys that are whole. Values in nested dicts and lists are left out.
    """
    found = list[FoundDict]()
    values, start, depth = dict[str, str](), 0, 0
    for match in _TOKEN.finditer(text):
        if match["open"]:
            if depth and _NESTED.search(text, max(0, match.start() - 10), match.start()):
                depth += 1
                continue
            if values:  # the one before broke off
                found.append(FoundDict(values=values, start=start, end=match.start(), whole=False))
            values, start, depth = {}, match.start(), 1
        elif match["close"]:
            if depth <= 1:
                if values:
                    found.append(FoundDict(values=values, start=start, end=match.end(), whole=True))
                values, start, depth = {}, match.end(), 0
            else:
                depth -= 1
        elif depth <= 1:
            value = match["single"] or match["double"] or match["word"]
            if value:
                values[match["key"]] = value
    if values or depth:
        found.append(FoundDict(values=values, start=start, end=len(text), whole=False))
    return found
