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
from peakwise.web.charts_view import NARROW, WIDE, list_charts, word_of
from peakwise.web.form import read_form
from peakwise.web.language import choose_locale
from peakwise.web.sheet import open_sheet
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


# A picture on its own may style itself and do nothing else.
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

ROUTES = (Route("/charts/{language}/{id}/{name}.svg", send_chart, methods=["GET"]),)


@lru_cache(maxsize=KEPT)
def _draw(language: str, identifier: str, name: str, pairs: Pairs, width: int) -> str | None:
    declaration = find_calculator(identifier).declaration
    asked = read_form(declaration, pairs)
    locale = choose_locale(language, asked.locale, "")
    sheet = open_sheet(declaration, asked, answer_page(declaration, asked, locale), language, locale)
    chart = next((chart for chart in list_charts(sheet) if chart.name == name), None)
    if chart is None or isinstance(chart, Listing):
        return None
    return draw_svg(chart, lambda key: word_of(sheet, chart, key), locale, width)
