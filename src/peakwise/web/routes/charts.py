"""The pictures of a page, each at the address of its own question."""

from __future__ import annotations

from functools import lru_cache

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.chart import Listing
from peakwise.report.charts.draw import draw_svg
from peakwise.web.answer import answer_page
from peakwise.web.card import draw_card
from peakwise.web.charts_view import NARROW, WIDE, list_charts, word_of
from peakwise.web.form import read_form
from peakwise.web.language import choose_locale
from peakwise.web.sheet import Sheet, open_sheet
from peakwise.web.texts import LANGUAGES

WIDTHS = {str(WIDE): WIDE, str(NARROW): NARROW}
KEPT = 256  # pictures in memory, about 15 kB each
SECONDS = 3600  # a browser keeps a picture: its address says all that it shows

Pairs = tuple[tuple[str, str], ...]


async def send_chart(request: Request) -> Response:
    """One picture as SVG; 404 for a page, a chart or a width that is not there, or a question without an answer."""
    path = request.path_params
    pairs = tuple((name, text) for name, text in request.query_params.multi_items() if name != "width")
    width = WIDTHS.get(request.query_params.get("width", str(WIDE)))
    if path["language"] not in LANGUAGES or path["id"] not in CALCULATORS or width is None:
        raise HTTPException(404, "no such chart")
    svg = await run_in_threadpool(_draw, path["language"], path["id"], path["name"], pairs, width)
    if svg is None:
        raise HTTPException(404, "no such chart")
    headers = {"Cache-Control": f"public, max-age={SECONDS}", "Content-Security-Policy": SVG_POLICY}
    return Response(svg, media_type="image/svg+xml", headers=headers)


async def send_card(request: Request) -> Response:
    """The picture of a link, as PNG; 404 where there is no answer, or one above the peak."""
    path = request.path_params
    if path["language"] not in LANGUAGES or path["id"] not in CALCULATORS:
        raise HTTPException(404, "no such card")
    png = await run_in_threadpool(_card, path["language"], path["id"], tuple(request.query_params.multi_items()))
    if png is None:
        raise HTTPException(404, "no such card")
    return Response(png, media_type="image/png", headers={"Cache-Control": f"public, max-age={SECONDS}"})


# A picture on its own may style itself and do nothing else.
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

ROUTES = (
    Route("/charts/{language}/{id}/card.png", send_card, methods=["GET"]),
    Route("/charts/{language}/{id}/{name}.svg", send_chart, methods=["GET"]),
)


@lru_cache(maxsize=KEPT)
def _card(language: str, identifier: str, pairs: Pairs) -> bytes | None:
    return draw_card(_open(language, identifier, pairs))


def _open(language: str, identifier: str, pairs: Pairs) -> Sheet:
    """The page that a picture belongs to."""
    declaration = find_calculator(identifier).declaration
    asked = read_form(declaration, pairs)
    locale = choose_locale(language, asked.locale, "")
    return open_sheet(declaration, asked, answer_page(declaration, asked, locale), language, locale)


@lru_cache(maxsize=KEPT)
def _draw(language: str, identifier: str, name: str, pairs: Pairs, width: int) -> str | None:
    sheet = _open(language, identifier, pairs)
    chart = next((chart for chart in list_charts(sheet) if chart.name == name), None)
    if chart is None or isinstance(chart, Listing):
        return None
    return draw_svg(chart, lambda key: word_of(sheet, chart, key), sheet.locale, width)
