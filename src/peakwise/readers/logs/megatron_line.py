"""One iteration line of Megatron-LM and its forks, as numbers in base units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite, nan

from peakwise.core.units import from_ms, from_tera

# What stands before it may be a time stamp, a rank, a logger's words; nothing is asked of it.
START = re.compile(r"(?<![\w-])iteration\s+(\d{1,15})/\s*(\d{1,15})\s*\|")
# What tells an iteration line from other loggers' lines that count in the same way.
OWN_FIELDS = ("elapsed time per iteration (", "consumed samples:")

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
# A number is whole only where its bar follows; a fork prints the interval's and the running mean, of which the first
# is of this interval: "2800.0/2795.3" or "450.1 (avg 448.2)".
_END = rf"\s*({_NUMBER})(?:\s*/\s*{_NUMBER}|\s*\(avg {_NUMBER}\))?\s*\|"


def _field(label: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])" + label + r":?" + _END)


# Column, the label's first words (found fast), the label, and how a number becomes base units.
_FIELDS = (
    ("step_s", "elapsed time per", _field(r"elapsed time per iteration \(ms\)"), from_ms),
    ("step_s", "elapsed time per", _field(r"elapsed time per iteration \(s\)"), float),
    ("flop_per_s_per_device", " per GPU (TFLOP", _field(r"(?:throughput|compute) per GPU \(TFLOP/s/GPU\)"), from_tera),
    ("flop_per_s_per_device", "TFLOPs", _field("TFLOPs"), from_tera),
    ("tokens_per_s_per_device", "tokens per GPU", _field(r"tokens per GPU \(tokens/s/GPU\)"), float),
    ("tokens_per_s_per_device", "(tgs)", _field(r"tokens per gpu per second \(tgs\)"), float),
    ("samples_per_s", "samples per second", _field("samples per second"), float),
    ("global_batch", "global batch size", _field("global batch size"), float),
    ("n_samples", "consumed samples", _field("consumed samples"), float),
    ("n_tokens", "consumed tokens", _field("consumed tokens"), float),
    ("n_skipped", "skipped iterations", _field("number of skipped iterations"), float),
    ("loss", "loss", _field("(?:total |lm )?loss"), float),
)
COLUMNS = ("step", "stream", "time_s", *dict.fromkeys(column for column, *_ in _FIELDS))
_SEQ_LEN = _field("actual seqlen")

# The newest field of a line says which generation wrote it, newest first.
_GENERATIONS = (
    ("energy per GPU", "2025-06"),
    ("skipped samples", "2024-07"),
    ("TFLOP/s/GPU", "2023-11"),
    ("consumed samples:", "2020-12"),
    ("learning rate:", "2020"),
    ("learning rate ", "2019"),
)


def read_record(text: str) -> dict[str, float]:
    """The numbers of the line's text after the iteration; a number that is cut is left out. Placeholders are not."""
    record = dict[str, float]()
    for column, words, pattern, scale in _FIELDS:
        if words in text and column not in record:
            match = pattern.search(text)
            number = nan if match is None else scale(float(match.group(1)))
            if isfinite(number):
                record[column] = number
    return record


def read_seq_len(text: str) -> int | None:
    """Tokens of the sequences of this line, where a curriculum prints them."""
    match = _SEQ_LEN.search(text) if "actual seqlen" in text else None
    number = nan if match is None else float(match.group(1))
    return int(number) if isfinite(number) and number >= 1 else None


def read_generation(text: str, *, dated: bool) -> str:
    """Year and month since when lines look like this one; empty where it says nothing."""
    for words, generation in _GENERATIONS:
        if words in text:
            return "2024-03" if dated and generation == "2023-11" else generation
    return ""


def is_complete(text: str) -> bool:
    """Whether the line ends as an iteration line does, with a bar."""
    return text.rstrip().endswith("|")


def join_broken(first: str, rest: str) -> str:
    """A line that was broken, whole again. The break may have eaten a blank or stand inside a word or number."""
    glued, spaced = first + rest, f"{first} {rest}"
    return spaced if _weigh(spaced) > _weigh(glued) else glued


def _weigh(text: str) -> int:
    fields: Mapping[str, float] = read_record(text)
    return len(fields)
