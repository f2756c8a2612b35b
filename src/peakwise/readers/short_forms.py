"""Short forms of a speed that a person copies out of a log or a report: a label and a number, a key and its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from peakwise.core.records import Record
from peakwise.core.units import EXA, GIGA, KILO, MEGA, PETA, TERA, from_ms

_NUMBER = r"\s*['\"]?(?P<n{place}>\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d{{1,3}})?)(?![\d.])\s*"

_FLOPS = {"": 1.0, "K": KILO, "k": KILO, "M": MEGA, "G": GIGA, "T": TERA, "P": PETA, "E": EXA, "m": 1 / KILO}
_TIMES = {"s": 1.0, "ms": from_ms(1), "us": from_ms(from_ms(1))}


class Mark(NamedTuple):
    """A label, as a regular expression, and the column of the number after it.

    `units`: base units in each suffix; `after` is the regular expression of the suffix, its group named `u`.
    `opens`: whether the label alone tells the producer.
    """

    column: str
    label: str
    units: Mapping[str, float] = {"": 1.0}
    after: str = "(?P<u{place}>)"
    opens: bool = True


class Form(NamedTuple):
    """How one producer writes a speed: its name, its labels, and what ends a record."""

    name: str
    marks: tuple[Mark, ...]
    end: str

    def read(self, text: str) -> tuple[Record, ...]:
        """The records in the order they stand; a label that comes again begins the next record."""
        records: list[dict[str, float]] = [{}]
        opened: set[int] = set()
        for match in _compile(self).finditer(text):
            place = next((place for place in range(len(self.marks)) if match[f"n{place}"]), None)
            if place is None:  # the end of a record
                records += [{}] if records[-1] else []
                continue
            mark = self.marks[place]
            if mark.column in records[-1]:
                records.append({})
            value = float(match[f"n{place}"].replace(",", "")) * mark.units[match[f"u{place}"] or ""]
            records[-1][mark.column] = value
            if mark.opens:
                opened.add(len(records) - 1)
        return tuple(Record(**found) for at, found in enumerate(records) if at in opened)


def _compile(form: Form) -> re.Pattern[str]:
    parts = [f"(?:{mark.label})" + (_NUMBER + mark.after).format(place=place) for place, mark in enumerate(form.marks)]
    return re.compile("|".join([*parts, form.end]))


_KEY = r"['\"]?\s*[:=]"
_FLOPS_AFTER = r"(?P<u{place}>[KkMGTPEm]?)(?:FLOPS)?(?![A-Za-z])"

# Source: deepspeed/profiling/flops_profiler/profiler.py, print_model_profile; its figures of one pass alone ("fwd FLOPS
# per GPU") are no speed of a step. deepspeed/autotuning writes FLOPS_per_gpu in FLOP/s.
DEEPSPEED = Form(
    name="deepspeed",
    marks=(
        Mark(
            column="flop_per_s_per_device",
            label=r"(?<![\w+] )FLOPS per GPU(?: = [^:\n]{0,90})?['\"]?\s*:",
            units=_FLOPS,
            after=_FLOPS_AFTER,
        ),
        Mark(column="flop_per_s_per_device", label="FLOPS_per_gpu" + _KEY, units=_FLOPS, after=_FLOPS_AFTER),
        Mark(
            column="step_s",
            label=r"iter latency['\"]?\s*:",
            units=_TIMES,
            after=r"(?P<u{place}>ms|us|s)(?![A-Za-z])",
        ),
        Mark(column="examples_per_s", label=r"samples/second['\"]?\s*:", opens=False),
    ),
    end=r"DeepSpeed Flops Profiler|\}",
)

# Source: keys that parsers of Megatron-LM's console log give its two figures.
MEGATRON_KEYS = Form(
    name="megatron-lm",
    marks=(
        Mark(
            column="flop_per_s_per_device",
            label=r"(?<!\w)throughput_per_gpu_tflops" + _KEY,
            units={"": TERA},
        ),
        Mark(
            column="step_s",
            label=r"(?<!\w)elapsed_time_per_iteration_ms" + _KEY,
            units={"": from_ms(1)},
            opens=False,
        ),
    ),
    end=r"\}",
)

# Source: torchtune/training/metric_logging.py, DiskLogger: one line a step, `Step 1 | name:value name:value`.
TORCHTUNE = Form(
    name="torchtune",
    marks=(
        Mark(
            column="tokens_per_s_per_device",
            label=r"(?m:^|(?<=\s))Step\s{1,4}\d{1,12}\s{0,4}\|[^\n|]{0,400}?\stokens_per_second_per_gpu:",
        ),
    ),
    end=r"\n",
)

# Source: the columns of NVIDIA's performance summaries of NeMo and Megatron-Bridge, as label and value.
NEMO = Form(
    name="nemo",
    marks=(
        Mark(column="flop_per_s_per_device", label=r"Model TFLOPS? ?/ ?sec ?/ ?GPU\s*[:=]", units={"": TERA}),
        Mark(column="tokens_per_s_per_device", label=r"Tokens ?/ ?sec ?/ ?GPU\s*[:=]", opens=False),
    ),
    end=r"\n\s*\n",
)

FORMS: tuple[Form, ...] = (DEEPSPEED, MEGATRON_KEYS, NEMO, TORCHTUNE)
