"""The log of Megatron-LM and the forks that kept its iteration line."""

from __future__ import annotations

import re
from datetime import date
from itertools import islice

import numpy as np

from peakwise.core.errors import ReadError
from peakwise.core.series import Column, Series
from peakwise.core.units import S_PER_DAY, from_ms, from_tera
from peakwise.readers.logs import megatron_arguments, megatron_line
from peakwise.readers.logs.megatron_arguments import Arguments
from peakwise.readers.logs.table import Table
from peakwise.readers.logs.text import read_clock, read_rank, strip_colour
from peakwise.readers.protocol import CUT, Kind, Marked, Source

CAUSAL, FULL, PLAIN = "megatron@2025-03", "megatron@2023-11", "megatron@2023-11-4h"
BRIDGE, DEEPSPEED, EARLY_DEEPSPEED = "megatron_bridge", "megatron_deepspeed", "megatron_deepspeed@2021"
# The day from which Megatron-LM counts half of the attention square (8873b55d6a), in seconds since 1970.
CAUSAL_SINCE = float((date(2025, 3, 6) - date(1970, 1, 1)).days * S_PER_DAY)

# Printed after the iteration line of its step, by Megatron-DeepSpeed of 2021.
_EFFECTIVE = re.compile(r"Effective Tera Flops per GPU: (\d{1,15}(?:\.\d+)?) and total parameters")
# Printed before the iteration line of its step, by rank 0 of Megatron-Bridge.
_BRIDGE = re.compile(r"Step Time : (\d{1,15}(?:\.\d+)?)s GPU utilization: (\d{1,15}(?:\.\d+)?)(?:MODEL_)?TFLOP/s/GPU")
_EVENTS = (
    ("evaluation", "validation loss at"),
    ("evaluation", "Evaluating iter"),
    ("checkpoint", "saving checkpoint at"),
)
_MARKS = (
    "iteration",
    "Effective Tera Flops",
    "Step Time :",
    *megatron_arguments.MARKS,
    *(words for _, words in _EVENTS),
)
# What may stand before a line that a launcher brought here from another rank.
_LAUNCHER = re.compile(r"\s*(?:\[(?:rank|default)?\s?\d{1,7}\]:|\d{1,7}:(?=\s|$))\s?")
_BARE_RANK = re.compile(r"\s*\[(\d{1,7})\]:")
# What is looked at to recognise the log: so many lines, and of each so many letters.
_LOOKED_AT, _LINE = 1000, 2000
# A line is broken into at most so many pieces; a longer wait would swallow another line.
_PIECES = 8


class MegatronLM:
    """Reads the console log of Megatron-LM from 2019 on, and of its forks.

    Labels had no colon in 2019; consumed samples came in 2020-12, the throughput of one GPU in 2023-11, time stamps
    in 2024-03, energy in 2025-06. Each record is the mean since the record before. **Source** Megatron-LM,
    megatron/training/training.py, training_log; Megatron-DeepSpeed, megatron/utils.py; Megatron-Bridge, train_utils.py
    """

    name = "megatron-lm"
    kind: Kind = "training"

    def recognises(self, head: str, filename: str) -> bool:
        """Whether the text has the iteration line, the argument dump's banner, or Megatron-Bridge's step time."""
        del filename  # Megatron prints to the console; the name of the file says nothing
        text = strip_colour(head)
        starts = list(islice(megatron_line.START.finditer(text), _LOOKED_AT))
        if any(_is_own(text, start) for start in starts):
            return True
        banner = "- arguments -" in text or _BRIDGE.search(text) is not None
        return banner and not any(_is_neox(text, start) for start in starts)

    def read(self, source: Source) -> Series:
        """The records, times in seconds and rates in FLOP/s and tokens/s. **Raises** ReadError where there is none."""
        scan = _Scan(source)
        scan.run()
        if not len(scan.table):
            raise ReadError(
                "the log has no training record",
                where=source.shown,
                got=f"{scan.lines.number} line{'s' * (scan.lines.number != 1)} without one",
                expected="iteration N/ M | elapsed time per iteration (ms): T |",
            )
        columns = scan.table.columns
        scan.arguments.state(scan.table, columns.get("global_batch"))
        rules = _rules(scan, columns)
        return Series(
            producer=self.name,
            producer_name="Megatron-LM",
            generation=scan.generation,
            convention=rules[0] if rules else "",
            other_rules=rules[1:],
            spans="interval",
            columns=columns,
            resolution=scan.resolution,
            stated=scan.table.stated,
            config=scan.arguments.config(),
            events=scan.table.events,
            n_lines=scan.lines.number,
            n_skipped_lines=scan.n_skipped,
            source=source.shown,
        )


