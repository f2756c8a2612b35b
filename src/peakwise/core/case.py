"""A published run that others are compared with."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """One published run: what it was, on what, how fast, and by which rule its MFU was counted."""

    id: str
    name: str
