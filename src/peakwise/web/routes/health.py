"""Whether the server answers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from peakwise.core.version import VERSION
from peakwise.web.errors import write_document


async def send_health(request: Request) -> Response:
    """That it answers, and its version."""
    del request
    document = write_document({"status": "ok", "version": VERSION})
    return Response(document, media_type="application/json", headers={"cache-control": "no-store"})


ROUTES = (Route("/healthz", send_health),)
