"""The torchtitan log: one line of per-device means each logging interval."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import NamedTuple

from peakwise.core.errors import ReadError
from peakwise.core.series import Series
from peakwise.core.units import from_percent, from_tera
from peakwise.readers.logs.table import Table
from peakwise.readers.logs.text import NUMBER, read_clock, read_number, read_rank, strip_colour
from peakwise.readers.protocol import CUT, Kind, Source

COLUMNS = ("step", "stream", "time_s", "tokens_per_s_per_device", "flop_per_s_per_device", "mfu", "loss")

# A training record; what stands before it is looked at where it is used, a plain beginning is found fastest.
_RECORD = re.compile(r"step:\s*(\d{1,15})\s+(?=[a-z_]+:)")
# The same as most lines have it: one record, whole, to the end of the line.
_WHOLE = re.compile(
    rf"step:(?<![a-z_.]step:)(?<!validate step:)\s*(\d{{1,15}})\s+loss:\s*({NUMBER})\s+"
    rf"(?:grad_norm:\s*\S+\s+)?(?:memory:\s*\S+\s+)?[wt]ps:\s*({NUMBER})\s+(?:tflops:\s*({NUMBER})\s+)?mfu:\s*({NUMBER})%\s*$"
)
_VALUE = re.compile(rf"\s*({NUMBER})")
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz_.")
# The whole grammar, for logs whose "[titan]" was cut away.
_GRAMMAR = re.compile(
    r"(?<![\w.])step:\s*\d+\s+loss:\s*\S+\s+(?:grad_norm:\s*\S+\s+|memory:\s*\S+GiB\([\d.]+%\)\s+){0,2}(?:wps|tps):\s*\d"
)
_NAMES = re.compile(r"device mesh with \[([^\]]*)\], \[([\d, ]+)\]")
_DEGREES = re.compile(r"device mesh with parallelism: (.*)")
# Degrees whose product is the number of devices; expert degrees reuse these ranks.
_RANKS = ("pp", "dp_replicate", "dp_shard", "cp", "tp")
# Key, the word that a line must have, and where in it the fact stands.
_FACTS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("chip", " capacity: ", re.compile(r"(?:[A-Z]+) capacity: (.+?)(?: \(\d+\))? with [\d.]+\s?GiB")),
    ("model", " size: ", re.compile(r"Model (\S+ \S+) size: [\d,]+ total parameters")),
    ("n_params", " size: ", re.compile(r"Model \S+ \S+ size: ([\d,]+) total parameters")),
    ("peak_flop_per_s", "Peak FLOPS", re.compile(rf"Peak FLOPS used for computing MFU: ({NUMBER})")),
    ("global_batch", "batch size", re.compile(r"global batch size (\d+),")),
    ("seq_len", "sequence length", re.compile(r"sequence length (\d+),")),
    ("recompute", "checkpointing", re.compile(r"Applied (full) activation checkpointing")),
)
_EIGHT_BITS = ("loat8", "MXFP8")
_FLOAT8 = re.compile(r"Swapped to (?:Float8|MXFP8)|(?:Float8|MXFP8)\w* (?:training|layers) (?:active|enabled)", re.I)
_EVENTS = (("evaluation", "validate step:"), ("checkpoint", "aving the checkpoint"), ("profiler", "profiler traces"))
# Words of which a line must have one to matter; the rest is passed over without a look.
_WORDS = ("step:", "capacity:", " size: ", "Peak FLOPS", "batch size", "checkpoint", "mesh with", "profiler")
_MARKS = (*_WORDS, *_EIGHT_BITS)


class Torchtitan:
    """Reads torchtitan's console log in all its generations.

    `wps` became `tps` in 2024-11, `tflops` came in 2025-02, `grad_norm` in 2025-06, `mfu: N/A` in 2026-02.
    Rates are per device and the mean since the record before. **Source** torchtitan/components/metrics.py
    """

    name = "torchtitan"
    kind: Kind = "training"

    def recognises(self, head: str, filename: str) -> bool:
        """Whether the text has torchtitan's logger name or its record."""
        del filename  # torchtitan prints to the console; the name of the file says nothing
        if "[titan]" in head:
            return True
        lines = (line[:1000] for line in head.splitlines() if "step:" in line)
        return any(_GRAMMAR.search(strip_colour(line)) for line in lines)

    def read(self, source: Source) -> Series:
        """The records, rates in FLOP/s, tokens/s and fractions. **Raises** ReadError where there is none."""
        table, resolution = Table(COLUMNS), {"tokens_per_s_per_device": 1.0, "flop_per_s_per_device": from_tera(0.01)}
        resolution["mfu"] = from_percent(0.01)  # two decimals of a percentage
        found = _scan(source, table, resolution)
        if not len(table):
            raise ReadError(
                "the log has no training record",
                where=source.shown,
                got=f"{found.n_lines} line{'s' * (found.n_lines != 1)} without one",
                expected="step: N  loss: x",
            )
        return Series(
            producer=self.name,
            producer_name="torchtitan",
            generation=found.generation,
            convention="torchtitan",
            spans="interval",
            columns=table.columns,
            resolution=resolution,
            stated=table.stated,
            events=table.events,
            n_lines=found.n_lines,
            n_skipped_lines=found.n_skipped,
            source=source.shown,
        )


class _Scan(NamedTuple):
    """What one pass over the lines found beside the records."""

    generation: str
    n_lines: int
    n_skipped: int


