"""The log of the Hugging Face Trainer and of what is built on it: one dict each logging interval."""

from __future__ import annotations

import re

from peakwise.core.series import Series
from peakwise.readers.logs.hf_config import MARK as CONFIG_MARK
from peakwise.readers.logs.hf_config import ConfigBlock
from peakwise.readers.logs.hf_dicts import FoundDict, find_dicts
from peakwise.readers.logs.hf_facts import BANNER, MARKS, Banner, find_event, state_facts
from peakwise.readers.logs.hf_progress import MARK, Bars
from peakwise.readers.logs.hf_rows import Rows
from peakwise.readers.logs.hf_values import Sort, sort_dict
from peakwise.readers.logs.text import read_clock, read_rank, strip_colour
from peakwise.readers.logs.trainer_state import is_state, read_state
from peakwise.readers.protocol import CUT, Kind, Source

# Keys of which a dict of the Trainer has two: a loss with where it stands, a speed with its like.
_STANDS = {"epoch", "learning_rate", "lr", "global_step", "global_step/max_steps", "current_steps", "grad_norm"}
_SPEEDS = {
    *("train_runtime", "train_samples_per_second", "train_steps_per_second", "train_loss", "train_step_runtime"),
    *("train_step_samples_per_second", "eval_runtime", "eval_samples_per_second", "eval_steps_per_second"),
}
# A line of the table after the last dict.
_TABLE = re.compile(r"^\s*(train_\w{1,60}|total_flos)\s+= +(.{1,60}?)\s*\x00?$")
_DICT_MARKS = ("{'", '{"', "': ", "'}", "train_", "total_flos")
# Parts of a dict that a narrow terminal broke into lines: so many at most, so long together (characters).
MOST_PARTS, LONGEST_DICT = 24, 8192


class HfTrainer:
    """Reads the Trainer's console log and its JSON files; ms-swift, LLaMA-Factory, TRL, Unsloth and callbacks too.

    A dict is the mean since the dict before. The Trainer prints no step time: it comes from callbacks or from
    differences of its own clock, never from a bar's rate. **Source** transformers/trainer.py, trainer_callback.py
    """

    name = "hf-trainer"
    kind: Kind = "training"

    def recognises(self, head: str, filename: str) -> bool:
        """Whether the text has a dict of the Trainer, its banner, its table or its state."""
        del filename  # the console log has any name
        if is_state(head):
            return True
        if BANNER in head and "Total optimization steps" in head:
            return True
        if "***** train metrics *****" in head and "train_samples_per_second" in head:
            return True
        lines = (line[:LONGEST_DICT] for line in head.splitlines() if "{'" in line or '{"' in line)
        return any(_is_ours(found) for line in lines for found in find_dicts(strip_colour(line)))

    def read(self, source: Source) -> Series:
        """The records: times in s, rates a second; none where the log has no dict with a step, a time or a rate."""
        rows = Rows()
        n_lines = _read_entries(source, rows) if is_state(source.head) else _scan(source, rows)
        rows.finish()
        return Series(
            producer=self.name,
            producer_name="HF Trainer",
            generation="",
            convention="",  # it prints no FLOP/s and no MFU
            spans="interval",
            columns=rows.table.columns,
            resolution=rows.resolution,
            stated=rows.table.stated,
            config=rows.config,
            events=rows.table.events,
            n_lines=n_lines,
            source=source.shown,
        )


def _is_ours(found: FoundDict) -> bool:
    keys = found.values.keys()
    return ("loss" in keys and not _STANDS.isdisjoint(keys)) or len(_SPEEDS & keys) >= 2


def _read_entries(source: Source, rows: Rows) -> int:
    """Takes the records of a state; gives their number."""
    entries = read_state(source)
    for values in entries:
        rows.take(values, None, {})
    return len(entries)


def _scan(source: Source, rows: Rows) -> int:
    """Takes the dicts of a log with the bars, facts and events between them; gives the number of lines."""
    bars, banner, config = Bars(), Banner(), ConfigBlock()
    torn, parts = "", 0
    lines = source.marked((*_DICT_MARKS, MARK, CONFIG_MARK, *MARKS))
    for line in lines:
        if config.see(line):
            lines.follow()
            continue
        if not torn and MARK in line and "'" not in line and "**" not in line and '"' not in line:
            _see_bars(line, rows, bars)  # as most lines are
            continue
        text = strip_colour(line)
        if torn and _continues(text) and len(torn) + len(text) <= LONGEST_DICT and parts < MOST_PARTS:
            text, torn, parts = torn + text.lstrip(), "", parts + 1
        elif torn:
            _take_dicts(torn, find_dicts(torn), rows, bars)
            torn, parts = "", 0
        found = find_dicts(text) if "'" in text or '"' in text else []
        if found and not found[-1].whole and text.startswith("{", found[-1].start) and CUT not in text:
            torn = text
            lines.follow()
            continue
        _take_dicts(text, found, rows, bars)
        parts = 0
        if not found:
            _see_facts(text, rows, bars, banner)
    if torn:
        _take_dicts(torn, find_dicts(torn), rows, bars)
    banner.state(rows.table)
    rows.config = config.fields
    return lines.number


def _continues(text: str) -> bool:
    """Whether a line may be the rest of a dict that broke off: it opens none before it closes one, and is no bar."""
    opens, closes = text.find("{"), text.find("}")
    return MARK not in text and (opens < 0 or 0 <= closes < opens) and (closes >= 0 or "'" in text)


def _take_dicts(text: str, found: list[FoundDict], rows: Rows, bars: Bars) -> None:
    """Takes the dicts of a line, each with the bars that stand before it on the line."""
    place = 0
    for one in found:
        _see_bars(text[place : one.start], rows, bars)
        before = {"stream": float(read_rank(text, one.start))}
        clock = read_clock(text, one.start)
        if clock is not None:
            before["time_s"] = clock[0]
            rows.resolution["time_s"] = max(rows.resolution.get("time_s", 0.0), clock[1])
        trains = sort_dict(one.values) is Sort.RECORD
        position = bars.position() if trains else None
        rows.take(one.values, position, before, None if position is None else bars.clock_at(position))
        place = one.end
    _see_bars(text[place:], rows, bars)


def _see_bars(text: str, rows: Rows, bars: Bars) -> None:
    if MARK in text:
        position = bars.see(text)
        rows.see_bar(position, None if position is None else bars.clock_at(position))


def _see_facts(text: str, rows: Rows, bars: Bars, banner: Banner) -> None:
    """Notes what a line without a dict states."""
    if BANNER in text:
        banner.restart()
    known = banner.steps
    if banner.see(text) and banner.steps != known:
        bars.expect(banner.steps)
    entry, event = _TABLE.match(text), find_event(text)
    if entry is not None:
        rows.see_total(entry.group(1), entry.group(2))
    elif event:
        rows.note(event)
    elif MARK not in text:
        state_facts(text, rows.table)
