"""Pages: the list of calculators, each calculator, and the rules they count by, in each language."""

from __future__ import annotations

from functools import cache
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.declaration import Declaration
from peakwise.core.units import S_PER_DAY
from peakwise.web.body import media_type, read_body, read_pairs, wants_form
from peakwise.web.bounded import run_bounded
from peakwise.web.errors import NOT_FOUND
from peakwise.web.language import COOKIE, COOKIE_DAYS, choose_language
from peakwise.web.links import slug_of
from peakwise.web.listing import draw_docs, draw_home, draw_missing
from peakwise.web.paper import HTML, Reader, draw_page
from peakwise.web.security import LARGEST_FORM, base_of
from peakwise.web.texts import LANGUAGES

FOUND, SEE_OTHER = 302, 303


@cache
def find_page(language: str, slug: str) -> Declaration | None:
    """The calculator of a path; the English slug stands in every language."""
    for name in CALCULATORS:
        declaration = find_calculator(name).declaration
        if slug in (slug_of(declaration, language), declaration.id):
            return declaration
    return None


async def send_start(request: Request) -> Response:
    """The list of calculators in the reader's language."""
    language = choose_language(request.cookies.get(COOKIE, ""), request.headers.get("accept-language", ""))
    headers = {"vary": "accept-language, cookie", "cache-control": "no-store"}
    return RedirectResponse(f"/{language}/", FOUND, headers=headers)


async def send_home(request: Request) -> Response:
    """The list of calculators."""
    reader = _reader(request)
    return _keep(Response(draw_home(reader), media_type=HTML), request, reader.language)


async def send_docs(request: Request) -> Response:
    """The rules, and the same answers elsewhere."""
    reader = _reader(request)
    return _keep(Response(draw_docs(reader), media_type=HTML), request, reader.language)


async def send_page(request: Request) -> Response:
    """A calculator's page: its question in the address, or in a form that was posted."""
    reader = _reader(request)
    declaration = find_page(reader.language, request.path_params["slug"])
    if declaration is None:
        return Response(draw_missing(reader), NOT_FOUND, media_type=HTML)
    raw: bytes = request.scope["query_string"]
    if request.method == "POST":
        wants_form(media_type(request))
        raw = await read_body(request, LARGEST_FORM)
    pairs = read_pairs(raw)
    reply = await run_bounded(lambda: draw_page(declaration, pairs, reader), len(raw))
    if reply.location:
        return _keep(RedirectResponse(quote(reply.location, safe="/?&=%.;:"), SEE_OTHER), request, reader.language)
    answer = Response(reply.text, reply.status, media_type=reply.media_type)
    answer.headers["vary"] = "accept-language"
    return _keep(answer, request, reader.language)


async def send_without_slash(request: Request) -> Response:
    """A language without its slash."""
    return RedirectResponse(f"/{_language(request)}/", FOUND)


def _language(request: Request) -> str:
    """The language of a path. **Raises** HTTPException where there is none of this name."""
    language: str = request.path_params["language"]
    if language not in LANGUAGES:
        raise HTTPException(NOT_FOUND)
    return language


def _reader(request: Request) -> Reader:
    return Reader(
        language=_language(request),
        accepted=request.headers.get("accept-language", ""),
        base=base_of(request.scope["scheme"], request.headers.get("host", "")),
    )


def _keep(answer: Response, request: Request, language: str) -> Response:
    """The reply, with the language remembered where it is another than before."""
    if request.cookies.get(COOKIE) != language:
        age = COOKIE_DAYS * S_PER_DAY
        answer.set_cookie(COOKIE, language, max_age=age, httponly=True, samesite="lax")
    answer.headers.setdefault("cache-control", "no-store")
    return answer


ROUTES = (
    Route("/", send_start),
    Route("/{language}", send_without_slash),
    Route("/{language}/", send_home),
    Route("/{language}/docs", send_docs),
    Route("/{language}/{slug}", send_page, methods=["GET", "POST"]),
)
