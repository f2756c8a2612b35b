"""A chart as an SVG that serves light and dark, or as its specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from peakwise.core.chart import BarChart, DotChart, LineChart, Picture
from peakwise.core.errors import Json, MissingExtra
from peakwise.report.charts.style import FONT, Size, css, patterns, signs

Words = Callable[[str], str]


def specify(chart: Picture, words: Words, locale: str, width: int) -> Json:
    """The Vega-Lite specification of a chart. **Raises** MissingExtra without the extra `charts`."""
    try:
        from peakwise.report.charts.bars import draw_bars, draw_dots
        from peakwise.report.charts.lines import draw_lines
    except ImportError as error:
        raise _missing() from error
    size = Size(width)
    match chart:
        case LineChart():
            drawing = draw_lines(chart, words, locale, size)
        case BarChart():
            drawing = draw_bars(chart, words, locale, size)
        case DotChart():
            drawing = draw_dots(chart, words, locale, size)
    configured = drawing.configure(aria=False, background="transparent", font=FONT, padding=4).configure_view(
        strokeWidth=0
    )
    return cast(Json, configured.to_dict(validate=False))


def draw_svg(chart: Picture, words: Words, locale: str, width: int) -> str:
    """The picture of a chart, `width` px wide, with the words and signs of one reader.

    **Raises** MissingExtra without the extra `charts`.
    """
    try:
        import vl_convert  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise _missing() from error
    convert = cast("Callable[..., str]", cast(Any, vl_convert).vegalite_to_svg)
    svg = convert(vl_spec=specify(chart, words, locale, width), format_locale=signs(locale))
    head, bracket, body = svg.partition(">")
    return f"{head}{bracket}<style>{css()}</style>{patterns()}{body}"


def _missing() -> MissingExtra:
    return MissingExtra(
        "charts need the extra `charts`",
        where="charts",
        got="no altair or vl-convert",
        expected="both installed",
        hint='pip install "peakwise[charts]"',
    )
