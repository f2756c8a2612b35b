"""reference/columns.md: every number of a measurement and every column of a series."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pages.markdown import opening, page, table
from peakwise.core.measurement import NUMBERS, Logged, Missing, Steps, StepTime, UsedPeak
from peakwise.core.series import COLUMNS

TEXTS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

# What a section of the page describes, and the keys that the code gives it.
SECTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "numbers": ("Each is a quantity `{value, unit, basis, source}` or null.", NUMBERS),
    "steps": ("Plain numbers, in optimizer steps except `records`.", tuple(Steps.__dataclass_fields__)),
    "step_s": ("Quantities, in seconds.", tuple(StepTime.__dataclass_fields__)),
    "logged": ("What the producer printed, in base units.", tuple(Logged.__dataclass_fields__)),
    "peak": ("Which peak MFU divides by.", tuple(UsedPeak.__dataclass_fields__)),
    "missing": (
        "One entry for each input that nobody gave.",
        tuple(name for name in Missing.__dataclass_fields__ if name != "placeholder"),
    ),
    "series": ("`run.series[NAME]`: one number per record, NaN where the record does not have it.", COLUMNS),
}


def write() -> str:
    """The page of columns. A key without a text, or a text without a key, is an error of these docs."""
    lines = opening(
        "Report columns",
        "The keys of `peakwise measure --json` (`peakwise.measure/1`) and the columns of `run.series`.",
    )
    for section, (sentence, keys) in SECTIONS.items():
        texts = TEXTS[section]
        if set(texts) != set(keys):
            raise ValueError(f"columns.toml [{section}] differs from the code: {sorted(set(texts) ^ set(keys))}")
        lines += [f"## {section}", "", sentence, ""]
        lines += table(["key", "what it is"], [(f"`{key}`", texts[key]) for key in keys])
    return page(lines)
