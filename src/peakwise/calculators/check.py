"""What was given to a calculator, checked field by field; every error comes back in one."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, SupportsIndex

from peakwise.core.calculation import Input
from peakwise.core.declaration import Declaration, Field, Group, Need, Value
from peakwise.core.errors import FieldError, InputError, PeakwiseError
from peakwise.core.fields import shown
from peakwise.core.finding import Finding
from peakwise.core.number import Reading, check_number, format_plain, read_number

Face = Literal["key", "flag", "param"]


class Checked(NamedTuple):
    """The inputs of one calculation: those given (basis stated) and defaults (basis assumed), and notes on them."""

    inputs: Mapping[str, Input]
    notes: tuple[Finding, ...]
    face: Face

    def value(self, key: str) -> Value | None:
        """A field's value in its unit; None where it is absent and has no default."""
        found = self.inputs.get(key)
        return None if found is None else found.value

    def number(self, key: str) -> int | float | None:
        """A numeric field's value in its unit; None where it is absent and has no default."""
        value = self.value(key)
        assert value is None or isinstance(value, int | float)  # its declaration says so, and it was checked
        return value

    def text(self, key: str) -> str | None:
        """The word of a choice or an id; None where it is absent and has no default."""
        value = self.value(key)
        assert value is None or isinstance(value, str)  # its declaration says so, and it was checked
        return value

    def stated(self, key: str) -> bool:
        """Whether the field was given, and not taken from its default."""
        return key in self.inputs and self.inputs[key].basis == "stated"


class Problem(NamedTuple):
    """A field error with what the message around it needs."""

    field: str
    code: str
    message: str
    got: str = ""
    expected: str = ""
    hint: str = ""


def called(field: Field, face: Face) -> str:
    """What a field is called where the person gave it."""
    return {"key": field.key, "flag": field.flag, "param": field.param}[face]


def refuse(problems: list[Problem], declaration: Declaration, face: Face) -> InputError:
    """One error for all problems; the first gives the sentence."""
    first = problems[0]
    names = {field.key: called(field, face) for field in declaration.fields}
    return InputError(
        first.message,
        where=names.get(first.field, first.field),
        got=first.got,
        expected=first.expected,
        hint=first.hint,
        errors=tuple(FieldError(field=item.field, code=item.code, message=item.message) for item in problems),
    )


def check_inputs(
    declaration: Declaration,
    given: Mapping[str, object],
    *,
    face: Face = "key",
    locale: str | None = "en",
    refused: Mapping[str, PeakwiseError] | None = None,
) -> Checked:
    """The inputs of a calculation. Texts are read as numbers by `locale`; without one a text is no number.

    `refused`: ids that the catalogue does not have, with its error.

    **Raises** InputError with every field error, in the order unknown keys, values, required, conflicts.
    """
    known = {field.key: field for field in declaration.fields}
    present = {key: value for key, value in given.items() if not _empty(value)}
    problems = [_unknown(key, declaration) for key in given if key not in known]
    inputs: dict[str, Input] = {}
    notes: list[Finding] = []
    for field in declaration.fields:
        if field.key in present:
            read = _read(field, present[field.key], face, locale, refused or {})
            if isinstance(read, Problem):
                problems.append(read)
                continue
            source = called(field, face)
            inputs[field.key] = Input(value=read.value, unit=field.unit, basis="stated", source=source)
            notes += read.notes
    problems += _lacking(declaration, present, inputs, face)
    problems += _conflicts(declaration, present, face)
    if problems:
        raise refuse(problems, declaration, face)
    return Checked(inputs=_with_defaults(declaration, inputs), notes=tuple(notes), face=face)


class _Read(NamedTuple):
    value: Value
    notes: tuple[Finding, ...] = ()


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _with_defaults(declaration: Declaration, inputs: dict[str, Input]) -> dict[str, Input]:
    """Inputs in the order of the fields, defaults filled in where the field is not one of several ways."""
    grouped = {key for group in declaration.groups for key in group.keys}
    full: dict[str, Input] = {}
    for field in declaration.fields:
        if field.key in inputs:
            full[field.key] = inputs[field.key]
        elif field.default is not None and not field.required and field.key not in grouped:
            full[field.key] = Input(value=field.default, unit=field.unit, basis="assumed", source="default")
    return full


def _unknown(key: str, declaration: Declaration) -> Problem:
    from difflib import get_close_matches

    keys = [field.key for field in declaration.fields]
    near = get_close_matches(key, keys, n=3, cutoff=0.0)
    return Problem(
        field=key,
        code="E_UNKNOWN",
        message=f'{declaration.id} has no input "{key[:40]}"; the nearest is {near[0]}',
        got=key[:40],
        expected="one of " + ", ".join(near),
        hint=f"peakwise calc {declaration.id} --help",
    )


def _read(
    field: Field, value: object, face: Face, locale: str | None, refused: Mapping[str, PeakwiseError]
) -> _Read | Problem:
    match field.kind:
        case "number" | "integer":
            return _read_number(field, value, face, locale)
        case "choice":
            return _read_choice(field, value)
        case "boolean":
            return _read_boolean(field, value)
        case "id":
            return _read_id(field, value, refused)


