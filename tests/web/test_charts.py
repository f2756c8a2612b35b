"""Each chart of a page has a picture at its own address, wide and narrow, and a table that says the same."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import CALCULATORS
from peakwise.web.texts import LANGUAGES

# A question that each page answers, so that it draws all it can.
ASKED = {
    "mfu": "w=train&n=8&tps=10000&peak=989&acc=1",
    "flops-per-token": "cfg=llama-3.1-8b&s=8192&att=causal",
    "inference-roofline": "n=70&bytes=2&bw=3350&peak=989&batch=84",
    "hfu": "mfu=45&rc=full&pp=8&mb=32",
    "finetune-throughput": "acc=8&V=2500&eta=82&lens=200;400;900;2100",
    "finetune-duration": "ex=50000&ep=3&T=900&tps=16400&evk=100&evs=60",
    "method-flops": "n=8.03&m=grpo&P=64&K=8&pt=256&rt=1024",
    "lengths": "lens=200;400;900;2100&batch=4&pol=longest&s=4096",
    "compare": "ac=mai-base-1-v5&bc=deepseek-v3",
    "parse-log": "fl=4.5e14&sec=1",
}


def pictures(client: TestClient, language: str, name: str) -> list[str]:
    page = client.get(f"/{language}/{name}?{ASKED[name]}")
    assert page.status_code == 200
    found = re.findall(r'(?:src|srcset)="(/charts/[^"]+)"', page.text)
    return list(dict.fromkeys(unescape(one) for one in found))


@pytest.mark.parametrize("name", CALCULATORS)
def test_every_picture_of_a_page_is_there(client: TestClient, name: str) -> None:
    found = pictures(client, "es", name)
    assert bool(found) == (name != "parse-log")
    for address in found:
        reply = client.get(address)
        assert reply.status_code == 200, address
        assert reply.headers["content-type"] == "image/svg+xml"
        ET.fromstring(reply.text)
        assert "unsafe-inline" in reply.headers["content-security-policy"]
        assert "<script" not in reply.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in CALCULATORS if name != "parse-log"])
def test_every_chart_has_a_title_and_a_table_in_the_language(client: TestClient, language: str, name: str) -> None:
    page = client.get(f"/{language}/{name}?{ASKED[name]}").text
    sections = re.findall(r'<section class="below figure".*?</section>', page, flags=re.DOTALL)
    assert sections
    for section in sections:
        assert re.search(r"<h2[^>]*>[^<]+</h2>", section)
        heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', section)
        assert heads
        assert all(heads)
        assert "<td" in section
        # A key that no language names would stand there with its underscores taken out.
        assert not re.search(r"<t[hd][^>]*>(?:[a-z]+ ){2,}per [a-z]+<", section) or language == "en"


@pytest.mark.parametrize(
    "address",
    [
        "/charts/en/mfu/none.svg",
        "/charts/xx/mfu/rate.svg",
        "/charts/en/none/rate.svg",
        "/charts/en/mfu/rate.svg?width=99999",
        "/charts/en/mfu/rate.svg?n=abc",
        "/charts/en/compare/side_by_side.svg?ac=mai-base-1-v5&bc=deepseek-v3",
        "/charts/en/mfu/card.png?n=",
        "/charts/xx/mfu/card.png",
    ],
)
def test_a_picture_that_is_not_there_is_a_404(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 404


def test_a_link_has_a_picture_of_its_answer_and_none_above_the_peak(client: TestClient) -> None:
    page = client.get("/it/mfu?w=inf&n=70&tps=2000&peak=989&acc=1").text
    address = re.search(r'property="og:image" content="http://[^/]+([^"]+)"', page)
    assert address is not None
    card = client.get(unescape(address[1]))
    assert card.headers["content-type"] == "image/png"
    assert card.content.startswith(b"\x89PNG")
    over = client.get("/it/mfu?w=train&n=70&tps=200000&peak=989&acc=1")
    assert "og:image" not in over.text
    assert client.get("/charts/it/mfu/card.png?w=train&n=70&tps=200000&peak=989&acc=1").status_code == 404
