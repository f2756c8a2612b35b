"""Each state of an answer: the number, the ruler, what cannot be right, what travels on, and what can be copied."""

from __future__ import annotations

import csv
import html
import io
import re
from itertools import pairwise

import pytest
from starlette.testclient import TestClient

from peakwise.web.texts import LANGUAGES

BASE = "/en/mfu?v=1&w={w}&n={n}&tps={tps}&peak=989&acc={acc}"
NBSP = "\u00a0"


def _page(client: TestClient, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200
    return reply.text


def _words(text: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)))


def _hero(text: str) -> str:
    found = re.search(r'<p class="hero[^>]*>(.*?)</p>', text, re.DOTALL)
    assert found is not None
    return html.unescape(re.sub(r"<[^>]+>", "", found[1])).strip()


@pytest.mark.parametrize(
    ("language", "hero", "says"),
    [
        ("en", "28.3%", "280.0 of 989 TFLOP/s."),
        ("es", f"28,3{NBSP}%", "280,0 de 989 TFLOP/s."),
        ("it", "28,3%", "280,0"),
        ("ru", f"28,3{NBSP}%", "280,0"),
    ],
)
def test_the_answer_is_written_as_its_language_writes_numbers(
    client: TestClient, language: str, hero: str, says: str
) -> None:
    """Requirements 13, 15, 31, 32, 52."""
    text = _page(client, f"/{language}/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1")
    assert _hero(text) == hero
    assert says in _words(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mfu_page_has_its_seven_regions_each_with_a_heading(client: TestClient, language: str) -> None:
    """Requirement 1: workload, hardware, result, details, questions, notice, next tools."""
    text = _page(client, f"/{language}/mfu")
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", text)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for region in ("h-form", "h-answer", "h-about", "h-questions", "h-next"):
        assert re.search(rf'<h2 id="{region}"', text), region
    assert text.count('<h2 class="unseen">') == 2  # hardware, and the notice in the footer


def test_the_peak_of_all_accelerators_is_shown_beside_the_one_typed(client: TestClient) -> None:
    """Requirement 5."""
    assert "of 7,912 TFLOP/s" in _words(_page(client, BASE.format(w="train", n=70, tps=2000, acc=8)))


def test_the_inputs_stand_on_paper_as_label_and_value(client: TestClient) -> None:
    """Requirement 6."""
    text = _page(client, "/es/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1")
    summary = _words(text[text.index('id="h-summary"') :])
    for said in ("Inferencia 2N", "70 ×10⁹", "2.000 token/s", "989 TFLOP/s"):
        assert said in summary


def test_decoding_and_mixtures_get_grey_bands_and_the_reason(client: TestClient) -> None:
    """Requirement 21."""
    text = _page(client, BASE.format(w="inf", n=70, tps=2000, acc=1))
    assert '<svg class="gauge off"' in text
    assert "they were written for dense training, and this is inference" in text
    assert 'class="name current' not in text


def test_dense_training_gets_bands_in_colour_and_its_own_named(client: TestClient) -> None:
    """Requirement 43."""
    text = _page(client, BASE.format(w="train", n=8, tps=50000, acc=8))
    assert '<svg class="gauge"' in text
    assert re.findall(r'class="name current near"[^>]*>([^<]+)<', text) == ["average"]
    assert 'aria-label="MFU 30.3%, average.' in text


@pytest.mark.parametrize(("w", "tps", "acc", "code"), [("train", 2000, 1, "W_HIGH"), ("train", 500, 8, "W_BASIS")])
def test_a_finding_names_its_cause_and_mends_it_with_one_click(
    client: TestClient, w: str, tps: int, acc: int, code: str
) -> None:
    """Requirements 14, 26."""
    text = _page(client, BASE.format(w=w, n=70, tps=tps, acc=acc))
    panel = re.search(rf'<div class="finding">(?:(?!</div>).)*<code>{code}</code>', text, re.DOTALL)
    assert panel is not None
    button = re.search(r'<a class="button" href="([^"]+)">([^<]+)</a><span class="becomes">([^<]+)</span>', panel[0])
    assert button is not None
    mended = _page(client, html.unescape(button[1]))
    assert html.unescape(button[3]).endswith(f"becomes {_hero(mended)}")
    assert f"<code>{code}</code>" not in mended


def test_weights_that_do_not_fit_offer_the_accelerators_that_hold_them(client: TestClient) -> None:
    text = _page(client, "/es/mfu?v=1&w=inf&n=70&tps=2000&acc=1&hw=h100-sxm")
    assert "<code>W_FIT</code>" in text
    assert 'href="/es/mfu?v=1&amp;w=inf&amp;n=70&amp;tps=2000&amp;acc=2&amp;hw=h100-sxm"' in text


def test_above_the_peak_the_number_is_struck_with_its_causes_and_no_badge(client: TestClient) -> None:
    """Requirement 24."""
    text = _page(client, BASE.format(w="train", n=70, tps=20000, acc=8))
    assert '<p class="hero over"' in text
    assert "<s>" in text
    assert _hero(text) == "106.2%"
    assert "Above the peak: this cannot be." in text
    assert '<svg class="gauge off beyond"' in text
    rows = re.findall(r"<tr><td>(.*?)</td><td class=\"then\">(.*?)</td>", text)
    assert ("The rate comes from more accelerators: 16, not 8", "53.1%") in [
        (html.unescape(cause), value) for cause, value in rows
    ]
    assert 'data-copy="md"' not in text
    assert 'data-copy="link"' in text
    assert 'id="h-next"' not in text


@pytest.mark.parametrize("cause", range(4))
def test_every_button_of_a_cause_leads_to_a_page(client: TestClient, cause: int) -> None:
    text = _page(client, BASE.format(w="train", n=70, tps=20000, acc=8))
    buttons = re.findall(r'<td class="do"><a class="button" href="([^"]+)"', text)
    assert len(buttons) == 4
    assert client.get(html.unescape(buttons[cause]).partition("#")[0]).status_code == 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_travels_arrives_with_its_origin(client: TestClient, language: str) -> None:
    """Requirements 29, 30."""
    text = _page(client, f"/{language}/mfu?v=1&w=train&n=8&tps=50000&peak=989&acc=8")
    block = text[text.index('id="h-next"') :]
    addresses = [html.unescape(found) for found in re.findall(r'<a class="strong" href="([^"]+)"', block)]
    carried = [address for address in addresses if "from." in address]
    assert len(carried) >= 2
    for address in carried:
        arrived = _page(client, address)
        assert 'class="from"' in arrived
        assert 'class="error"' not in arrived


def test_a_copy_as_markdown_has_results_inputs_rule_notice_and_link(client: TestClient) -> None:
    """Requirements 15, 27."""
    reply = client.get("/es/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1&as=md")
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    for part in ("| MFU | 28,3", "280,0", "2026-11", "Una estimación de primer orden", "conv=2026-11"):
        assert part in reply.text


def test_a_copy_as_csv_has_plain_numbers_whatever_the_language(client: TestClient) -> None:
    reply = client.get("/es/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1&as=csv")
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    assert {row["key"]: row["value"] for row in rows}["mfu"] == "0.28311425682507585"


def test_a_copy_as_latex_escapes_what_latex_reads(client: TestClient) -> None:
    text = client.get("/en/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1&as=tex").text
    assert r"MFU & 28.3 & \%" in text


def test_the_json_of_the_copy_row_is_the_answer_of_the_page(client: TestClient) -> None:
    text = _page(client, BASE.format(w="train", n=8, tps=50000, acc=8))
    address = html.unescape(re.findall(r'<a href="(/api/v1/[^"]+)" data-copy="json"', text)[0])
    assert client.get(address).json()["results"]["mfu"] == pytest.approx(0.30333670374115267)


def test_a_fragment_is_the_same_page_without_its_surroundings(client: TestClient) -> None:
    """What the script swaps in while one types; nothing else computes."""
    text = _page(client, "/it/mfu?typed=1&fragment=1&w=inf&n=70&tps=4.000&peak=989&acc=1")
    assert _hero(text) == "56,6%"
    assert "<header" not in text
    assert 'data-canonical="/it/mfu?v=1&amp;w=inf&amp;n=70&amp;tps=4000&amp;peak=989&amp;acc=1"' in text


def test_the_script_holds_no_formula() -> None:
    from pathlib import Path

    import peakwise.web.assets

    script = (Path(peakwise.web.assets.__file__).parent / "static" / "page.js").read_text(encoding="utf-8")
    assert re.findall(r"[\w)\]] [*/%] [\w(]|Math\.|parseFloat|Number\(", script) == []
