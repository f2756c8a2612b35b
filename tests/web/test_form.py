"""A form sent as people type: read by their region, answered by the canonical link, or by what is wrong."""

from __future__ import annotations

import asyncio
import html
import json
import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.web.links import path_of

HEADLINE = "typed=1&w=inf&n=70&tps={rate}&peak=989&acc=1"
CANONICAL = "v=1&w=inf&n=70&tps={rate}&peak=989&acc=1"


def _hero(text: str) -> str:
    found = re.search(r'<p class="hero[^>]*>(.*?)</p>', text, re.DOTALL)
    assert found is not None
    return html.unescape(re.sub(r"<[^>]+>", "", found[1])).strip()


def _message(text: str, param: str) -> str:
    found = re.search(rf'id="m-{re.escape(param)}"[^>]*>(.*?)</div>', text, re.DOTALL)
    assert found is not None
    return html.unescape(re.sub(r"<[^>]+>", " ", found[1])).strip()


@pytest.mark.parametrize(
    ("language", "typed", "rate"),
    [
        ("es", "4.000", "4000"),
        ("it", "4.000", "4000"),
        ("ru", "4%C2%A0000", "4000"),
        ("ru", "4+000", "4000"),
        ("en", "4,000", "4000"),
        ("en", "4k", "4000"),
        ("it", "0,283", "0.283"),
    ],
)
def test_a_typed_form_is_answered_by_the_canonical_link(
    client: TestClient, language: str, typed: str, rate: str
) -> None:
    """Requirements 4, 31, 32, 52."""
    reply = client.get(f"/{language}/mfu?{HEADLINE.format(rate=typed)}")
    assert (reply.status_code, reply.headers["location"]) == (
        303,
        f"/{language}/mfu?{CANONICAL.format(rate=rate)}",
    )


@pytest.mark.parametrize(
    ("accepted", "extra", "rate"),
    [("es-MX,es", "", "2000"), ("es-ES", "&locale=es-MX", "2000"), ("en-US", "", "2"), ("es-ES", "", "2")],
)
def test_the_region_and_not_the_language_alone_decides_how_a_number_is_read(
    client: TestClient, accepted: str, extra: str, rate: str
) -> None:
    address = f"/es/mfu?{HEADLINE.format(rate='2,000')}{extra}"
    reply = client.get(address, headers={"accept-language": accepted})
    assert f"&tps={rate}&" in reply.headers["location"]


def test_a_number_read_two_ways_offers_the_other_with_one_tap(client: TestClient) -> None:
    reply = client.get(f"/en/mfu?{HEADLINE.format(rate='2.000')}")
    text = client.get(reply.headers["location"]).text
    assert 'value="2.000"' in text
    assert _message(text, "tps").startswith("Read as 2 (two). Did you mean 2,000?")
    assert 'href="/en/mfu?v=1&amp;w=inf&amp;n=70&amp;tps=2000&amp;peak=989&amp;acc=1"' in text


@pytest.mark.parametrize(
    ("language", "typed", "value", "noted"),
    [("it", "0,82", "0.82", True), ("it", "0,82 %", "0.82%25", False), ("it", "82 %", "82", False)],
)
def test_a_percentage_is_taken_as_typed_and_a_fraction_in_its_place_is_questioned(
    client: TestClient, language: str, typed: str, value: str, noted: bool
) -> None:
    """Requirement 72."""
    address = path_of(find_calculator("finetune-throughput").declaration, language)
    reply = client.get(address, params={"typed": "1", "acc": "8", "V": "2500", "eta": typed, "T": "900"})
    assert f"&eta={value}&" in reply.headers["location"]
    text = client.get(reply.headers["location"]).text
    assert ('class="note"' in text) is noted


