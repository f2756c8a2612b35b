"""One given value as its field takes it, or the field error with its reason."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal, NamedTuple, SupportsIndex, cast

from peakwise.core.declaration import Field, Value
from peakwise.core.errors import PeakwiseError
from peakwise.core.fields import shown
from peakwise.core.finding import Finding
from peakwise.core.number import LONGEST_TEXT, Reading, check_number, format_plain, read_number

Face = Literal["key", "flag", "param"]


class Problem(NamedTuple):
    """A field error with what the message around it needs."""

    field: str
    code: str
    message: str
    got: str = ""
    expected: str = ""
    hint: str = ""


class Read(NamedTuple):
    """A value in its field's unit, and notes on how it was read."""

    value: Value
    notes: tuple[Finding, ...] = ()


def called(field: Field, face: Face) -> str:
    """What a field is called where the person gave it."""
    return {"key": field.key, "flag": field.flag, "param": field.param}[face]


def read_value(
    field: Field, value: object, face: Face, locale: str | None, refused: Mapping[str, PeakwiseError]
) -> Read | Problem:
    """What was given for one field. Texts are numbers by `locale`; without one a text is no number."""
    match field.kind:
        case "number" | "integer":
            return _read_number(field, value, face, locale)
        case "choice":
            return _read_choice(field, value)
        case "boolean":
            return _read_boolean(field, value, locale)
        case "id":
            return _read_id(field, value, refused)
        case "list":
            return _read_list(field, value, face, locale)
        case "text":
            return _read_text(field, value, refused)
        case "datetime":
            return _read_datetime(field, value)


def expected(field: Field) -> str:
    """What a number, a word or a text of this field may be, for a message."""
    if field.kind == "choice":
        return ", ".join(field.words)
    if field.kind in ("id", "text", "datetime", "boolean"):
        return {"id": "an id", "text": "a text", "datetime": "a date and time with its zone", "boolean": "yes or no"}[
            field.kind
        ]
    low, high = format_plain(field.low or 0), "" if field.high is None else f" to {format_plain(field.high)}"
    low = f"above {low}" if field.above_zero and not field.low else low
    what = "a number" if field.kind == "number" else "a whole number"
    what = "whole numbers" if field.kind == "list" else what
    return f"{what}, {low}{high}" + (f", in {field.unit}" if field.unit else "")


def example(field: Field) -> str:
    """A legal value for a hint: a word, the default, or the low end of the range."""
    if field.kind == "choice":
        return field.words[0]
    if field.kind in ("id", "text", "datetime", "boolean"):
        return {"id": field.key.upper(), "text": "FILE", "datetime": "2026-11-30T09:00+01:00", "boolean": "yes"}[
            field.kind
        ]
    if isinstance(field.default, int | float):
        return format_plain(field.default)
    return format_plain(field.low or 1)


def _read_number(field: Field, value: object, face: Face, locale: str | None) -> Read | Problem:
    if isinstance(value, str):
        if locale is None:
            reading = Reading(code="E_NUM", message=f"{shown(value)} is a text, not a number")
        else:
            reading = read_number(value, field.measure, locale)
    else:
        reading = _plain_number(value, field)
    name = called(field, face)
    if reading.value is None:
        return _bad_number(field, reading, name, value)
    notes = tuple(_note(field, code, reading, name) for code in reading.notes)
    return Read(value=reading.value, notes=notes)


def _bad_number(field: Field, reading: Reading, name: str, value: object) -> Problem:
    offer = "" if reading.alt is None else f"; did you mean {format_plain(reading.alt)}?"
    return Problem(
        field=field.key,
        code=reading.code,
        message=f"{name}: {reading.message}{offer}",
        got=shown(value).strip('"'),
        expected=expected(field),
        hint=f"{field.flag} {example(field)}",
    )


def _plain_number(value: object, field: Field) -> Reading:
    """The reading of what is a number already: an int, a float, or a number of another library."""
    number: int | float | None = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = value
    elif isinstance(value, SupportsIndex) and not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            number = None
    if number is None or not math.isfinite(_capped(number)):
        return Reading(code="E_NUM", message=f"{shown(value)} is not a number")
    return check_number(Reading(value=_capped(number)), field.measure, percent=False)


def _capped(number: int | float) -> int | float:
    """The number; an int past every range (10³⁰) as that bound, so that it compares and prints."""
    return max(min(number, 10**30), -(10**30)) if isinstance(number, int) else number


def _note(field: Field, code: str, reading: Reading, name: str) -> Finding:
    assert reading.value is not None
    value = format_plain(reading.value)
    if code == "W_FRACTION":
        message = f"{name} is read as {value} %, less than one percent; a fraction was likely meant"
    else:
        message = f"{name} can be read in two ways and is read as {value}"
    if reading.alt is None:
        return Finding(code=code, message=message, input=field.key, values=(("value", reading.value),))
    return Finding(
        code=code,
        message=message,
        input=field.key,
        fix=f"{field.flag} {format_plain(reading.alt)}",
        values=(("value", reading.value), ("alt", reading.alt)),
        repair=((field.key, reading.alt),),
    )


