"""Which address leads where: languages, pages, files, and what every reply carries."""

from __future__ import annotations

import logging
import re

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.web.links import path_of
from peakwise.web.security import POLICY
from peakwise.web.texts import LANGUAGES

PAGES = [(language, name) for language in LANGUAGES for name in CALCULATORS]


@pytest.mark.parametrize(
    ("cookie", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "it-IT,it;q=0.9,en;q=0.8", "it"),
        ("", "de-DE,de;q=0.9,es;q=0.5,ru;q=0.7", "ru"),
        ("ru", "it-IT", "ru"),
        ("xx", "es-MX", "es"),
        ("", ",;q=,en;q=x,*", "en"),
    ],
)
def test_the_start_leads_to_the_language_chosen_before_or_accepted_first(
    client: TestClient, cookie: str, accepted: str, language: str
) -> None:
    headers = {"accept-language": accepted} | ({"cookie": f"lang={cookie}"} if cookie else {})
    reply = client.get("/", headers=headers)
    assert (reply.status_code, reply.headers["location"]) == (302, f"/{language}/")


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_every_page_answers_in_every_language_under_sixty_kilobytes(
    client: TestClient, language: str, name: str
) -> None:
    reply = client.get(path_of(find_calculator(name).declaration, language))
    assert reply.status_code == 200
    assert f'<html lang="{language}">' in reply.text
    assert len(reply.content) < 60_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_names_itself_in_every_language_and_keeps_its_inputs_when_it_changes(
    client: TestClient, language: str
) -> None:
    """Requirement 89."""
    text = client.get(f"/{language}/mfu?v=1&w=train&n=8&tps=50000&peak=989&acc=8").text
    for other in LANGUAGES:
        assert f'hreflang="{other}" href="http://testserver/{other}/mfu"' in text
        assert f'href="/{other}/mfu?v=1&amp;w=train&amp;n=8&amp;tps=50000&amp;peak=989&amp;acc=8"' in text
    assert 'hreflang="x-default" href="http://testserver/en/mfu"' in text


def test_a_page_remembers_only_its_language(client: TestClient) -> None:
    reply = client.get("/it/mfu")
    assert [cookie.partition("=")[0] for cookie in reply.headers.get_list("set-cookie")] == ["lang"]
    assert "set-cookie" not in client.get("/it/mfu", headers={"cookie": "lang=it"}).headers


def test_the_english_name_of_a_page_works_in_every_language(client: TestClient) -> None:
    assert client.get("/ru/inference-roofline").status_code == 200


@pytest.mark.parametrize("path", ["/fr/", "/en/nothing", "/en/mfu/more", "/static/nothing.css", "/api/v1/nothing"])
def test_an_address_with_nothing_is_404(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_browser_gets_a_page_for_an_address_with_nothing(client: TestClient) -> None:
    reply = client.get("/es/nada", headers={"accept": "text/html"})
    assert reply.status_code == 404
    assert "<h1>No hay nada en esta dirección</h1>" in reply.text


@pytest.mark.parametrize("path", ["/", "/en/", "/en/mfu", "/api/v1/mfu", "/healthz", "/favicon.ico", "/nothing"])
def test_every_reply_carries_the_policy_and_the_other_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_no_page_has_a_script_or_a_style_of_its_own_or_anything_from_another_host(
    client: TestClient, language: str, name: str
) -> None:
    text = client.get(path_of(find_calculator(name).declaration, language)).text
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=", text) == []
    inline = [tag for tag in re.findall(r"<script([^>]*)>", text) if "src=" not in tag]
    assert all('type="application/ld+json"' in tag for tag in inline)
    loaded = re.findall(r'<(?:script|img|link rel="(?:stylesheet|icon)")[^>]*(?:src|href)="([^"]+)"', text)
    assert loaded
    assert all(address.startswith("/") for address in loaded)


def test_the_breadcrumb_is_there_for_people_and_for_machines(client: TestClient) -> None:
    """Requirement 71."""
    text = client.get("/es/throughput-fine-tuning").text
    assert '<nav class="crumbs"' in text
    assert '"@type": "BreadcrumbList"' in text


def test_a_file_with_its_version_is_kept_and_without_is_asked_for_again(client: TestClient) -> None:
    address = re.findall(r'href="(/static/page.css\?v=[0-9a-f]+)"', client.get("/en/mfu").text)[0]
    assert "immutable" in client.get(address).headers["cache-control"]
    assert client.get("/static/page.css").headers["cache-control"] == "no-cache"


def test_health_says_ok(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "ok"


def test_the_log_has_the_path_and_no_input(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="peakwise.web"):
        client.get("/en/mfu?n=70.125")
        client.post("/api/v1/mfu", json={"params_b": 71.5})
    assert [record.getMessage().rpartition(" ")[0].rpartition(" ")[0] for record in caplog.records] == [
        "GET /en/mfu 200",
        "POST /api/v1/mfu 422",
    ]


def test_a_host_that_is_none_is_not_repeated(client: TestClient) -> None:
    text = client.get("/en/mfu", headers={"host": 'x"><script>'}).text
    assert "<script>" not in text.replace('<script type="application/ld+json">', "")
