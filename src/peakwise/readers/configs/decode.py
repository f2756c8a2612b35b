"""The bytes of a config.json as a mapping, or a clear error."""

from __future__ import annotations

import re
from typing import cast

import msgspec

from peakwise.core.errors import ReadError
from peakwise.core.units import MEBI

# A config is a few kilobytes; the largest published ones, with 20,000 labels, stay under two MiB.
LARGEST_BYTES = 16 * MEBI
# Published configs nest four deep; this leaves room and keeps far from the recursion limit of anyone who walks it.
DEEPEST = 64

# A string, a word that only other dialects of JSON have, or a bracket.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|-?Infinity|NaN|[\[\]{}]', re.DOTALL)
_INFINITIES = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


def decode_config(data: bytes, where: str) -> dict[str, object]:
    """The mapping in a JSON file. Bare `Infinity` and `NaN`, and `{"__float__": "Infinity"}`, are read as numbers.

    **Raises** ReadError for anything that is not one JSON object.
    """
    hint = "give a model's config.json"
    if len(data) > LARGEST_BYTES:
        expected = f"a config of at most {LARGEST_BYTES} bytes"
        raise ReadError("the file is too large", where=where, got=f"{len(data)} bytes", expected=expected, hint=hint)
    if not data.strip():
        raise ReadError("the file is empty", where=where, got="0 bytes", expected="a JSON object", hint=hint)
    text = _as_text(data, where)
    if _depth(text) > DEEPEST:
        expected = f"a config nested at most {DEEPEST} deep"
        raise ReadError("the file is nested too deep", where=where, got="deeper", expected=expected, hint=hint)
    try:
        value: object = msgspec.json.decode(_quote_infinities(text))
    except (msgspec.DecodeError, RecursionError) as error:
        raise ReadError(f"not JSON: {error}", where=where, got=_start(text), expected="JSON", hint=hint) from error
    if not isinstance(value, dict):
        got, expected = _start(text), "a JSON object"
        raise ReadError("the JSON is not an object", where=where, got=got, expected=expected, hint=hint)
    return cast(dict[str, object], _restore(cast(object, value)))


def _as_text(data: bytes, where: str) -> str:
    if b"\0" not in data[:4096]:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            pass  # answered below, as a binary file is
    expected = "text in UTF-8"
    raise ReadError("the file is binary", where=where, got="bytes that are no text", expected=expected)


def _start(text: str) -> str:
    line = " ".join(text[:200].split())
    return line if len(line) <= 40 else line[:39] + "…"


def _depth(text: str) -> int:
    """The deepest nesting of brackets outside strings, found without recursion; stops beyond what is allowed."""
    depth = deepest = 0
    for token in _TOKEN.finditer(text):
        if token.group() in "[{":
            depth += 1
            deepest = max(deepest, depth)
            if depth > DEEPEST:
                break
        elif token.group() in "]}":
            depth -= 1
    return deepest


def _quote_infinities(text: str) -> str:
    """Bare `Infinity` and `NaN` outside strings as `{"__float__": …}`, which is JSON."""
    if not any(word in text for word in _INFINITIES):
        return text
    return _TOKEN.sub(lambda m: f'{{"__float__": "{m.group()}"}}' if m.group() in _INFINITIES else m.group(), text)


def _restore(value: object) -> object:
    if isinstance(value, dict):
        table = cast(dict[str, object], value)
        mark = table.get("__float__")
        if len(table) == 1 and isinstance(mark, str) and mark in _INFINITIES:
            return _INFINITIES[mark]
        return {key: _restore(item) for key, item in table.items()}
    if isinstance(value, list):
        return [_restore(item) for item in cast(list[object], value)]
    return value
