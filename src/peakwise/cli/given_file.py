"""The text of a flag that takes a file: a log, or a list of numbers; `-` is the standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from peakwise.core.declaration import Field
from peakwise.core.errors import FieldError, ReadError

STDIN = "-"
# The longest number of a list and its separator (bytes); more is no list of lengths.
_LONGEST_NUMBER = 16
_MOST_NUMBERS = 100_000  # of a list whose field sets no limit
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read_given(field: Field, typed: str) -> str:
    """The text that a flag stands for: of its file or the standard input; for a list, also the numbers themselves.

    **Raises** ReadError for a file that is absent, unreadable, no text, or longer than the field takes.
    """
    if field.kind == "list":
        if typed != STDIN and _is_list(typed):
            return typed
        return _read(field, typed, _LONGEST_NUMBER * (field.most or _MOST_NUMBERS))
    return _read(field, typed, field.most or 0)


def _is_list(typed: str) -> bool:
    """Whether numbers were typed: no letter and no slash, or no such file and a digit in front."""
    if not any(letter.isalpha() or letter in "/\\" for letter in typed):
        return True
    return typed.lstrip("+-− ")[:1].isdigit() and not _is_file(typed)


def _is_file(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # a name longer than the system allows, or with a zero byte, is no path
        return False


def _read(field: Field, name: str, most: int) -> str:
    """At most one byte more than the field takes is read, so that an endless file ends here too."""
    data = _read_stdin(field, most) if name == STDIN else _read_file(field, name, most)
    where = f"{field.flag} {name}"
    if len(data) > most:
        message = f"the text is longer than {most:,} bytes"
        error = FieldError(field=field.key, code="E_RANGE", message=message)
        raise ReadError(message, where=where, got="more", expected=f"at most {most:,} bytes", errors=(error,))
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    if encoding != "utf-16" and data.count(0) * 100 > len(data):  # a crashed writer leaves a few zero bytes
        raise ReadError("the file is binary", where=where, got="zero bytes", expected="a text")
    return data.decode(encoding, "replace")


def _read_stdin(field: Field, most: int) -> bytes:
    if sys.__stdin__ is None:
        message = "there is no standard input to read"
        raise ReadError(message, where=field.flag, got="nothing", expected=_expected(field))
    return sys.stdin.buffer.read(most + 1)


def _read_file(field: Field, name: str, most: int) -> bytes:
    where = f"{field.flag} {name[:60]}"
    try:
        with Path(name).open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as error:
        absent = isinstance(error, FileNotFoundError)
        raise ReadError(
            "no such file" if absent else "the file cannot be read",
            where=where,
            got="nothing" if absent else getattr(error, "strerror", None) or str(error),
            expected=_expected(field),
            hint=f"{field.flag} -, and the text on standard input"
            if field.kind == "text"
            else f'{field.flag} "200 400"',
        ) from error


def _expected(field: Field) -> str:
    return "numbers, or a file of them" if field.kind == "list" else "a file of text, or - for standard input"
