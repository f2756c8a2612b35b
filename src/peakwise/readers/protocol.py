"""What a reader of one foreign format is, and the source it reads from."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from peakwise.core.errors import ReadError
from peakwise.core.progress import Progress
from peakwise.core.series import Series

Kind = Literal["training", "serving"]

# A log line longer than this is data, not a record; the rest of it is passed over (bytes).
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
    """A text file to read line by line, in bounded memory. `head` is its first part as text.

    `progress` is called after each block with the bytes read so far and the bytes in all. `data`: the bytes of a text
    that is no file.
    """

    path: Path
    shown: str
    encoding: str
    head: str
    progress: Progress | None = None
    data: bytes | None = None

    def open(self) -> BinaryIO:
        """The bytes, from the first."""
        return self.path.open("rb") if self.data is None else BytesIO(self.data)

    def lines(self) -> Iterator[str]:
        """Every line without its end; carriage returns end a line too. A line that is cut ends in `CUT`."""
        for block in read_blocks(self):
            yield from block.decode("utf-8", "replace").split("\n")

    def marked(self, marks: Iterable[str]) -> Marked:
        """The lines that hold one of these words, as `lines` gives them; much faster where few do."""
        return Marked(self, marks)


class Marked:
    """The lines of a source that hold one of the marks; the others are counted and never decoded.

    `number` is that of the line last given, from 1; after the last line, the number of all lines.
    """

    def __init__(self, source: Source, marks: Iterable[str]) -> None:
        self._source = source
        self._marks = tuple(mark.encode() for mark in marks)
        self._follow = False
        self.number = 0

    def follow(self) -> None:
        """Give the line after this one too, whatever it holds: it may be the rest of a line that broke."""
        self._follow = True

    def __iter__(self) -> Iterator[str]:
        for block in read_blocks(self._source):
            before = self.number
            yield from self._of(block)
            self.number = before + block.count(b"\n") + 1

    def _of(self, block: bytes) -> Iterator[str]:
        """The lines of one block. `hits`: a heap of where each mark stands next, of those that stand there at all."""
        hits = [(at, mark) for mark in self._marks if (at := block.find(mark)) >= 0]
        heapify(hits)
        after, length = 0, len(block)  # after: where the line after the last one given begins
        while hits or (self._follow and after <= length):
            hit = after if self._follow else hits[0][0]
            self._follow = False
            start = block.rfind(b"\n", after, hit) + 1 or after
            end = block.find(b"\n", hit)
            end = length if end < 0 else end
            self.number += 1 if start == after else block.count(b"\n", after, start) + 1
            after = end + 1
            while hits and hits[0][0] < after:
                mark = heappop(hits)[1]
                if (at := block.find(mark, after)) >= 0:
                    heappush(hits, (at, mark))
            yield block[start:end].decode("utf-8", "replace")


def read_blocks(source: Source) -> Iterator[bytes]:
    """A source as UTF-8 in blocks of whole lines, each block without the end of its last line.

    Every line end is a line feed; a line over `LONGEST_LINE` bytes, and a last line without an end, end in `CUT`.
    """
    held = b""
    for data in _read_utf8(source):
        whole, line_end, rest = (held + data).rpartition(b"\n")
        if line_end:
            yield _cut_long(whole)
        held = rest[: LONGEST_LINE + 1]  # one more than is shown, so that it is seen to be too long
    if held:
        yield _cut_long(held + CUT.encode())


def _read_utf8(source: Source) -> Iterator[bytes]:
    """A source in blocks of UTF-8 without its byte order mark, every line end a line feed."""
    utf8 = source.encoding.startswith("utf-8")
    decoder = codecs.getincrementaldecoder(source.encoding)("replace")
    total = source.path.stat().st_size if source.progress else 0
    held, done = b"", len(codecs.BOM_UTF8) if source.encoding == "utf-8-sig" else 0
    with source.open() as file:
        file.seek(done)
        while data := file.read(CHUNK_BYTES):
            done += len(data)
            text, held = held + (data if utf8 else decoder.decode(data).encode()), b""
            if text.endswith(b"\r"):  # the line feed that belongs to it may come next
                text, held = text[:-1], b"\r"
            yield text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if source.progress:
                source.progress(done, max(done, total))
    yield (b"\n" if held else b"") + decoder.decode(b"", final=True).encode()


def _cut_long(block: bytes) -> bytes:
    """The block, lines over `LONGEST_LINE` bytes cut. Such a line fills a stretch of half that length."""
    half = LONGEST_LINE // 2
    if all(block.find(b"\n", at, at + half) >= 0 for at in range(0, len(block) - half, half)):
        return block
    cut = CUT.encode()
    return b"\n".join(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + cut for line in block.split(b"\n"))


def open_source(path: str, progress: Progress | None = None) -> Source:
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
    return Source(path=file, shown=path, encoding=encoding, head=head, progress=progress)


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
