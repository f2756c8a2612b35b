"""What a reader of one foreign format is, and the source it reads from."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from peakwise.core.errors import ReadError
from peakwise.core.series import Series

Kind = Literal["training", "serving"]

# A log line longer than this is data, not a record; the rest of it is passed over (characters).
LONGEST_LINE = 65_536
# How much of a source a reader sees to recognise it: header dumps of every known producer are shorter (bytes).
HEAD_BYTES = 1_048_576
CHUNK_BYTES = 1_048_576
# Stands at the end of a line that does not end: a number that touches it may be cut and is no number.
CUT = "\x00"

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zX": "xz"}


class Reader(Protocol):
    """One foreign format: maps its words to columns and converts its units, and nothing else."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Kind: ...

    def recognises(self, head: str, filename: str) -> bool:
        """Whether the first part of a source is of this format."""
        ...

    def read(self, source: Source) -> Series:
        """The records of the source. **Raises** ReadError where it holds none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text file to read once, line by line, in bounded memory. `head` is its first part as text."""

    path: Path
    shown: str
    encoding: str
    head: str

    def lines(self) -> Iterator[str]:
        """Every line without its end; carriage returns end a line too. A line that is cut ends in `CUT`."""
        decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        held, passing = "", False
        with self.path.open("rb") as file:
            while True:
                data = file.read(CHUNK_BYTES)
                held += decoder.decode(data, final=not data).replace("\r", "\n")
                *whole, held = held.split("\n")
                for line in whole:
                    if not passing:
                        yield line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + CUT
                    passing = False
                if len(held) > LONGEST_LINE:
                    if not passing:
                        yield held[:LONGEST_LINE] + CUT
                    held, passing = "", True
                if not data:
                    break
        if held and not passing:
            yield held + CUT


def open_source(path: str) -> Source:
    """A source from a file's path. **Raises** ReadError for no file, a directory, an empty or a binary file."""
    file = Path(path)
    if file.is_dir():
        raise ReadError("a directory is not a log", where=path, got="a directory", expected="one log file a path")
    try:
        with file.open("rb") as handle:
            data = handle.read(HEAD_BYTES)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if not data:
        raise ReadError("the file is empty", where=path, got="0 bytes", expected="a training log")
    encoding = _encoding(path, data)
    head = codecs.getincrementaldecoder(encoding)("replace").decode(data)
    return Source(path=file, shown=path, encoding=encoding, head=head)


def _unreadable(path: str, error: OSError | ValueError) -> ReadError:
    if isinstance(error, FileNotFoundError):
        return ReadError("no such file", where=path, got="nothing", expected="a training log")
    why = getattr(error, "strerror", None) or str(error)
    return ReadError("the file cannot be opened", where=path, got=why, expected="a file that may be read")


def _encoding(path: str, data: bytes) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding
    for mark, name in _PACKED.items():
        if data.startswith(mark):
            raise ReadError(
                "the file is packed", where=path, got=name, expected="text", hint=f"unpack it first ({name})"
            )
    # Crashed writers leave a few NUL bytes in a text; more than one in a hundred is no text.
    if data.count(0) * 100 > len(data):
        raise ReadError("the file is binary", where=path, got="NUL bytes", expected="a text log")
    return "utf-8"
