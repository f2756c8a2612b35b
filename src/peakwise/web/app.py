"""The web application: pages, the JSON API, and what guards them."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from peakwise.core.errors import PeakwiseError
from peakwise.core.version import VERSION
from peakwise.web.errors import NOT_FOUND, plain_error, status_of, write_document
from peakwise.web.routes import api, assets, charts, health, pages
from peakwise.web.security import Guard, base_of
from peakwise.web.texts import LANGUAGES
from peakwise.web.warm import warm_up

JSON = "application/json"


def create_app() -> FastAPI:
    """The application, ready to serve: texts read, templates compiled."""
    app = FastAPI(title="Peakwise", version=VERSION, openapi_url=None, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.router.routes[:] = [*health.ROUTES, *assets.ROUTES, *api.ROUTES, *charts.ROUTES, *pages.ROUTES]
    app.add_exception_handler(HTTPException, send_refusal)
    app.add_exception_handler(PeakwiseError, send_error)
    app.add_exception_handler(Exception, send_failure)
    app.add_middleware(Guard)
    warm_up()
    return app


async def send_error(request: Request, error: Exception) -> Response:
    """One of our own errors as its document."""
    del request
    assert isinstance(error, PeakwiseError)  # registered for these alone
    return Response(write_document(error.to_dict()), status_of(error), media_type=JSON)


async def send_refusal(request: Request, error: Exception) -> Response:
    """An address or a method that there is not: a page where a page was asked for, else a document."""
    assert isinstance(error, HTTPException)  # registered for these alone
    first = request.url.path.strip("/").partition("/")[0]
    wants_page = "text/html" in request.headers.get("accept", "")
    if error.status_code == NOT_FOUND and wants_page and first != "api":
        from peakwise.web.language import COOKIE, choose_language
        from peakwise.web.listing import draw_missing
        from peakwise.web.paper import HTML, Reader

        accepted = request.headers.get("accept-language", "")
        language = first if first in LANGUAGES else choose_language(request.cookies.get(COOKIE, ""), accepted)
        base = base_of(request.scope["scheme"], request.headers.get("host", ""))
        return Response(draw_missing(Reader(language, accepted, base)), NOT_FOUND, media_type=HTML)
    document = write_document(plain_error(error.status_code).to_dict())
    headers = dict(error.headers or {})
    return Response(document, error.status_code, media_type=JSON, headers=headers)


async def send_failure(request: Request, error: Exception) -> Response:
    """A fault of the server: a document without a trace."""
    del request, error
    return Response(write_document(plain_error(500).to_dict()), 500, media_type=JSON)
