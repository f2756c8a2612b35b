"""The currencies of the world by their three letters.

**Source** ISO 4217, list one, as of February 2026, without its codes for testing and for no currency; names from the
Unicode CLDR, version 48.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from peakwise.core.errors import NotKnown
from peakwise.core.fields import shown

_NEAREST = 3
_LONGEST = 64  # no name is longer


@functools.cache
def load_currencies() -> Mapping[str, str]:
    """The English name of every currency by its code."""
    with Path(__file__).with_name("currencies.csv").open(encoding="utf-8", newline="") as file:
        return {row["code"]: row["name"] for row in csv.DictReader(file)}


def find_currency(text: str) -> str:
    """The code that `text` means, in any case. **Raises** NotKnown with the nearest codes.

    **Example**
    >>> find_currency("eur")
    'EUR'
    """
    code = text.strip().upper()
    if code in load_currencies():
        return code
    near = _nearest(code[:_LONGEST])
    raise NotKnown(
        f"unknown currency {shown(text)}",
        got=shown(text).strip('"'),
        expected="a code of ISO 4217, such as " + ", ".join(near),
        hint=f"--currency {near[0]}",
    )


def _nearest(code: str) -> list[str]:
    """The nearest codes: those whose name has the typed word, the shortest name first, then those that look alike."""
    known = load_currencies()
    named = [key for key, name in known.items() if {code, code.removesuffix("S")} & set(name.upper().split())]
    alike = get_close_matches(code, known, n=_NEAREST, cutoff=0.0)
    return list(dict.fromkeys([*sorted(named, key=lambda key: len(known[key])), *alike]))[:_NEAREST]
