"""A pasted log, short or long, as records of plain numbers."""

from __future__ import annotations

import re

from peakwise.core.errors import UnknownFormat
from peakwise.core.records import Record, Records
from peakwise.core.units import from_ms, from_tera

_MEGATRON = re.compile(
    r"iteration\s+\d+.*?elapsed time per iteration \(ms\): ([\d.]+).*?throughput per GPU \(TFLOP/s/GPU\): ([\d.]+)"
)


def read_pasted(text: str, name: str = "") -> Records:
    """The records of a pasted text. `name`: the reader that is to read it. **Raises** UnknownFormat."""
    del name
    records = tuple(
        Record(step_s=from_ms(float(step)), flop_per_s_per_device=from_tera(float(flop)))
        for step, flop in _MEGATRON.findall(text)
    )
    if not records:
        raise UnknownFormat("no reader recognises the text")
    return Records(producer="megatron-lm", records=records)