@pytest.mark.parametrize(
    ("param", "typed", "says"),
    [
        ("n", "", "Type the parameters"),
        ("tps", "abc", "not a number"),
        ("tps", "∞", "not a number"),
        ("tps", "-5", "0"),
        ("tps", "1.2.3", "not a number"),
        ("peak", "0", "The peak is 0"),
        ("acc", "1.5", "whole number"),
        ("acc", "", "empty"),
        ("acc", "9" * 1_000_0, "not a number"),
        ("tps", "<script>alert(1)</script>", "not a number"),
        ("peak", "80 GB", "unit"),
    ],
)
def test_a_bad_field_is_named_and_the_others_stay_as_they_were_typed(
    client: TestClient, param: str, typed: str, says: str
) -> None:
    """Requirement 7: no number, no NaN; what was typed stays."""
    fields = {"typed": "1", "w": "inf", "n": "70", "tps": "2,000", "peak": "989", "acc": "1"} | {param: typed}
    text = client.get("/en/mfu", params=fields).text
    assert says.lower() in _message(text, param).lower()
    assert _hero(text) == "—"
    assert "NaN" not in text
    assert "<script>alert" not in text
    kept = "989" if param != "peak" else "2,000"
    assert f'value="{kept}"' in text
    assert 'aria-invalid="true"' in text


def test_a_fraction_where_a_whole_number_is_wanted_offers_the_whole_one(client: TestClient) -> None:
    text = client.get("/en/mfu?typed=1&w=train&n=8&tps=2,000&peak=989&acc=1.500").text
    assert "whole number" in _message(text, "acc")
    assert "Did you mean 1,500?" in _message(text, "acc")
    assert "acc=1500" in text


def test_one_thing_said_in_two_ways_shows_both_and_the_conflict(client: TestClient) -> None:
    text = client.get("/en/mfu?v=1&w=train&n=8&tps=2000&V=250&peak=989&acc=8").text
    assert 'value="2,000"' in text
    assert 'value="250"' in text
    assert "token rate" in _message(text, "V")


def test_a_first_visit_shows_no_error_where_nothing_was_asked_yet(client: TestClient) -> None:
    text = client.get("/en/lengths").text
    assert _hero(text) == "—"
    assert 'class="error"' not in text
    assert 'aria-invalid="true"' not in text


def test_a_link_ignores_what_it_does_not_know_and_says_so(client: TestClient) -> None:
    text = client.get("/en/mfu?v=1&w=inf&n=70&utm_source=x&fbclid=%3Cscript%3E").text
    assert "Not used, because this page has no such input: utm_source, fbclid" in text
    assert _hero(text) == "28.3\u00a0%".replace("\u00a0", "")


def test_a_link_that_pins_rules_unknown_here_shows_no_number_of_other_rules(client: TestClient) -> None:
    text = client.get("/en/mfu?v=1&w=inf&n=70&conv=2019-01").text
    assert "rule set 2019-01" in text
    assert _hero(text) == "—"
    assert _hero(client.get("/en/mfu?v=1&w=inf&n=70&conv=2026-11").text) == "28.3%"


def test_a_value_from_another_page_says_so_until_it_is_edited(client: TestClient) -> None:
    sent = "/en/mfu?v=1&w=inf&n=70&tps=2010&peak=989&acc=1&from.tokens_per_s=inference-roofline"
    text = client.get(sent).text
    assert "from Inference roofline" in text
    form = (
        "/en/mfu?typed=1&w=inf&n=70&tps={}&peak=989&acc=1&from.tokens_per_s=inference-roofline&sent.tokens_per_s=2010"
    )
    assert "from.tokens_per_s=" in client.get(form.format("2,010")).headers["location"]
    assert "from.tokens_per_s=" not in client.get(form.format("2,011")).headers["location"]


def test_a_model_of_the_list_fills_in_its_parameters_and_those_in_use(client: TestClient) -> None:
    assert '<select id="f-preset" name="preset"' in client.get("/en/mfu?pick=n").text
    reply = client.get("/en/mfu?typed=1&w=train&preset=deepseek-v3&tps=2,000&peak=989&acc=1")
    assert "n=671.026404352&act=37.552282624&" in reply.headers["location"]