def _read_number(field: Field, value: object, face: Face, locale: str | None) -> _Read | Problem:
    if isinstance(value, str):
        if locale is None:
            reading = Reading(code="E_NUM", message=f"{shown(value)} is a text, not a number")
        else:
            reading = read_number(value, field.measure, locale)
    else:
        reading = _plain_number(value, field)
    name = called(field, face)
    if reading.value is None:
        offer = "" if reading.alt is None else f"; did you mean {format_plain(reading.alt)}?"
        return Problem(
            field=field.key,
            code=reading.code,
            message=f"{name}: {reading.message}{offer}",
            got=shown(value).strip('"'),
            expected=_expected(field),
            hint=f"{field.flag} {format_plain(_example(field))}",
        )
    notes = tuple(_note(field, code, reading, name) for code in reading.notes)
    return _Read(value=reading.value, notes=notes)


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


def _expected(field: Field) -> str:
    low, high = format_plain(field.low or 0), "" if field.high is None else f" to {format_plain(field.high)}"
    what = "a whole number" if field.kind == "integer" else "a number"
    return f"{what}, {low}{high}" + (f", in {field.unit}" if field.unit else "")


def _example(field: Field) -> int | float:
    """A legal value for the hint: the default, or the low end of the range."""
    if isinstance(field.default, int | float):
        return field.default
    return field.low or 1


def _note(field: Field, code: str, reading: Reading, name: str) -> Finding:
    assert reading.value is not None
    value = format_plain(reading.value)
    if code == "W_FRACTION":
        message = f"{name} is read as {value} %, less than one percent; a fraction was likely meant"
    else:
        message = f"{name} can be read in two ways and is read as {value}"
    fix = "" if reading.alt is None else f"{field.flag} {format_plain(reading.alt)}"
    return Finding(code=code, message=message, input=field.key, fix=fix)


def _read_choice(field: Field, value: object) -> _Read | Problem:
    word = str(value).strip().lower() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if word in field.words:
        return _Read(value=word)
    return Problem(
        field=field.key,
        code="E_CHOICE",
        message=f"{shown(value)} is not a choice of {field.key}",
        got=shown(value).strip('"'),
        expected=", ".join(field.words),
        hint=f"{field.flag} {field.default or field.words[0]}",
    )


# What JSON, a link and the command line write for yes and no.
_YES_NO: dict[str, bool] = {"true": True, "1": True, "yes": True, "on": True} | {
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}


def _read_boolean(field: Field, value: object) -> _Read | Problem:
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word in _YES_NO:
        return _Read(value=_YES_NO[word])
    return Problem(
        field=field.key, code="E_CHOICE", message=f"{shown(value)} is neither yes nor no", expected="yes or no"
    )


def _read_id(field: Field, value: object, refused: Mapping[str, PeakwiseError]) -> _Read | Problem:
    if isinstance(value, str) and field.key not in refused:
        return _Read(value=value.strip())
    error = refused.get(field.key)
    if error is None:
        return Problem(
            field=field.key, code="E_CHOICE", message=f"{shown(value)} is not an id", expected="an id", got=shown(value)
        )
    return Problem(
        field=field.key,
        code="E_CHOICE",
        message=error.message,
        got=error.got,
        expected=error.expected,
        hint=error.hint,
    )


def _lacking(
    declaration: Declaration, present: Mapping[str, object], inputs: Mapping[str, Input], face: Face
) -> Iterator[Problem]:
    for field in declaration.fields:
        if field.required and field.key not in present:
            yield _required(declaration, (field.key,), face)
    for group in declaration.groups:
        if not any(key in present for key in group.keys):
            yield _required(declaration, group.keys, face)
    asked: set[str] = set()
    for need in declaration.needs:
        if _applies(need, present, inputs):
            for key in need.keys:
                if key not in present and key not in asked:
                    asked.add(key)
                    yield _required(declaration, (key,), face, beside=declaration.field(need.when))


def _applies(need: Need, present: Mapping[str, object], inputs: Mapping[str, Input]) -> bool:
    if need.when not in present or any(key in present for key in need.unless):
        return False
    return not need.among or (need.when in inputs and inputs[need.when].value in need.among)


def _required(declaration: Declaration, keys: tuple[str, ...], face: Face, beside: Field | None = None) -> Problem:
    names = [called(declaration.field(key), face) for key in keys]
    first = declaration.field(keys[0])
    what = names[0] if len(names) == 1 else "one of " + ", ".join(names)
    expected = ", ".join(first.words) if first.kind == "choice" else _expected(first)
    example = first.words[0] if first.kind == "choice" else format_plain(_example(first))
    return Problem(
        field=first.key,
        code="E_REQ",
        message=f"{what} is required" + (f" beside {called(beside, face)}" if beside else ""),
        got="nothing",
        expected=expected,
        hint=f"{first.flag} {example}",
    )


def _conflicts(declaration: Declaration, present: Mapping[str, object], face: Face) -> Iterator[Problem]:
    for group in declaration.groups:
        if group.exclusive:
            yield from _conflict(declaration, group, present, face)


def _conflict(declaration: Declaration, group: Group, present: Mapping[str, object], face: Face) -> Iterator[Problem]:
    said = [declaration.field(key) for key in group.keys if key in present]
    for field in said[1:]:
        first, second = called(said[0], face), called(field, face)
        yield Problem(
            field=field.key,
            code="E_CONFLICT",
            message=f"{first} and {second} say the same thing in two ways",
            got=f"{first} and {second}",
            expected="one of them",
            hint=f"leave out {second}",
        )
