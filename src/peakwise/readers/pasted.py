"""A pasted log, short or long, as records of plain numbers: by the log readers, and by the short forms."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from peakwise.core.errors import ReadError, UnknownFormat
from peakwise.core.records import Record, Records
from peakwise.core.series import Series
from peakwise.readers.find import find_reader, list_readers
from peakwise.readers.nemo_table import read_table
from peakwise.readers.protocol import HEAD_BYTES, Source
from peakwise.readers.short_forms import FORMS, NEMO
from peakwise.readers.trainer_records import read_records

MOST_BYTES = HEAD_BYTES  # of a pasted text; a longer one is a file for `measure`
HF = "hf-trainer"
# Words of what looks like a measurement and says nothing of FLOPs or tokens.
_BUSY = ("NVIDIA-SMI", "GPU-Util", "utilization.gpu", "rocm-smi", "ROCm System Management", "GPU use (%)")


def read_pasted(text: str, name: str = "") -> Records:
    """The records of a pasted text, in memory alone. `name`: the reader that is to read it.

    **Raises** UnknownFormat where no reader or more than one recognises it or none has the name, ReadError where it
    is too long or the reader finds no record.
    """
    if len(text) > MOST_BYTES:
        raise ReadError("the text is too long", got=f"{len(text):,} characters", expected=f"at most {MOST_BYTES:,}")
    source = _source(text)
    ways = _named(name, source) if name else _recognising(source)
    if len(ways) == 1:
        (producer, read), *_ = ways.items()
        return Records(producer=producer, records=read())
    if not ways:
        _refuse(source)
    raise UnknownFormat(
        "more than one reader recognises the text",
        got=", ".join(sorted(ways)),
        expected="a log of one producer",
        hint="--format " + " or --format ".join(sorted(ways)),
    )


def _source(text: str) -> Source:
    """The text as a source; its last line is whole."""
    whole = text if text.endswith("\n") else text + "\n"
    return Source(path=Path("text"), shown="text", encoding="utf-8", head=whole, data=whole.encode("utf-8", "replace"))


Way = Callable[[], tuple[Record, ...]]


def _recognising(source: Source) -> dict[str, Way]:
    """How each producer that recognises the text reads it. A log's reader comes before the producer's short form."""
    ways: dict[str, Way] = {}
    for producer, records in _short(source.head):
        if records:
            ways.setdefault(producer, lambda records=records: records)
    for reader in list_readers():
        if reader.recognises(source.head, source.path.name):
            ways[reader.name] = _by_reader(reader.name, source)
    return ways


def _named(name: str, source: Source) -> dict[str, Way]:
    """How the producer called `name` reads the text."""
    readers = {reader.name for reader in list_readers()}
    forms = {form.name for form in FORMS}
    if name not in readers | forms:
        names = sorted(readers | forms)
        near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.0)
        raise UnknownFormat(
            f'unknown format "{name[:40]}"',
            where="--format",
            got=name[:40],
            expected=", ".join(names),
            hint=" or ".join(f"--format {other}" for other in near),
        )
    found = tuple(record for producer, records in _short(source.head) if producer == name for record in records)
    if found or name not in readers:
        if not found:
            raise ReadError(f"the text has no record of {name}", got="none", expected=f"a log of {name}")
        return {name: lambda: found}
    return {name: _by_reader(name, source)}


def _short(text: str) -> Iterator[tuple[str, tuple[Record, ...]]]:
    """The records of each short form."""
    for form in FORMS:
        yield form.name, tuple(map(_clean, form.read(text)))
    yield NEMO.name, read_table(text)


def _by_reader(name: str, source: Source) -> Way:
    if name == HF:  # its summary states speeds that are no record of a series
        return lambda: read_records(source.head)
    return lambda: _of_series(find_reader(source, name).read(source))


def _of_series(series: Series) -> tuple[Record, ...]:
    """What each row of a log states itself; nothing is worked out of its counters."""
    devices = series.stated.get("n_devices")
    n_devices = float(devices.value) if devices is not None and isinstance(devices.value, int | float) else math.nan
    columns = (
        series["flop_per_s_per_device"].tolist(),
        series["tokens_per_s_per_device"].tolist(),
        series["tokens_per_s"].tolist(),
        series["step_s"].tolist(),
        series["samples_per_s"].tolist(),
    )
    return tuple(
        _clean(
            Record(
                flop_per_s_per_device=flop,
                tokens_per_s_per_device=total / n_devices if math.isnan(each) else each,
                step_s=step_s,
                examples_per_s=examples,
            )
        )
        for flop, each, total, step_s, examples in zip(*columns, strict=True)
    )


def _clean(record: Record) -> Record:
    """The record without figures that are no speed: not finite, or not above 0."""
    return Record(*(value if value is not None and math.isfinite(value) and value > 0 else None for value in record))


def _refuse(source: Source) -> NoReturn:
    """**Raises** UnknownFormat with what the text is nearest to."""
    if any(word in source.head for word in _BUSY):
        raise UnknownFormat(
            "a table of busy GPUs is no MFU: it says how long any kernel ran, not how many FLOPs were done",
            got="the output of a system monitor",
            expected="a training log, or a line of one",
            hint="paste the training's own log, or its FLOPs and time: --total-flops N --time S",
        )
    find_reader(source)
    raise AssertionError("a reader recognises what none recognised")