def _read_choice(field: Field, value: object) -> Read | Problem:
    word = str(value).strip().lower() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if word in field.words:
        return Read(value=int(word) if isinstance(field.default, int) else word)  # 2 or 3 matrices
    return Problem(
        field=field.key,
        code="E_CHOICE",
        message=f"{shown(value)} is not a choice of {field.key}",
        got=shown(value).strip('"'),
        expected=", ".join(field.words),
        hint=f"{field.flag} {field.default or field.words[0]}",
    )


# What a link and the command line write for yes and no.
_YES_NO: dict[str, bool] = {"true": True, "1": True, "yes": True, "on": True} | {
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}


def _read_boolean(field: Field, value: object, locale: str | None) -> Read | Problem:
    if isinstance(value, bool):
        return Read(value=value)
    word = str(value).strip().lower() if isinstance(value, str | int) and locale is not None else ""
    if word in _YES_NO:
        return Read(value=_YES_NO[word])
    message = f"{shown(value)} is neither yes nor no"
    return Problem(field=field.key, code="E_CHOICE", message=message, got=shown(value), expected="yes or no")


def _read_id(field: Field, value: object, refused: Mapping[str, PeakwiseError]) -> Read | Problem:
    error = refused.get(field.key)
    if error is None:
        if isinstance(value, str):
            return Read(value=value.strip())
        message = f"{shown(value)} is not an id"
        return Problem(field=field.key, code="E_CHOICE", message=message, expected="an id", got=shown(value))
    return Problem(
        field=field.key,
        code="E_CHOICE",
        message=error.message,
        got=error.got,
        expected=error.expected,
        hint=error.hint,
    )


def _read_list(field: Field, value: object, face: Face, locale: str | None) -> Read | Problem:
    """The numbers of a list, each as a field of its own; a text is split at spaces and semicolons."""
    items: list[object]
    if isinstance(value, str):
        items = list(_split(value))
    elif isinstance(value, list | tuple):
        items = list(cast("Iterable[object]", value))
    else:
        reading = Reading(code="E_NUM", message=f"{shown(value)} is not a list")
        return _bad_number(field, reading, called(field, face), value)
    if field.most is not None and len(items) > field.most:
        message = f"{len(items):,} numbers are more than {field.most:,}"
        return _bad_number(field, Reading(code="E_RANGE", message=message), called(field, face), len(items))
    plain = _plain_whole(items, field, locale)
    if plain is not None:
        return Read(value=plain)
    numbers: list[int | float] = []
    notes: list[Finding] = []
    one = field._replace(kind="integer")
    for place, item in enumerate(items, 1):
        read = _read_number(one, item, face, locale)
        if isinstance(read, Problem):
            return read._replace(message=f"{read.message} (number {place} of {len(items)})")
        assert isinstance(read.value, int | float)  # a number was read
        numbers.append(read.value)
        notes += read.notes[: 1 if not notes else 0]
    return Read(value=tuple(numbers), notes=tuple(notes))


def _plain_whole(items: list[object], field: Field, locale: str | None) -> tuple[int, ...] | None:
    """A list of whole numbers in range, read at once, since there may be many; None for any other list."""
    numbers = [item for item in items if type(item) is int]
    if not numbers and locale is not None:
        texts = [item for item in items if isinstance(item, str)]
        if all(text.isascii() and text.isdigit() and len(text) <= LONGEST_TEXT for text in texts):
            numbers = [int(text) for text in texts]
    if not numbers or len(numbers) != len(items):
        return None
    low, high = field.low or 0, math.inf if field.high is None else field.high
    return tuple(numbers) if low <= min(numbers) and max(numbers) <= high else None


def _split(text: str) -> list[str]:
    """The parts of a typed list: at white space and semicolons; at commas where nothing else parts them."""
    parts = re.split(r"[\s;]+", text.strip().strip(";"))
    if len(parts) == 1 and "," in parts[0]:
        return [part for part in parts[0].split(",") if part]
    return [part.rstrip(",") for part in parts if part.rstrip(",")]


def _read_text(field: Field, value: object, refused: Mapping[str, PeakwiseError]) -> Read | Problem:
    if not isinstance(value, str):
        message = f"{shown(value)} is not a text"
        return Problem(field=field.key, code="E_FORMAT", message=message, got=shown(value), expected="a text")
    size = len(value.encode("utf-8", "surrogatepass"))
    if field.most is not None and size > field.most:
        message = f"the text has {size:,} bytes, more than {field.most:,}"
        return Problem(field=field.key, code="E_RANGE", message=message, expected=f"at most {field.most:,} bytes")
    error = refused.get(field.key)
    if error is None:
        return Read(value=value)
    return Problem(
        field=field.key,
        code="E_FORMAT",
        message=error.message,
        got=error.got,
        expected=error.expected,
        hint=error.hint,
    )


def _read_datetime(field: Field, value: object) -> Read | Problem:
    """A date and time of ISO 8601 with its zone, as it was written."""
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is not None and moment.tzinfo is not None:
        return Read(value=moment.isoformat())
    lacks = "has no zone" if moment is not None else "is not a date and time of ISO 8601"
    return Problem(
        field=field.key,
        code="E_FORMAT",
        message=f"{shown(value)} {lacks}",
        got=shown(value).strip('"'),
        expected="a date and time with its zone",
        hint=f"{field.flag} {example(field)}",
    )