def _is_own(text: str, start: re.Match[str]) -> bool:
    """Whether an iteration line of this family starts here; a line may be broken at any place."""
    rest = text[start.end() : start.end() + _LINE].replace("\r", "\n")
    pieces = (rest.replace("\n", ""), rest.replace("\n", " "))
    return not _is_neox(text, start) and any(words in piece for piece in pieces for words in megatron_line.OWN_FIELDS)


def _is_neox(text: str, start: re.Match[str]) -> bool:
    """GPT-NeoX begins the same line with a rate of its own; its figures follow another rule."""
    before = text[text.rfind("\n", 0, start.start()) + 1 : start.start()]
    line = text[start.end() : start.end() + _LINE].partition("\n")[0]
    return "samples/sec:" in before or "approx flops per GPU" in line


def _stands_alone(text: str) -> bool:
    """Whether a line is something of its own and not the rest of a broken iteration line."""
    other = ("time (ms)", "....", "Effective Tera Flops", "Step Time :", *(words for _, words in _EVENTS))
    return any(words in text for words in other)


def _rules(scan: _Scan, columns: dict[str, Column]) -> tuple[str, ...]:
    """The rules that may be behind the log's FLOP/s, the likeliest first; by its own fields, else by its clock.

    A run may be younger than the code that it runs, never older.
    """
    if "flop_per_s_per_device" not in columns:
        return ()
    for rule in (EARLY_DEEPSPEED, DEEPSPEED, BRIDGE):
        if rule in scan.rules:
            return (rule,)
    if scan.generation >= "2025-06":  # the energy field is younger than the rule
        return (CAUSAL,)
    clock = columns.get("time_s")
    if clock is None or np.isnan(clock).all():
        return (FULL, CAUSAL, PLAIN)  # no time stamp: before 2024-03, or a copy without it
    return (CAUSAL, FULL, PLAIN) if float(np.nanmin(clock)) >= CAUSAL_SINCE else (FULL, PLAIN)


