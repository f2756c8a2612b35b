"""What a typed number reads as, as a document."""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.calculators.table import find_calculator
from peakwise.core.declaration import Field
from peakwise.core.errors import FieldError, InputError, Json
from peakwise.core.number import Measure, read_number
from peakwise.core.number_locale import find_locale
from peakwise.core.units import GIGA, TERA

# Kinds of fields by name, for a number that belongs to no calculator; the units are those that people type.
KINDS: dict[str, Measure] = {
    "rate": Measure(dimension="token_per_s", integer_like=True, low=0, high=1e10),
    "integer": Measure(whole=True, integer_like=True, low=1, high=1e7),
    "number": Measure(),
    "peak": Measure(dimension="flop_per_s", scale=TERA, low=0.01, high=1e6, zero_code="E_ZERO_PEAK"),
    "bandwidth": Measure(dimension="byte_per_s", scale=GIGA, low=0.1, high=1e6),
    "params": Measure(dimension="parameter", scale=GIGA, low=1e-4, high=1e5),
    "percent": Measure(dimension="percent", low=0, high=100),
    "fraction": Measure(dimension="fraction", low=0, high=1),
}
_KEYS = ("text", "locale", "kind", "calculator", "field")


def parse_number(given: Mapping[str, object]) -> Json:
    """The document `peakwise.number/1` of a text, by a kind of field or by a calculator's own field.

    **Raises** InputError: a key that is not asked for, a text that is none, or the text's own fault.
    """
    texts = {key: _text(given, key) for key in _KEYS if given.get(key) is not None}
    for key in given:
        if key not in _KEYS:
            raise _refuse(key, "E_UNKNOWN", f'there is no input "{key[:40]}"', "one of " + ", ".join(_KEYS))
    if "text" not in texts:
        raise _refuse("text", "E_REQ", "text is required", "a number as it is typed")
    locale = texts.get("locale", "en")
    measure = _measure(texts)
    try:
        find_locale(locale)
    except InputError as error:
        raise _refuse("locale", "E_CHOICE", error.message, error.expected[:120]) from error
    reading = read_number(texts["text"], measure, locale)
    if reading.value is None:
        raise _refuse("text", reading.code, reading.message, "a number", got=texts["text"][:64])
    return {
        "schema": "peakwise.number/1",
        "text": texts["text"],
        "locale": locale,
        "value": reading.value,
        "notes": list(reading.notes),
        "alt": reading.alt,
        "echo": reading.echo,
    }


def _text(given: Mapping[str, object], key: str) -> str:
    value = given[key]
    if not isinstance(value, str):
        raise _refuse(key, "E_NUM" if key == "text" else "E_CHOICE", f"{key} is a text", "a text")
    return value


def _measure(texts: Mapping[str, str]) -> Measure:
    """What the number may be: a calculator's field, or a kind."""
    if "calculator" in texts or "field" in texts:
        fields = {field.key: field for field in _fields(texts.get("calculator", ""))}
        field = fields.get(texts.get("field", ""))
        if field is None or field.kind not in ("number", "integer"):
            raise _refuse("field", "E_CHOICE", "no numeric field of this name", ", ".join(list(fields)[:5]))
        return field.measure
    kind = texts.get("kind", "number")
    if kind not in KINDS:
        raise _refuse("kind", "E_CHOICE", f'unknown kind "{kind[:20]}"', "one of " + ", ".join(KINDS))
    return KINDS[kind]


def _fields(name: str) -> tuple[Field, ...]:
    try:
        return find_calculator(name).declaration.fields
    except InputError as error:
        raise _refuse("calculator", "E_CHOICE", error.message, error.expected) from error


def _refuse(field: str, code: str, message: str, expected: str, got: str = "") -> InputError:
    errors = (FieldError(field=field, code=code, message=message),)
    return InputError(message, where=field, got=got, expected=expected, errors=errors)
