"""The answer of a page's calculator to what was asked: a calculation, or every field that is in its way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peakwise.calculators.link import canonical
from peakwise.calculators.read import Problem, Read, read_value
from peakwise.core.calculation import Calculation
from peakwise.core.declaration import Declaration, Field, Value
from peakwise.core.errors import FieldError, InputError
from peakwise.core.number import format_plain, read_number
from peakwise.core.units import KILO, to_giga
from peakwise.verbs.calc import calculate
from peakwise.web.form import Asked, active_way, exclusive, fills_box

CANONICAL = "en"  # whose signs a link is written in: dot decimals
REQUIRED = "E_REQ"  # core/codes.py
LONGEST_CARRIED = 2 * KILO  # characters of a pasted text that every link of a page carries
_READ_TWO_WAYS = frozenset({"W_AMBIG", "W_FRACTION"})  # findings that stand at the field


class Typed(NamedTuple):
    """One text of the form as it was read: its value, what it may have meant instead, and how it is said in words."""

    text: str
    value: Value | None
    code: str = ""
    alt: int | float | None = None
    echo: bool = False


class Answered(NamedTuple):
    """What came of a question. `errors`: the field errors by key, in the order of the fields."""

    calculation: Calculation | None
    errors: Mapping[str, FieldError]
    error: InputError | None
    given: Mapping[str, object]
    typed: Mapping[str, Typed]


def answer_page(declaration: Declaration, asked: Asked, locale: str) -> Answered:
    """The calculation that a page asks for. Typed texts are read by `locale`, those of a link as canonical."""
    signs = locale if asked.typed else CANONICAL
    given: dict[str, object] = {**asked.given, **_preset(declaration, asked)}
    errors = {error.field: error for error in _emptied(declaration, given)}
    calculation, refused = None, None
    try:
        calculation = calculate(declaration.id, given, face="param", locale=signs, absent="default", local=False)
    except InputError as error:
        refused = error
        for item in error.errors:
            key = _at(item, declaration, asked)
            errors.setdefault(key, FieldError(field=key, code=item.code, message=item.message))
        if not error.errors:
            raise
    order = [field.key for field in declaration.fields]
    known = {key: errors[key] for key in sorted(errors, key=order.index)}
    return Answered(
        calculation=None if known else calculation,
        errors=known,
        error=refused,
        given=given,
        typed=dict(_read_all(declaration, asked, given, locale, signs)),
    )


def _preset(declaration: Declaration, asked: Asked) -> dict[str, object]:
    """What a model of the catalogue fills in: all its parameters, and those used per token where they are fewer."""
    from peakwise.web.options import model_sizes

    sizes = model_sizes().get(asked.preset)
    if sizes is None:
        return {}
    keys = {field.key for field in declaration.fields}
    filled: dict[str, object] = {"params_b": to_giga(sizes.n_params)}
    active = to_giga(sizes.n_active_params) if sizes.n_active_params != sizes.n_params else ""
    filled["active_params_b"] = active
    return {key: value for key, value in filled.items() if key in keys}


def _emptied(declaration: Declaration, given: Mapping[str, object]) -> Iterator[FieldError]:
    """An error for each box that had a value and was emptied, where no other field says the same."""
    grouped = {key for group in declaration.groups for key in group.keys}
    for field in declaration.fields:
        text = given.get(field.key)
        if isinstance(text, str) and not text.strip() and fills_box(field) and field.key not in grouped:
            yield FieldError(field=field.key, code=REQUIRED, message=f"{field.param} is required")


def _at(error: FieldError, declaration: Declaration, asked: Asked) -> str:
    """The field where an error stands: what a group lacks, it lacks in the box that is shown."""
    if error.code == REQUIRED:
        for group in exclusive(declaration):
            if error.field == group.keys[0]:
                return active_way(group, declaration, asked)
    return error.field


def _read_all(
    declaration: Declaration, asked: Asked, given: Mapping[str, object], locale: str, signs: str
) -> Iterator[tuple[str, Typed]]:
    """Each text that was given, read alone; where a note says what was typed for a link's number, that text."""
    for field in declaration.fields:
        text = given.get(field.key)
        if isinstance(text, str) and text.strip():
            yield field.key, _noted(field, text, asked, locale) or _read_one(field, text, signs)
        elif isinstance(text, int | float):
            yield field.key, Typed(format_plain(text), text)


def _noted(field: Field, text: str, asked: Asked, locale: str) -> Typed | None:
    """The text behind a link's number, where it still reads as that number."""
    noted = asked.noted.get(field.key, "")
    if asked.typed or not noted.strip():
        return None
    typed = _read_one(field, noted, locale)
    plain = _read_one(field, text, CANONICAL)
    return typed if typed.value is not None and typed.value == plain.value and typed.code else None


def _read_one(field: Field, text: str, locale: str) -> Typed:
    read: Read | Problem = read_value(field, text, "param", locale, {})
    number = read_number(text, field.measure, locale) if field.kind in ("number", "integer") else None
    if isinstance(read, Problem):
        return Typed(text, None, alt=None if number is None else number.alt)
    echo = number is not None and number.echo
    for note in read.notes:
        if note.code in _READ_TWO_WAYS:
            alt = dict(note.values).get("alt")
            return Typed(text, read.value, note.code, alt if isinstance(alt, int | float) else None, echo)
    return Typed(text, read.value, echo=echo)


def link_pairs(declaration: Declaration, answered: Answered) -> dict[str, str]:
    """The parameters of the canonical link of an answer, by name; without one, of what could be read of its question.

    A percentage that was typed with its sign keeps it where it would else read as a fraction.
    """
    pairs = {"v": "1"}
    if answered.calculation is not None:
        from urllib.parse import parse_qsl, urlsplit

        pairs = dict(parse_qsl(urlsplit(answered.calculation.link).query, keep_blank_values=True))
    else:
        for field in declaration.fields:
            if field.key in answered.given:
                typed = answered.typed.get(field.key)
                raw = str(answered.given[field.key])
                if not raw.strip() and field.key not in answered.errors:
                    continue
                pairs[field.param] = raw if typed is None or typed.value is None else canonical(field, typed.value)
    for key, typed in answered.typed.items():
        field = declaration.field(key)
        if field.kind == "text" and len(typed.text) > LONGEST_CARRIED:
            pairs.pop(field.param, None)
        small = field.dimension == "percent" and isinstance(typed.value, int | float) and 0 < typed.value <= 1
        if small and typed.text.rstrip().endswith("%") and not pairs.get(field.param, "%").endswith("%"):
            pairs[field.param] += "%"
    return pairs
