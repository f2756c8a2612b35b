"""Files: styles, the script, the mark, and the icon that browsers ask for by themselves."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from peakwise.core.units import S_PER_DAY
from peakwise.web.assets import read_assets
from peakwise.web.errors import NOT_FOUND, plain_error

_YEAR = 365 * S_PER_DAY  # seconds: an address with a version never changes its content


async def send_asset(request: Request) -> Response:
    """One file; kept for a year where the address names its version."""
    asset = read_assets().get(request.path_params["name"])
    if asset is None:
        raise plain_error(NOT_FOUND)
    current = request.query_params.get("v") == asset.version
    kept = f"public, max-age={_YEAR}, immutable" if current else "no-cache"
    return Response(asset.content, media_type=asset.media_type, headers={"cache-control": kept})


async def send_icon(request: Request) -> Response:
    """The mark, for a browser that asks for an icon of its own."""
    del request
    asset = read_assets()["mark.svg"]
    return Response(asset.content, media_type=asset.media_type, headers={"cache-control": f"max-age={S_PER_DAY}"})


ROUTES = (
    Route("/static/{name}", send_asset),
    Route("/favicon.ico", send_icon),
)
