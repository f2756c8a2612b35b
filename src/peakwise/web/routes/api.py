"""The JSON API: each calculator by GET and POST, many rows at once, CSV, typed numbers, and the OpenAPI file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.declaration import Declaration
from peakwise.core.errors import Json
from peakwise.web.body import media_type, read_body, read_json, read_object, read_pairs
from peakwise.web.bounded import run_bounded
from peakwise.web.errors import (
    NOT_FOUND,
    NOT_SUPPORTED,
    RequestError,
    plain_error,
    status_of,
    write_document,
)
from peakwise.web.openapi import describe_api
from peakwise.web.parse_number import parse_number
from peakwise.web.rows import Document, answer_one, answer_rows, query_inputs
from peakwise.web.security import LARGEST_BODY
from peakwise.web.tables import read_table, write_table

JSON, CSV = "application/json", "text/csv"
_FEW = 4  # rows that are answered at once; more are answered beside other requests
METHODS = ["GET", "POST"]
# No caller is counted: the only limit is how many requests are served together (`peakwise web` sets it).
AT_ONCE = 256
RATE = {
    "ratelimit-policy": f'"together";q={AT_ONCE};qu="concurrent-requests"',
    "cache-control": "no-store",
}


@cache
def _declarations() -> dict[str, Declaration]:
    return {name: find_calculator(name).declaration for name in CALCULATORS}


async def send_calculation(request: Request) -> Response:
    """The document of one question, or of each row of many."""
    declaration = _declarations().get(request.path_params["name"])
    if declaration is None:
        raise plain_error(NOT_FOUND)
    if request.method != "POST":
        raw: bytes = request.scope["query_string"]
        given = query_inputs(declaration, read_pairs(raw))
        one = await run_bounded(lambda: answer_one(declaration.id, given, text=True), len(raw))
        return _reply(request, declaration, one)
    body = await read_body(request, LARGEST_BODY)
    kind = media_type(request)
    if kind == CSV:
        return await _many(request, declaration, read_table(body), len(body), text=True)
    if kind != JSON:
        raise RequestError(NOT_SUPPORTED, "the body is neither JSON nor CSV", where="content-type", got=kind[:60])
    value = read_json(body)
    if isinstance(value, list):
        rows = [read_object(item, f"row {place}") for place, item in enumerate(value, 1)]  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        return await _many(request, declaration, rows, len(body), text=False)
    given = dict(read_object(value, "body"))
    one = await run_bounded(lambda: answer_one(declaration.id, given, text=False), len(body))
    return _reply(request, declaration, one)


def _reply(request: Request, declaration: Declaration, one: Document) -> Response:
    status = 200 if one.error is None else status_of(one.error)
    if _wants_table(request) and one.error is None:
        return _table(declaration, [one])
    return Response(write_document(one.document), status, media_type=JSON, headers=RATE)


async def _many(
    request: Request, declaration: Declaration, rows: Sequence[Mapping[str, object]], size: int, *, text: bool
) -> Response:
    documents = await run_bounded(
        lambda: answer_rows(declaration.id, rows, text=text), size if len(rows) < _FEW else LARGEST_BODY
    )
    if _wants_table(request) or (text and JSON not in request.headers.get("accept", "")):
        return _table(declaration, documents)
    answers: list[Json] = [item.document for item in documents]
    return Response(write_document(answers), media_type=JSON, headers=RATE)


def _wants_table(request: Request) -> bool:
    return CSV in request.headers.get("accept", "")


def _table(declaration: Declaration, documents: list[Document]) -> Response:
    text = write_table(declaration, documents)
    return Response(text.encode(), media_type=f"{CSV}; charset=utf-8", headers=RATE)


async def send_number(request: Request) -> Response:
    """What a typed number reads as."""
    if request.method == "POST":
        body = await read_body(request, LARGEST_BODY)
        if media_type(request) != JSON:
            raise RequestError(NOT_SUPPORTED, "the body is not JSON", where="content-type")
        given = read_object(read_json(body), "body")
    else:
        given = dict(read_pairs(request.scope["query_string"]))
    return Response(write_document(parse_number(given)), media_type=JSON, headers=RATE)


async def send_openapi(request: Request) -> Response:
    """The OpenAPI file."""
    del request
    return Response(_openapi(), media_type=JSON, headers={"cache-control": "no-cache"})


@cache
def _openapi() -> bytes:
    return write_document(describe_api(tuple(_declarations().values())))


ROUTES = (
    Route("/api/v1/openapi.json", send_openapi),
    Route("/api/v1/parse-number", send_number, methods=METHODS),
    Route("/api/v1/{name}", send_calculation, methods=METHODS),
)
