"""What was given to a calculator, checked field by field; every error comes back in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from peakwise.calculators.read import Face, Problem, called, example, expected, read_value
from peakwise.core.calculation import Input
from peakwise.core.declaration import Declaration, Field, Group, Need, Value
from peakwise.core.errors import FieldError, InputError, PeakwiseError
from peakwise.core.finding import Finding

# What an absent field that is required means: an error, or, on a page and in a link, its default.
Absent = Literal["refuse", "default"]


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

    def flag(self, key: str) -> bool | None:
        """A boolean field; None where it is absent and has no default."""
        value = self.value(key)
        assert value is None or isinstance(value, bool)  # its declaration says so, and it was checked
        return value

    def numbers(self, key: str) -> tuple[int | float, ...]:
        """The numbers of a list; empty where it is absent."""
        value = self.value(key)
        assert value is None or isinstance(value, tuple)  # its declaration says so, and it was checked
        return value or ()

    def stated(self, key: str) -> bool:
        """Whether the field was given, and not taken from its default."""
        return key in self.inputs and self.inputs[key].basis == "stated"


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
    absent: Absent = "refuse",
) -> Checked:
    """The inputs of a calculation. Texts are read as numbers by `locale`; without one a text is no number.

    `refused`: ids that the catalogue does not have, with its error. `absent`: what a required field that was not named
    at all means; one that was named and left empty is an error either way.

    **Raises** InputError with every field error, in the order unknown keys, values, required, conflicts.
    """
    known = {field.key: field for field in declaration.fields}
    present = {key: value for key, value in given.items() if not _empty(value)}
    problems = [_unknown(key, declaration) for key in given if key not in known]
    inputs: dict[str, Input] = _preset(declaration, given) if absent == "default" else {}
    notes: list[Finding] = []
    for field in declaration.fields:
        if field.key in present:
            read = read_value(field, present[field.key], face, locale, refused or {})
            if isinstance(read, Problem):
                problems.append(read)
                continue
            source = called(field, face)
            inputs[field.key] = Input(value=read.value, unit=field.unit, basis="stated", source=source)
            notes += read.notes
    problems += _lacking(declaration, {**inputs, **present}, inputs, face)
    problems += _conflicts(declaration, present, face)
    if problems:
        raise refuse(problems, declaration, face)
    return Checked(inputs=_with_defaults(declaration, inputs), notes=tuple(notes), face=face)


def _preset(declaration: Declaration, given: Mapping[str, object]) -> dict[str, Input]:
    """What a page fills in for required fields that were not named: their default, or that of a group's first way."""
    wanted = [field for field in declaration.fields if field.required and field.key not in given]
    for group in declaration.groups:
        if not any(key in given for key in group.keys):
            ways = [declaration.field(key) for key in group.keys]
            wanted += [field for field in ways if field.default is not None][:1]
    preset: dict[str, Input] = {}
    for field in wanted:
        value = field.preselect if field.default is None else field.default
        if value is not None:
            preset[field.key] = Input(value=value, unit=field.unit, basis="assumed", source="default")
    return preset


def _empty(value: object) -> bool:
    return value is None or value in ([], ()) or (isinstance(value, str) and not value.strip())


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
    return Problem(
        field=first.key,
        code="E_REQ",
        message=f"{what} is required" + (f" beside {called(beside, face)}" if beside else ""),
        got="nothing",
        expected=expected(first),
        hint=f"{first.flag} {example(first)}",
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
