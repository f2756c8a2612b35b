"""The body of a request, bounded: its bytes, a JSON value of limited depth, or the pairs of a form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import parse_qsl

from peakwise.web.errors import BAD_REQUEST, NOT_SUPPORTED, TOO_LARGE, RequestError

if TYPE_CHECKING:
    from starlette.requests import Request

DEEPEST = 32  # levels of a JSON body: rows, inputs and a list are three; the reader itself stands some thousand
MOST_PAIRS = 400  # of a query or a form


async def read_body(request: Request, most: int) -> bytes:
    """The bytes of a body. **Raises** RequestError where there are more than `most`."""
    stated = request.headers.get("content-length", "")
    if stated.isdigit() and int(stated) > most:
        raise _too_large(most)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise _too_large(most)
        parts.append(part)
    return b"".join(parts)


def _too_large(most: int) -> RequestError:
    return RequestError(TOO_LARGE, f"the body has more than {most:,} bytes", where="body", expected=f"at most {most:,}")


def media_type(request: Request) -> str:
    """What a body says it is, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def read_json(body: bytes) -> object:
    """A JSON value of few levels. **Raises** RequestError."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(BAD_REQUEST, "the body is not UTF-8", where="body") from error
    _check_depth(text)
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except ValueError as error:
        reason = str(error)[:120]
        raise RequestError(BAD_REQUEST, "the body is not JSON", where="body", got=reason) from error


def _check_depth(text: str) -> None:
    """Refuse a body of many levels before it is read: brackets outside of strings are counted."""
    depth = 0
    quoted = escaped = False
    for char in text if "[" in text or text.count("{") > 1 else "":
        if escaped:
            escaped = False
        elif quoted:
            escaped = char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in "[{":
            depth += 1
            if depth > DEEPEST:
                raise RequestError(BAD_REQUEST, f"the body has more than {DEEPEST} levels", where="body")
        elif char in "]}":
            depth -= 1


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def read_pairs(query: bytes | str) -> list[tuple[str, str]]:
    """The pairs of a query or of a form, in their order. **Raises** RequestError where there are too many."""
    text = query.decode("latin-1") if isinstance(query, bytes) else query
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PAIRS)
    except ValueError as error:
        raise RequestError(BAD_REQUEST, f"more than {MOST_PAIRS} parameters", where="query") from error


def read_object(value: object, where: str) -> Mapping[str, object]:
    """A JSON object. **Raises** RequestError for any other value."""
    if not isinstance(value, dict):
        raise RequestError(BAD_REQUEST, "an object of inputs is wanted", where=where, expected='{"params_b": 70, …}')
    return value  # pyright: ignore[reportUnknownVariableType]


def wants_form(kind: str) -> bool:
    """Whether a body is a form's. **Raises** RequestError for what is neither that nor stated."""
    if kind == "application/x-www-form-urlencoded":
        return True
    raise RequestError(NOT_SUPPORTED, "a form is wanted", where="content-type", got=kind[:60])
