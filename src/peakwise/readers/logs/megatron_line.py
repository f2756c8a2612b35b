"""One iteration line of Megatron-LM and its forks, as numbers in base units."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite, nan

from peakwise.core.units import from_ms, from_tera

# What stands before it may be a time stamp, a rank, a logger's words; nothing is asked of it.
START = re.compile(r"(?<![\w-])iteration\s+(\d{1,15})/\s*(\d{1,15})\s*\|")
# What tells an iteration line from other loggers' lines that count in the same way.
OWN_FIELDS = ("elapsed time per iteration (", "consumed samples:")

# A fork prints the interval's figure and the running mean, of which the first is of this interval:
# "2800.0/2795.3" or "450.1 (avg 448.2)".
_FIRST = re.compile(r"\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(?:/|\(avg )")

# Column of each label, and how its number becomes base units.
_FIELDS: dict[str, tuple[str, Callable[[float], float]]] = {
    "elapsed time per iteration (ms)": ("step_s", from_ms),
    "elapsed time per iteration (s)": ("step_s", float),
    "throughput per GPU (TFLOP/s/GPU)": ("flop_per_s_per_device", from_tera),
    "compute per GPU (TFLOP/s/GPU)": ("flop_per_s_per_device", from_tera),
    "TFLOPs": ("flop_per_s_per_device", from_tera),
    "tokens per GPU (tokens/s/GPU)": ("tokens_per_s_per_device", float),
    "tokens per gpu per second (tgs)": ("tokens_per_s_per_device", float),
    "samples per second": ("samples_per_s", float),
    "global batch size": ("global_batch", float),
    "consumed samples": ("n_samples", float),
    "consumed tokens": ("n_tokens", float),
    "number of skipped iterations": ("n_skipped", float),
    "lm loss": ("loss", float),
    "loss": ("loss", float),
    "total loss": ("loss", float),
}
COLUMNS = ("step", "stream", "time_s", *dict.fromkeys(column for column, _ in _FIELDS.values()))
_SEQ_LEN = "actual seqlen"

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
    """The numbers of the line's text after the iteration. A number is whole only where its bar follows."""
    record = dict[str, float]()
    for part in text.split("|")[:-1]:
        label, value = _split(part)
        field = _FIELDS.get(label)
        if field is not None and field[0] not in record:
            number = field[1](_read_number(value))
            if isfinite(number):
                record[field[0]] = number
    return record


def read_seq_len(text: str) -> int | None:
    """Tokens of the sequences of this line, where a curriculum prints them."""
    if _SEQ_LEN not in text:
        return None
    values = (value for label, value in map(_split, text.split("|")[:-1]) if label == _SEQ_LEN)
    number = _read_number(next(values, ""))
    return int(number) if isfinite(number) and number >= 1 else None


def _split(part: str) -> tuple[str, str]:
    """Label and value; in 2019 labels had no colon after them."""
    label, colon, value = part.rpartition(":")
    if not colon:
        label, _, value = part.strip().rpartition(" ")
    return label.strip(), value


def _read_number(text: str) -> float:
    """The first number of a value; NaN where it is none."""
    match = _FIRST.match(text) if "/" in text or "(" in text else None
    try:
        return float(text if match is None else match.group(1))
    except ValueError:
        return nan


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
    return len(read_record(text))