def test_a_chip_of_the_list_stands_for_the_peak(client: TestClient) -> None:
    text = client.get("/en/mfu?pick=hw").text
    assert '<option value="h100-sxm">H100 SXM · 80\u00a0GB</option>' in text
    reply = client.get("/en/mfu?typed=1&w=inf&n=70&tps=2,000&hw=h100-sxm&peak=&acc=1")
    assert reply.headers["location"] == "/en/mfu?v=1&w=inf&n=70&tps=2000&acc=1&hw=h100-sxm"
    assert "989.4 TFLOP/s, dense bf16" in client.get(reply.headers["location"]).text


def test_another_way_to_say_a_rate_takes_its_number_along(client: TestClient) -> None:
    reply = client.get("/en/mfu?typed=1&w=train&n=8&tps=2,000&way.tps=V&peak=989&acc=8")
    assert "&V=2000&" in reply.headers["location"]
    text = client.get("/en/mfu?typed=1&w=train&n=8&tps=2,000&way.tps=step&peak=989&acc=8").text
    for param in ("step", "gbs", "s"):
        assert f'<input id="f-{param}" name="{param}"' in text


def test_what_a_choice_asks_for_moves_up_beside_it(client: TestClient) -> None:
    text = client.get("/en/mfu?typed=1&w=k&n=70&tps=2,000&peak=989&acc=1").text
    assert text.index('id="f-k"') < text.index('id="f-n"')


def test_a_pasted_log_goes_by_post_and_into_no_link(client: TestClient) -> None:
    text = client.get("/en/parse-log").text
    assert re.search(r'<form [^>]*method="post"', text)
    line = "iteration 10/100 | elapsed time per iteration (ms): 5000.0 | throughput per GPU (TFLOP/s/GPU): 450.0 | x"
    reply = client.post("/en/parse-log", data={"typed": "1", "text": line * 60})
    assert reply.status_code == 200
    assert "per+iteration" not in reply.text
    assert "per%20iteration" not in reply.text


def test_a_form_of_another_kind_or_too_large_is_refused(client: TestClient) -> None:
    assert client.post("/en/parse-log", json={"text": "x"}).status_code == 415
    assert client.post("/en/parse-log", data={"text": "x" * 5_000_000}).status_code == 413
    assert client.get("/en/mfu?" + "n=1&" * 1000).status_code == 400


def test_an_address_that_is_too_long_is_refused_before_it_is_read(app: FastAPI) -> None:
    sent: list[dict] = []

    async def receive() -> dict:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/en/mfu", "query_string": b"n=" + b"1" * 200_000, "headers": []}
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 414
    assert json.loads(sent[1]["body"])["schema"] == "peakwise.error/1"


GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text(encoding="utf-8"))["cases"]
PLAIN = [
    case
    for case in GOLDEN
    if case["calculator"] in CALCULATORS
    and case["expect"]["error"] is None
    and case["expect"].get("display")
    and all(isinstance(value, int | float | str) and not isinstance(value, bool) for value in case["inputs"].values())
]


def _link(case: dict, language: str) -> str:
    declaration = find_calculator(case["calculator"]).declaration
    pairs: dict[str, str] = {}
    for key, value in case["inputs"].items():
        field = declaration.field(key)
        link = {choice.word: choice.link for choice in field.choices}
        pairs[field.param] = link.get(value, value) if isinstance(value, str) else repr(value)
    from urllib.parse import urlencode

    return f"{path_of(declaration, language)}?{urlencode(pairs)}"


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: f"{case['calculator']}: {case['name']}")
def test_every_reference_case_shows_on_the_page_as_its_display_says(client: TestClient, case: dict) -> None:
    """Requirement 91. The hero and the facts are the results as the languages write them."""
    declaration = find_calculator(case["calculator"]).declaration
    for language, texts in case["expect"]["display"].items():
        text = html.unescape(client.get(_link(case, language)).text)
        hero = texts.get(declaration.hero)
        if hero is not None:
            assert _hero(text).startswith(hero), (language, declaration.hero)
