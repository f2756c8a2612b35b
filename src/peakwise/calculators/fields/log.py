"""A pasted log, or a count and a time."""

from __future__ import annotations

from peakwise.core.declaration import Field
from peakwise.core.units import MEGA

LOG: tuple[Field, ...] = (
    Field(
        key="text",
        flag="--text",
        param="text",
        kind="text",
        note="a log; on the command line a file or -",
        most=MEGA,
    ),
    Field(
        key="format",
        flag="--format",
        param="fmt",
        kind="id",
        note="a reader's name",
    ),
    Field(
        key="total_flop",
        flag="--total-flops",
        param="fl",
        kind="number",
        note="a count made by hand, with --time",
        unit="FLOP per accelerator",
        dimension="flop",
        low=1,
        high=1e30,
    ),
    Field(
        key="time_s",
        flag="--time",
        param="sec",
        kind="number",
        unit="s",
        dimension="s",
        low=1e-9,
        high=1e9,
    ),
)
