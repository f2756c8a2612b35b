"""A chart is one picture for both themes, in the reader's signs, with nothing fetched from outside."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from peakwise.core.chart import Axis, Bar, BarChart, Chart, DotChart, Line, LineChart, Mark, Pair, Rule
from peakwise.core.declaration import Display
from peakwise.core.units import TERA
from peakwise.report.charts.draw import draw_svg

PERCENT = Display(form="percent", decimals=1)
TOKENS = Display(form="number", decimals=0)

CHARTS: list[Chart] = [
    LineChart(
        "rate",
        Axis("tokens", TOKENS),
        Axis("mfu", PERCENT, high=1),
        (Line("mfu", ((0, 0), (7064, 1))),),
        (Mark("now", 2000, 0.2831, "now"), Mark("peak_at", 7064, 1, shown="x")),
        (Rule("peak", "y", 1),),
        bands=True,
    ),
    LineChart(
        "roof",
        Axis("intensity", TOKENS, log=True),
        Axis("flops", Display(form="number", scale=TERA, decimals=0), log=True),
        (
            Line("memory", ((1, 3.35e12), (295, 989e12)), "roof"),
            Line("compute", ((295, 989e12), (2000, 989e12)), "roof"),
        ),
        (Mark("now", 84, 84 * 3.35e12, "now"),),
        hatched=True,
    ),
    BarChart("parts", Axis("share", PERCENT), (Bar("whole", 1, style="whole"), Bar("lost", 0.25, 0.75, "modelled"))),
    DotChart("rules", Axis("mfu", PERCENT), "a", "b", (Pair("one", 0.1996, 0.3894), Pair("half", None, 0.22))),
]


@pytest.fixture(scope="module", params=[704, 288])
def width(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_a_picture_is_well_formed_and_as_wide_as_asked_and_fetches_nothing(chart: Chart, width: int) -> None:
    svg = draw_svg(chart, lambda key: f"w:{key}", "es", width)
    root = ET.fromstring(svg)
    assert float(root.attrib["width"]) <= width + 60  # the axis stands outside of the plot
    assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?https?:", svg)
    assert "prefers-color-scheme: dark" in svg


def test_numbers_in_a_picture_are_written_as_the_reader_writes_them() -> None:
    texts = {
        locale: "".join(ET.fromstring(draw_svg(CHARTS[0], str, locale, 704)).itertext()) for locale in ("es", "en")
    }
    assert "28,3\u00a0%" in texts["es"]
    assert "2.000" in texts["es"]
    assert "28.3%" in texts["en"]
    assert "2,000" in texts["en"]


def test_every_word_of_a_picture_comes_from_the_reader_s_language() -> None:
    asked: set[str] = set()

    def words(key: str) -> str:
        asked.add(key)
        return "слово"

    for chart in CHARTS:
        draw_svg(chart, words, "ru", 704)
    assert {"tokens", "mfu", "now", "peak_at", "peak", "memory", "compute", "whole", "lost", "one", "half"} <= asked


def test_a_value_that_is_not_known_has_no_mark() -> None:
    chart = DotChart("rules", Axis("mfu", PERCENT), "a", "b", (Pair("half", None, 0.22),))
    svg = draw_svg(chart, str, "en", 704)
    assert svg.count("22.0%") == 1
    assert "NaN" not in svg
    assert "null" not in svg
