"""The product's requirements on bands, scales and causes as the pages word them, by their numbers."""

from __future__ import annotations

import html
import re

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.hfu_losses import LOSSES
from peakwise.web.texts import LANGUAGES, read_texts

BANDS = ("poor", "average", "good", "excellent")
NBSP = "\N{NO-BREAK SPACE}"


def _page(client: TestClient, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200, address
    return html.unescape(reply.text)


def _items(text: str, anchor: str, tag: str) -> list[str]:
    """The points of a list in one written part of a page."""
    part = re.search(rf'<details id="{anchor}"[^>]*>.*?<{tag}>(.*?)</{tag}>.*?</details>', text, re.DOTALL)
    assert part is not None
    return re.findall(r"<li>(.*?)</li>", part[1])


@pytest.mark.parametrize(("page", "anchor"), [("mfu", "about-6"), ("hfu", "about-5")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_44_four_rows_name_each_band_with_its_edges_and_what_is_typical_of_it(
    client: TestClient, language: str, page: str, anchor: str
) -> None:
    rows = _items(_page(client, f"/{language}/{page}"), anchor, "ul")
    names = [read_texts(language).plain(f"band.{band}") for band in BANDS]
    assert [row.partition(",")[0].lower() for row in rows] == names
    edges = [{int(figure) for figure in re.findall(r"(\d+)[ \u00a0]?%", row)} for row in rows]
    assert edges == [{25}, {25, 40}, {40, 55}, {55}]
    assert all(row.partition(":")[2].strip() for row in rows)


@pytest.mark.parametrize(
    ("language", "fifty"),
    [
        ("en", "good where that begins at 50%"),
        ("es", f"buena para quien empieza en el 50{NBSP}%"),
        ("it", "buono per chi parte dal 50%"),
        ("ru", f"хорошо, если считать от 50{NBSP}%"),
    ],
)
def test_requirement_45_fifty_percent_is_good_by_the_bands_and_by_the_scale_that_begins_there(
    client: TestClient, language: str, fifty: str
) -> None:
    def rows(percent: str) -> list[str]:
        text = _page(client, f"/{language}/hfu?v=1&mfu={percent}")
        return [part for row in re.findall(r"<dd>([^<]*)</dd>", text) for part in row.split("; ")]

    assert fifty in rows("50")
    assert fifty not in rows("49.9")
    named = re.findall(r'class="name current near"[^>]*>([^<]+)<', _page(client, f"/{language}/hfu?v=1&mfu=50"))
    assert named == [read_texts(language).plain("band.good")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_46_the_page_says_of_each_of_six_causes_how_to_measure_it(
    client: TestClient, language: str
) -> None:
    rows = _items(_page(client, f"/{language}/hfu"), "about-3", "ol")
    assert len(rows) == 6 <= len(LOSSES)
    assert all(row.partition(":")[2].strip() for row in rows)
    assert re.search(r"7 ÷ 39 = 17[.,]9[ \u00a0]?%", rows[1])
