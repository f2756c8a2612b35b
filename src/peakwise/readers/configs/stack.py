"""The blocks of one row, with the operations and streams that only their builder knows."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.model import Layer, Op, Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Layers in order, what runs around them, and the streams that both repeat over."""

    layers: tuple[Layer, ...]
    outside: tuple[Op, ...] = ()
    streams: tuple[Stream, ...] = ()
