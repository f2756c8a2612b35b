"""Finds the one reader that recognises a source."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.metadata import entry_points
from typing import cast

from peakwise.core.errors import ReadError, UnknownFormat
from peakwise.core.progress import Progress
from peakwise.core.series import Series
from peakwise.readers.logs.hf_trainer import HfTrainer
from peakwise.readers.logs.megatron import MegatronLM
from peakwise.readers.logs.megatron_progress import MegatronProgress
from peakwise.readers.logs.nanogpt import NanoGpt
from peakwise.readers.logs.torchtitan import Torchtitan
from peakwise.readers.protocol import Reader, Source, open_source

# Every reader that ships with Peakwise; others come by the entry point below.
BUILT_IN: tuple[Reader, ...] = (HfTrainer(), MegatronLM(), MegatronProgress(), NanoGpt(), Torchtitan())
GROUP = "peakwise.readers"
# Words of each built-in reader's logs: a log that no reader recognises is nearest to the one whose words it has.
WORDS: dict[str, tuple[str, ...]] = {
    "hf-trainer": ("'loss'", "learning_rate", "epoch", "it/s]", "s/it]", "train_runtime", "_per_second", "trainer"),
    "megatron-lm": ("iteration", "elapsed time", "consumed samples", "lm loss", "per GPU", "megatron", "......"),
    "megatron-progress": ("Job ID", "# GPUs", "Job throughput", "Cumulative throughput", "Starting job"),
    "nanogpt": ("iter ", "loss ", "time ", "ms", "val loss", "nanogpt", "tokens per iteration"),
    "torchtitan": ("step:", "loss:", "tps:", "wps:", "tflops:", "memory:", "GiB", "titan"),
}


def read_log(path: str, name: str | None = None, progress: Progress | None = None) -> Series:
    """The series of one log file, by the reader called `name` or the one that recognises it.

    `progress` is told how far the reading has come.
    **Raises** ReadError for a file that cannot be read or holds no record, UnknownFormat for no or two readers.
    """
    source = open_source(path, progress)
    reader = find_reader(source, name)
    try:
        return reader.read(source)
    except ReadError as error:
        others = [other.name for other in _recognising(source) if other.name != reader.name]
        if name is None or not others or error.hint:
            raise
        error.hint = f"--format {others[0]}, which recognises this log"
        raise


def list_readers() -> tuple[Reader, ...]:
    """The built-in readers, then those that other packages offer."""
    return BUILT_IN + _offered()


@cache
def _offered() -> tuple[Reader, ...]:
    """The readers of other packages; what is installed is looked up once a process."""
    return tuple(cast(Reader, entry.load()()) for entry in entry_points(group=GROUP))


def find_reader(source: Source, name: str | None = None) -> Reader:
    """The reader called `name`, or else the one that recognises the source.

    **Raises** UnknownFormat where none or more than one does, or where the name is unknown.
    """
    readers = list_readers()
    if name is not None:
        return _named(readers, name)
    found = _recognising(source)
    if len(found) == 1:
        return found[0]
    if not found:
        _refuse_binary(source)
        raise UnknownFormat(
            "no reader recognises the log",
            where=source.shown,
            got=_first_words(source.head),
            expected="a log of " + ", ".join(reader.name for reader in readers),
            hint="--format " + (" or --format ".join(_nearest(source)) or "NAME, if it is one of these"),
        )
    raise UnknownFormat(
        "more than one reader recognises the log",
        where=source.shown,
        got=", ".join(reader.name for reader in found),
        expected="a log of one producer",
        hint="--format " + " or --format ".join(reader.name for reader in found),
    )


def _recognising(source: Source) -> list[Reader]:
    return [reader for reader in list_readers() if reader.recognises(source.head, source.path.name)]


def _nearest(source: Source) -> list[str]:
    """At most three names of readers: those whose words the text has the largest share of, the best first."""
    shares = {name: sum(word in source.head for word in words) / len(words) for name, words in WORDS.items()}
    return sorted((name for name, share in shares.items() if share), key=lambda name: -shares[name])[:3]


def _named(readers: tuple[Reader, ...], name: str) -> Reader:
    for reader in readers:
        if reader.name == name:
            return reader
    names = [reader.name for reader in readers]
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.0)
    raise UnknownFormat(
        f'unknown format "{name}"',
        where="--format",
        got=name or "nothing",
        expected=", ".join(names),
        hint=" or ".join(f"--format {other}" for other in near),
    )


def _refuse_binary(source: Source) -> None:
    """Bytes that are no text in any encoding decode to replacement marks; a log has few of them."""
    odd = source.head.count("�") + sum(source.head.count(chr(code)) for code in range(1, 9))
    if odd * 10 > len(source.head):
        raise ReadError("the file is binary", where=source.shown, got="bytes that are no text", expected="a text log")


def _first_words(head: str) -> str:
    words = " ".join(head[:400].split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in words)
    return f'text that begins "{shown[:57]}…"' if len(shown) > 57 else f'"{shown}"'