class _Scan:
    """One pass over the lines. `held`: by rank, a line that broke off and waits for its rest."""

    def __init__(self, source: Source) -> None:
        self.lines: Marked = source.marked(_MARKS)
        self.table = Table(megatron_line.COLUMNS)
        self.arguments = Arguments()
        self.resolution = {"step_s": from_ms(0.1), "flop_per_s_per_device": from_tera(0.1)}
        self.generation = ""
        self.rules: set[str] = set()
        self.n_skipped = 0
        self._held: dict[int, tuple[str, int]] = {}
        self._record: dict[str, float] | None = None  # waits for a figure that is printed after it
        self._bridge: dict[str, float] | None = None  # waits for the iteration line it was printed before

    def run(self) -> None:
        """Fills the table."""
        for line in self.lines:
            began = self._take(strip_colour(line))
            if began or self._held:  # the next line may be the rest of this one
                self.lines.follow()
        for text, _ in self._held.values():
            self._add(text)
        self._flush()
        if self._bridge is not None:
            self.table.add(self._bridge)

    def _take(self, text: str) -> bool:
        """Reads one line; whether an iteration line began on it."""
        starts = list(megatron_line.START.finditer(text))
        rank = _rank(text, starts[0].start() if starts else len(text))
        if starts:
            self._begin(text, starts, rank)
        elif not (self._held and self._continue(text, rank)) and not self.arguments.read(text):
            self._other(text)
        return bool(starts)

    def _begin(self, text: str, starts: list[re.Match[str]], rank: int) -> None:
        """Adds the records of a line; the last of them waits if it breaks off."""
        if rank in self._held:
            self._add(self._held.pop(rank)[0])
        ends = [match.start() for match in starts[1:]] + [len(text)]
        first = 0
        for end in ends:
            piece = text[first:end]
            first = end
            if end == len(text) and not megatron_line.is_complete(piece) and not piece.endswith(CUT):
                self._held[rank] = (piece, 1)
            else:
                self._add(piece)

    def _continue(self, text: str, rank: int) -> bool:
        """Whether the line is the rest of one that waits. Lines between the two pieces belong to other ranks."""
        key = rank if rank in self._held else next(reversed(self._held))
        held, n_pieces = self._held[key]
        rest = _LAUNCHER.sub("", text, count=1)
        whole = megatron_line.join_broken(held, rest)
        bar = whole.rstrip(CUT).rstrip().endswith("|")
        if _stands_alone(text) or not ("|" in rest or bar):
            if n_pieces >= _PIECES or rank == key:
                self._add(self._held.pop(key)[0])
            else:
                self._held[key] = (held, n_pieces + 1)
            return False
        del self._held[key]
        if bar or whole.endswith(CUT) or n_pieces >= _PIECES:
            self._add(whole)
        else:
            self._held[key] = (whole, n_pieces + 1)
        return True

    def _add(self, text: str) -> None:
        """One record. It stays open, for a figure may be printed after it."""
        start = megatron_line.START.search(text)
        assert start is not None  # only lines with a start come here
        self._flush()
        record = megatron_line.read_record(text[start.end() - 1 :])
        record["step"] = float(start.group(1))
        record["stream"] = float(_rank(text, start.start()))
        clock = read_clock(text, start.start())
        if clock is not None:
            record["time_s"] = clock[0]
            self.resolution["time_s"] = max(self.resolution.get("time_s", 0.0), clock[1])
        self._describe(text, dated=clock is not None)
        if self._bridge is not None:
            record = self._bridge | record
            self._bridge = None
        self._record = record

    def _describe(self, text: str, *, dated: bool) -> None:
        """What the line says of its generation and rule."""
        generation = megatron_line.read_generation(text, dated=dated)
        self.generation = max(self.generation, generation)
        if "TFLOPs:" in text:
            self.rules.add(DEEPSPEED)
        length = megatron_line.read_seq_len(text)
        if length is not None:
            self.table.state("seq_len", length, "actual seqlen in the log")

    def _flush(self) -> None:
        if self._record is not None:
            self.table.add(self._record)
            self._record = None

    def _other(self, text: str) -> None:
        """A line that is neither a record nor an argument: a figure beside a record, or an event."""
        match = _EFFECTIVE.search(text)
        if match is not None:
            if self._record is not None:
                self._record["flop_per_s_per_device"] = from_tera(float(match.group(1)))
                self.resolution["flop_per_s_per_device"] = from_tera(0.01)
                self.rules.add(EARLY_DEEPSPEED)
            return
        match = _BRIDGE.search(text)
        if match is not None:
            self._flush()
            if self._bridge is not None:  # no iteration line came: this rank's file has none
                self.table.add(self._bridge)
            step_s, flop = (float(number) for number in match.groups())
            self._bridge = {"step_s": step_s, "flop_per_s_per_device": from_tera(flop), "stream": -1.0}
            self.rules.add(BRIDGE)
            return
        for kind, words in _EVENTS:
            if words in text:
                self._flush()
                self.table.note(kind)
                return
        if "|" in text and "time (ms)" not in text:
            self._rest(text)

    def _rest(self, text: str) -> None:
        """Fields without a beginning: of the open record, if it broke after a bar and has none of them; else a record
        without a number, if their time is whole."""
        rank = float(_rank(text, len(text)))
        record = megatron_line.read_record(_LAUNCHER.sub("", text, count=1))
        if (
            self._record is not None
            and not record.keys() & self._record.keys()
            and rank in (-1, self._record["stream"])
        ):
            self._record |= record
            self._describe(text, dated="time_s" in self._record)
        elif "step_s" in record:
            self._flush()
            self._record = record | {"stream": rank}
        elif megatron_line.OWN_FIELDS[0] in text:
            self.n_skipped += 1


def _rank(text: str, end: int) -> int:
    """The rank that a launcher wrote before position `end`; -1 where it wrote none."""
    match = _BARE_RANK.match(text, 0, end)
    return read_rank(text, end) if match is None else int(match.group(1))
