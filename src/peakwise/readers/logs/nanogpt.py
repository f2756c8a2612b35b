"""The nanoGPT log: the time of one iteration, printed every few iterations."""

from __future__ import annotations

import re

from peakwise.core.errors import ReadError
from peakwise.core.series import Series
from peakwise.core.units import MEGA, from_ms, from_percent, from_tera
from peakwise.readers.logs.launch import LAUNCH_MARKS, read_launch
from peakwise.readers.logs.table import Table
from peakwise.readers.logs.text import NUMBER, read_clock, read_number, read_rank, strip_colour
from peakwise.readers.protocol import CUT, Kind, Source

COLUMNS = ("step", "stream", "time_s", "step_s", "tokens_per_step", "mfu", "loss")

PEAK = from_tera(312)  # FLOP/s: the A100's, whatever the chip; nanoGPT model.py, estimate_mfu

_RECORD = re.compile(r"(?<![\w.])iter (\d{1,15}): (?=loss)")
# The same as most lines have it: one record, whole, from the line's beginning to its end.
_WHOLE = re.compile(rf"iter (\d{{1,15}}): loss ({NUMBER}), time (\d+\.\d+)ms(?:, mfu (-?\d+\.\d+)%)?$")
_HEAD = re.compile(r"(?<![\w.])iter (?:\d{1,15}(?:: ?l?o?s?)?)?$")  # of a record that breaks off before its loss
_LOSS = re.compile(rf"loss ({NUMBER}|nan|inf)")
_TIME = re.compile(r"time ([-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)ms")
_MFU = re.compile(rf"mfu ({NUMBER})%")
_GRAMMAR = re.compile(r"(?<![\w.])iter \d+: loss (?:[\d.]+(?:e[-+]?\d+)?|nan|inf), time [\d.,]+ms")
_TOKENS = re.compile(rf"tokens per iteration will be: ({NUMBER})")
_PARAMS = re.compile(r"number of parameters: (\d{1,9}\.\d\d)M")
_PRETRAINED = re.compile(r"Initializing from OpenAI GPT-2 weights: (gpt2[\w-]*)")
# `name = value` of a config file that is printed, and `Overriding: name = value` of a flag.
_CONFIG = re.compile(r"(?:^|Overriding: )(block_size|n_layer|n_head|n_embd|bias) = (\d{1,9}|True|False)(?=\s|$)")
_VOCABULARY = re.compile(r"(?:found vocab_size = |vocab_size of GPT-2 to )(\d{1,9})(?=\s|$)")
_EVENT = re.compile(r"(?<![\w.])step \d+: train loss |saving checkpoint to ")
_MARKS = (
    "iter ",
    "ms, mfu",
    "tokens per iteration",
    "number of parameters",
    "GPT-2 weights",
    "block_size",
    "n_layer",
    "n_head",
    "n_embd",
    "bias = ",
    "vocab_size",
    "train loss",
    "saving checkpoint",
    *LAUNCH_MARKS,
)


class NanoGpt:
    """Reads the console log of nanoGPT's train.py, with and without `mfu`.

    The time is of one iteration, with all its micro-steps; `mfu` is per device, a smoothed mean, over the A100's peak.
    **Source** nanoGPT train.py and model.py
    """

    name = "nanogpt"
    kind: Kind = "training"

    def recognises(self, head: str, filename: str) -> bool:
        """Whether the text has nanoGPT's record."""
        del filename  # nanoGPT prints to the console; the name of the file says nothing
        lines = (line[:1000] for line in head.splitlines() if "iter " in line)
        return any(_GRAMMAR.search(strip_colour(line)) for line in lines)

    def read(self, source: Source) -> Series:
        """The records, times in s, MFU as a fraction. **Raises** ReadError where there is none."""
        found = _Scan()
        found.run(source)
        table = found.table
        if not len(table):
            raise ReadError(
                "the log has no training record",
                where=source.shown,
                got=f"{found.n_lines} line{'s' * (found.n_lines != 1)} without one",
                expected="iter N: loss x, time yms",
            )
        if "mfu" in table.columns:
            table.state("peak_flop_per_s", PEAK, "nanoGPT's constant, the A100's")
        return Series(
            producer=self.name,
            producer_name="nanoGPT",
            generation=found.generation,
            convention="nanogpt",
            spans="step",
            columns=table.columns,
            resolution=found.resolution,
            stated=table.stated,
            config=found.config,
            events=table.events,
            n_lines=found.n_lines,
            n_skipped_lines=found.n_skipped,
            source=source.shown,
        )