def _scan(source: Source, table: Table, resolution: dict[str, float]) -> _Scan:
    """Fills the table. A record that breaks off before its rates waits for the next line, which may be its rest."""
    generation, n_skipped, torn = "", 0, ""
    lines = source.marked(_MARKS)
    for line in lines:
        text = strip_colour(line)
        if not torn and _add_whole(text, table, resolution):
            generation = generation or _generation(text)
            continue
        starts = _find_records(text)
        if torn and not starts and _has_rate(text, 0) and read_clock(text, len(text)) is None:
            text = torn + ("" if torn.endswith(_LETTERS) else " ") + text  # the break may be inside a label
            starts = _find_records(text)
        elif torn:
            _add(torn, _find_records(torn), table, resolution)
        torn = text if starts and not text.endswith(CUT) and not _has_rate(text, starts[-1].end()) else ""
        if torn:
            lines.follow()
        elif starts:
            _add(text, starts, table, resolution)
            generation = generation or _generation(text)
        else:
            n_skipped += _state(text, table)
    if torn:
        _add(torn, _find_records(torn), table, resolution)
    return _Scan(generation, lines.number, n_skipped)


def _find_records(text: str) -> list[re.Match[str]]:
    """Where the records of a line begin; "validate step:" begins none."""
    if "step:" not in text:
        return []
    found = _RECORD.finditer(text)
    return [match for match in found if not text.endswith(("validate ", *_LETTERS), 0, match.start())]


def _has_rate(text: str, start: int) -> bool:
    """Whether a rate's label stands in the text from `start` on."""
    return any(text.find(label, start) >= 0 for label in ("tps:", "wps:", "tflops:", "mfu:"))


def _add_whole(text: str, table: Table, resolution: dict[str, float]) -> bool:
    """Adds the record of a line that is as most are; False where the line needs a closer look."""
    match = _WHOLE.search(text)
    if match is None or text.find("step:", 0, match.start()) >= 0:
        return False
    step, loss, rate, flop, mfu = match.groups()
    record = _head(text, step, match.start(), resolution)
    record["loss"] = read_number(loss)
    record["tokens_per_s_per_device"] = read_number(rate)
    record["mfu"] = from_percent(read_number(mfu))
    if flop is not None:
        record["flop_per_s_per_device"] = from_tera(read_number(flop))
    table.add(record)
    return True


def _head(text: str, step: str, start: int, resolution: dict[str, float]) -> dict[str, float]:
    """The step, and from what stands before position `start` the rank and the clock."""
    record = {"step": float(step), "stream": float(read_rank(text, start))}
    clock = read_clock(text, start)
    if clock is not None:
        record["time_s"], unit = clock
        if unit > resolution.get("time_s", 0.0):
            resolution["time_s"] = unit
    return record


def _add(text: str, starts: list[re.Match[str]], table: Table, resolution: dict[str, float]) -> None:
    """Adds every record of one line."""
    for index, match in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        record = _head(text, match.group(1), match.start(), resolution)
        for label, (column, convert) in _COLUMN_OF.items():
            place = text.find(label, match.end() - 1, end)
            number = None if place < 0 else _VALUE.match(text, place + len(label))
            if number is not None:
                record[column] = convert(read_number(number.group(1)))
        table.add(record)


_COLUMN_OF: dict[str, tuple[str, Callable[[float], float]]] = {
    "loss:": ("loss", float),
    " wps:": ("tokens_per_s_per_device", float),
    " tps:": ("tokens_per_s_per_device", float),
    " tflops:": ("flop_per_s_per_device", from_tera),
    " mfu:": ("mfu", from_percent),
}


def _state(text: str, table: Table) -> int:
    """Notes the facts and events of a line without a record; gives 1 where it has a record's words and is none."""
    for key, word, pattern in _FACTS:
        match = pattern.search(text) if word in text else None
        if match is not None:
            table.state(key, _value(key, match.group(1)), "stated in the log")
    devices = _count_devices(text) if "device mesh" in text else 0
    if devices:
        table.state("n_devices", devices, "device mesh in the log")
    if any(word in text for word in _EIGHT_BITS) and _FLOAT8.search(text):
        table.state("precision", "fp8", "stated in the log")
    for kind, words in _EVENTS:
        if words in text:
            table.note(kind)
    return int("step:" in text and "validate step:" not in text and _has_rate(text, 0))


def _value(key: str, text: str) -> int | float | str:
    if key in ("n_params", "global_batch", "seq_len"):
        return int(text.replace(",", ""))
    return read_number(text) if key == "peak_flop_per_s" else text.strip()


def _count_devices(text: str) -> int:
    """The devices of the mesh line: the product of its degrees; 0 where the line is none."""
    match = _NAMES.search(text)
    if match is not None:
        return prod(int(size) for size in match.group(2).split(",") if size.strip())
    match = _DEGREES.search(text)
    if match is None:
        return 0
    degrees = dict(re.findall(r"(\w+)=(\d+)", match.group(1)))
    return prod(int(degrees[name]) for name in _RANKS) if all(name in degrees for name in _RANKS) else 0


def _generation(text: str) -> str:
    """Which generation wrote the record, by its fields."""
    if not _RECORD.search(text):
        return ""
    for mark, generation in (("mfu: N/A", "2026-02"), ("grad_norm:", "2025-06"), ("tflops:", "2025-02")):
        if mark in text:
            return generation
    return "2024-11" if "tps:" in text else "2024" if "wps:" in text else ""