class _Scan:
    """One pass over the lines. `generation`: `mfu` was added in 2023-02."""

    def __init__(self) -> None:
        self.table = Table(COLUMNS)
        self.resolution = {"step_s": from_ms(0.01), "mfu": from_percent(0.01)}  # two decimals each
        self.generation = "2022-12"
        self.n_lines = self.n_skipped = 0
        self._always: dict[str, float] = {}  # what every record from here on has
        self._config: dict[str, object] = {}
        self._n_params = 0

    def run(self, source: Source) -> None:
        """Fills the table. A record that breaks off before its time waits for the next line, which may be its rest."""
        torn, lines = "", source.marked(_MARKS)
        for line in lines:
            whole = None if torn else _WHOLE.match(line)
            if whole is not None:
                self._add_whole(*whole.groups())
                continue
            text = strip_colour(line)
            if torn and not _RECORD.search(text) and _TIME.search(torn + text):
                text = torn + text
            elif torn:
                self._see(torn)
            torn = text if _is_torn(text) else ""
            if torn:
                lines.follow()
            else:
                self._see(text)
        self._see(torn)
        self.n_lines = lines.number
        length, width = self._config.get("block_size"), self._config.get("n_embd")
        if isinstance(length, int):
            self.table.state("seq_len", length, "block_size in the log")
        if self._n_params and isinstance(length, int) and isinstance(width, int):
            self._n_params += length * width  # the log leaves the positions out
        if self._n_params:
            self.table.state("n_params", self._n_params, "number of parameters in the log")

    @property
    def config(self) -> dict[str, object]:
        """The model's fields, where the log has all that shape it. Of those it does not print, `bias` alone has its
        default: it hardly counts."""
        whole = {"block_size", "n_layer", "n_head", "n_embd", "vocab_size"} <= self._config.keys()
        return {"bias": False, **self._config} if whole else {}  # the default of nanoGPT train.py

    def _see(self, text: str) -> None:
        """Takes the records of a line, or what else it says."""
        starts = list(_RECORD.finditer(text))
        ends = [*(match.start() for match in starts[1:]), len(text)]
        for match, end in zip(starts, ends, strict=False):
            self._add(text, match, end)
        if starts:
            self.generation = "2023-02" if ", mfu " in text else self.generation
            return
        setting, vocabulary, tokens = _CONFIG.search(text), _VOCABULARY.search(text), _TOKENS.search(text)
        if setting is not None:  # a flag is printed after the file, and wins
            value = setting.group(2)
            self._config[setting.group(1)] = int(value) if value.isdigit() else value == "True"
        if vocabulary is not None:
            self._config["vocab_size"] = int(vocabulary.group(1))
        if tokens is not None:
            self._always["tokens_per_step"] = read_number(tokens.group(1))
        params = _PARAMS.search(text)
        if params is not None:
            self._n_params = round(float(params.group(1)) * MEGA)
        self.n_skipped += _state(text, self.table)

    def _add_whole(self, step: str, loss: str, time: str, mfu: str | None) -> None:
        """Adds the record of a line that is as most are."""
        record = {**self._always, "step": float(step), "stream": -1.0, "loss": read_number(loss)}
        record["step_s"] = from_ms(float(time))
        if mfu is not None:
            self.generation = "2023-02"
            if float(mfu) >= 0:
                record["mfu"] = from_percent(float(mfu))
        self.table.add(record)

    def _add(self, text: str, match: re.Match[str], end: int) -> None:
        """Adds the record that stands between a match and an end."""
        record = {**self._always, "step": float(match.group(1)), "stream": float(read_rank(text, match.start()))}
        clock = read_clock(text, match.start())
        if clock is not None:
            record["time_s"] = clock[0]
            self.resolution["time_s"] = max(self.resolution.get("time_s", 0.0), clock[1])
        loss, time, mfu = (pattern.search(text, match.end(), end) for pattern in (_LOSS, _TIME, _MFU))
        if loss is not None:
            record["loss"] = read_number(loss.group(1))
        if time is not None:
            record["step_s"] = from_ms(read_number(time.group(1)))
        if mfu is not None and read_number(mfu.group(1)) >= 0:  # -100 % until the fifth iteration: no figure yet
            record["mfu"] = from_percent(read_number(mfu.group(1)))
        self.table.add(record)


def _is_torn(text: str) -> bool:
    """Whether a line breaks off in its last record: in its head, before its time, or in its MFU."""
    if text.endswith(CUT):
        return False
    starts = list(_RECORD.finditer(text))
    if not starts:
        return _HEAD.search(text) is not None
    time = _TIME.search(text, starts[-1].start())
    return time is None or (text.find(",", time.end()) >= 0 and _MFU.search(text, time.end()) is None)


def _state(text: str, table: Table) -> int:
    """Notes the facts and events of a line without a record; gives 1 where it has a record's words and is none."""
    event = _EVENT.search(text)
    if event is not None:
        table.note("checkpoint" if event.group().startswith("saving") else "evaluation")
        return 0
    pretrained = _PRETRAINED.search(text)
    if pretrained is not None:
        table.state("model", pretrained.group(1), "stated in the log")
    devices = read_launch(text)
    if devices:
        table.state("n_devices", devices, "launch command in the log")
    return int(_TIME.search(text) is not None and "mfu" in text)
