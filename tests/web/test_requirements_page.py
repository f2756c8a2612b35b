"""The product's requirements on the pages themselves, one test a requirement, by its number."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.web.links import path_of
from peakwise.web.texts import LANGUAGES

NBSP = "\N{NO-BREAK SPACE}"
SEED = "v=1&w=inf&n=70&tps=2000&peak=989&acc=1"
TRAINING = "v=1&w=train&n={n}&tps={tps}&peak={peak}&acc={acc}"

REGIONS = {
    "en": ("Workload", "Hardware", "MFU", "Details", "Questions", "Notice", "Take this further"),
    "es": ("Carga de trabajo", "Hardware", "MFU", "Detalles", "Preguntas", "Aviso", "Sigue desde aquí"),
    "it": ("Carico di lavoro", "Hardware", "MFU", "Dettagli", "Domande", "Avviso", "Continua da qui"),
    "ru": ("Нагрузка", "Оборудование", "MFU", "Подробности", "Вопросы", "Примечание", "Что дальше"),
}


def _page(client: TestClient, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200, address
    return html.unescape(reply.text)


def _words(text: str) -> str:
    return re.sub(r"[ \n]+", " ", re.sub(r"<[^>]+>", " ", text)).strip()


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.DOTALL)
    assert found is not None, pattern
    return found[1]


def _hero(text: str) -> str:
    return re.sub(r"<[^>]+>", "", _found(r'<p class="hero[^>]*>(.*?)</p>', text)).strip()


def _folded(text: str, anchor: str) -> str:
    """One written part of a page, by its anchor."""
    return _found(rf'<details id="{anchor}"[^>]*>(.*?)</details>', text)


def _items(text: str, tag: str) -> list[str]:
    return re.findall(r"<li>(.*?)</li>", _found(rf"<{tag}>(.*?)</{tag}>", text))


def _scales(text: str) -> str:
    """The line of what an answer counts that holds its place on the scales of others; empty where there is none."""
    rows = re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", _found(r'<dl class="counts">(.*?)</dl>', text))
    return dict(rows).get("Other scales", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_01_the_seven_regions_of_the_mfu_page_each_have_a_heading(
    client: TestClient, language: str
) -> None:
    headings = [_words(found) for found in re.findall(r"<h2[^>]*>(.*?)</h2>", _page(client, f"/{language}/mfu"))]
    assert [heading for heading in REGIONS[language] if heading not in headings] == []


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ("Inference 2N", "Training 6N")),
        ("es", ("Inferencia 2N", "Entrenamiento 6N")),
        ("it", ("Inferenza 2N", "Addestramento 6N")),
        ("ru", ("Инференс 2N", "Обучение 6N")),
    ],
)
def test_requirement_02_the_workload_says_its_rule_and_inference_stands_preselected(
    client: TestClient, language: str, labels: tuple[str, str]
) -> None:
    text = _page(client, f"/{language}/mfu")
    options = re.findall(r'<input type="radio" name="w" value="(\w+)"( checked)?><span>([^<]+)</span>', text)
    assert [option[::2] for option in options[:2]] == [("inf", labels[0]), ("train", labels[1])]
    assert [value for value, chosen, _ in options if chosen] == ["inf"]


@pytest.mark.parametrize("language", ["es", "it"])
def test_requirement_04_a_rate_typed_2_000_with_a_dot_is_two_thousand(client: TestClient, language: str) -> None:
    typed = {"typed": "1", "w": "inf", "n": "70", "tps": "2.000", "peak": "989", "acc": "1"}
    assert client.get(f"/{language}/mfu", params=typed).headers["location"] == f"/{language}/mfu?{SEED}"
    text = _page(client, f"/{language}/mfu?{SEED}")
    assert _found(r'<input id="f-tps"[^>]* value="([^"]*)"', text) == "2.000"
    assert _found(r'for="f-tps"[^>]*>.*?<span class="unseen"> \(([^)]*)\)', text) == "token/s"


@pytest.mark.parametrize(
    ("language", "total"), [("en", "7,912"), ("es", "7.912"), ("it", "7.912"), ("ru", f"7{NBSP}912")]
)
def test_requirement_05_the_peak_is_typed_per_accelerator_and_the_sum_of_eight_is_shown(
    client: TestClient, language: str, total: str
) -> None:
    text = _page(client, f"/{language}/mfu?{TRAINING.format(n=70, tps=2000, peak=989, acc=8)}")
    assert _found(r'<input id="f-peak"[^>]* value="([^"]*)"', text) == "989"
    assert f" {total} TFLOP/s." in _words(_found(r'<p class="sentence">(.*?)</p>', text))


def test_requirement_06_the_inputs_are_listed_as_they_stand_in_the_form(client: TestClient) -> None:
    text = _page(client, f"/es/mfu?{SEED}")
    listed = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", _found(r'id="h-summary">(.*?)</dl>', text)))
    said = {"Trabajo": "Inferencia 2N", "Parámetros": f"70{NBSP}×10⁹", "Aceleradores": "1"}
    assert {label: listed[label] for label in said} == said
    for value in (f"2.000{NBSP}token/s", f"989{NBSP}TFLOP/s"):
        assert value in listed.values()


@pytest.mark.parametrize("param", ["n", "tps", "peak"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_07_a_cleared_field_is_asked_for_and_no_number_stands(
    client: TestClient, language: str, param: str
) -> None:
    fields = {"typed": "1", "w": "inf", "n": "70", "tps": "2000", "peak": "989", "acc": "1"} | {param: ""}
    reply = client.get(f"/{language}/mfu", params=fields)
    assert reply.status_code == 200
    text = html.unescape(reply.text)
    assert _hero(text) == "—"
    answer = _found(r'<section class="answer-side".*?(<p class="sentence">.*?)</section>', text)
    assert _words(_found(r'<p class="sentence">(.*?)</p>', answer))  # what to type
    assert re.search(r"<p class=\"error\">[^<]+</p>", _found(rf'id="m-{param}"[^>]*>(.*?)</div>', text))
    outside_the_ruler = re.sub(r"<svg.*</svg>", "", answer, flags=re.DOTALL)
    assert re.findall(r"NaN|\d", _words(outside_the_ruler)) == []


@pytest.mark.parametrize(
    ("language", "divisor", "result"),
    [
        ("en", "1,000", "0.001"),
        ("es", "1.000", "0,001"),
        ("it", "1.000", "0,001"),
        ("ru", f"1{NBSP}000", "0,001"),
    ],
)
def test_requirement_10_the_divisor_of_1000_is_explained_as_a_change_of_unit(
    client: TestClient, language: str, divisor: str, result: str
) -> None:
    part = _folded(_page(client, f"/{language}/mfu"), "about-1")
    for figure in (f"{divisor} GFLOP/s", f"{result} TFLOP/s"):
        assert re.search(figure.replace(" GF", f"[ {NBSP}]GF").replace(" TF", f"[ {NBSP}]TF"), part), figure


@pytest.mark.parametrize(
    ("language", "hero", "fraction", "done"),
    [
        ("en", "28.3%", "0.283", "280.0"),
        ("es", f"28,3{NBSP}%", "0,283", "280,0"),
        ("it", "28,3%", "0,283", "280,0"),
        ("ru", f"28,3{NBSP}%", "0,283", "280,0"),
    ],
)
def test_requirement_13_the_example_is_280_tflop_per_s_and_28_3_percent(
    client: TestClient, language: str, hero: str, fraction: str, done: str
) -> None:
    text = _page(client, f"/{language}/mfu?{SEED}")
    assert _hero(text) == hero
    sentence = _words(_found(r'<p class="sentence">(.*?)</p>', text))
    assert sentence.startswith(f"{done} ")
    assert fraction in sentence
    example = _folded(text, "example")
    assert re.search(f"280[ {NBSP}]TFLOP/s", example)
    assert f"{fraction} = {hero}" in example


def test_requirement_14_the_same_rate_in_training_is_not_reachable_and_on_a_named_chip_does_not_fit(
    client: TestClient,
) -> None:
    text = _page(client, f"/es/mfu?{TRAINING.format(n=70, tps=2000, peak=989, acc=1)}")
    assert (_hero(text), re.findall(r"<code>([EW]_\w+)</code>", text)) == (f"84,9{NBSP}%", ["W_HIGH"])
    assert "840,0 de 989 TFLOP/s." in _words(text)
    named = _page(client, "/es/mfu?v=1&w=train&n=70&tps=2000&acc=1&hw=h100-sxm")
    assert set(re.findall(r"<code>([EW]_\w+)</code>", named)) == {"W_HIGH", "W_FIT"}


def test_requirement_15_rate_and_utilization_stand_together_in_the_answer_the_document_and_the_copies(
    client: TestClient,
) -> None:
    text = _page(client, f"/it/mfu?{SEED}")
    assert (_hero(text), "280,0 di 989 TFLOP/s." in _words(text)) == ("28,3%", True)
    results = client.get(_found(r'<a href="(/api/v1/[^"]+)" data-copy="json"', text)).json()["results"]
    assert (results["flop_per_s"], results["mfu"]) == (2.8e14, 280 / 989)
    for form, rows in (
        ("md", ("| 28,3% |", f"| 280,0{NBSP}TFLOP/s |")),
        ("tex", (r"& 28,3 & \%", "& 280,0 & TFLOP/s")),
    ):
        copied = client.get(f"/it/mfu?{SEED}&as={form}").text
        assert [row for row in rows if row not in copied] == []


@pytest.mark.parametrize(("language", "told"), [("en", "0.40"), ("es", "0,40"), ("it", "0,40"), ("ru", "0,40")])
def test_requirement_16_forty_percent_is_told_as_forty_cents_of_each_unit_paid(
    client: TestClient, language: str, told: str
) -> None:
    """The line under the number has the value's own fraction; the written part the example of 40 %."""
    text = _page(client, f"/{language}/mfu?{TRAINING.format(n=125, tps=1000, peak=1875, acc=1)}")
    assert f" {told}0." in _words(_found(r'<p class="sentence">(.*?)</p>', text))
    assert f" {told} " in _folded(text, "about-4")
    other = _page(client, f"/{language}/mfu?{TRAINING.format(n=125, tps=500, peak=1875, acc=1)}")
    assert f" {told.replace('4', '2')}0." in _words(_found(r'<p class="sentence">(.*?)</p>', other))


def test_requirement_19_tuned_trainings_are_a_scale_beside_the_bands(client: TestClient) -> None:
    """34.9 % lies outside 35–55 %, 35.0 and 55.0 inside; where the bands are grey there is no scale either."""
    said = {
        percent: _scales(_page(client, f"/en/hfu?v=1&mfu={percent}")).partition(";")[0]
        for percent in ("34.9", "35", "55", "55.1")
    }
    assert [text.split()[0] for text in said.values()] == ["outside", "within", "within", "outside"]
    assert all("(35%–55%)" in text for text in said.values())
    training = _page(client, f"/en/mfu?{TRAINING.format(n=125, tps=1000, peak=1875, acc=1)}")
    assert _scales(training).startswith("within what tuned trainings reach (35%–55%)")
    assert _scales(_page(client, f"/en/mfu?{SEED}")) == ""


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", ("memory", "collectives", "bubbles", "attention and norm", "kernels")),
        ("es", ("memoria", "colectivas", "burbujas", "atención y normalizaciones", "kernels")),
        ("it", ("memoria", "collettive", "bolle", "attenzione e layer di normalizzazione", "kernel")),
        ("ru", ("памятью", "коллективные", "пузыри", "внимания и нормализации", "ядра")),
    ],
)
def test_requirement_23_five_causes_say_why_it_is_never_100_percent(
    client: TestClient, language: str, named: tuple[str, ...]
) -> None:
    causes = _items(_folded(_page(client, f"/{language}/mfu"), "about-3"), "ul")
    names = [cause.partition(":")[0].lower() for cause in causes]
    assert len(names) == 5
    assert [word for word, name in zip(named, names, strict=True) if word not in name] == []
    assert all(cause.partition(":")[2].strip() for cause in causes)


def test_requirement_24_above_the_peak_is_an_error_and_no_result(client: TestClient) -> None:
    text = _page(client, f"/en/mfu?{TRAINING.format(n=13, tps=771012, peak=989, acc=16)}")
    assert '<p class="hero over"' in text
    assert "<s>" in text
    assert "<code>E_OVER</code>" in text
    assert re.findall(r'data-copy="(\w+)"', text) == ["link", "json"]
    at_the_peak = _page(client, f"/en/mfu?{TRAINING.format(n=1, tps=1000, peak=6, acc=1)}")
    assert (_hero(at_the_peak), "E_OVER" in at_the_peak) == ("100.0%", False)


@pytest.mark.parametrize(
    ("language", "notice"),
    [("en", "A first-order"), ("es", "primer orden"), ("it", "primo ordine"), ("ru", "первого порядка")],
)
def test_requirement_27_every_export_of_an_answer_says_that_it_is_an_estimate(
    client: TestClient, language: str, notice: str
) -> None:
    full = _found(r'<p class="foot-notice">(.*?)<br>', _page(client, f"/{language}/mfu"))
    assert notice in full
    copies = {form: client.get(f"/{language}/mfu?{SEED}&as={form}").text for form in ("md", "csv", "tex")}
    assert [form for form, copied in copies.items() if full not in copied] == []
    rows = list(csv.reader(io.StringIO(copies["csv"])))
    assert ["notice", "", full, "", ""] in rows


@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_28_three_questions_each_have_an_address(client: TestClient, language: str) -> None:
    """What is good, why 2 and 6, why never 100."""
    text = _page(client, f"/{language}/mfu")
    asked = [_found(r"<summary>(.*?)</summary>", _folded(text, f"q{place}")) for place in (1, 2, 3)]
    assert len(set(asked)) == 3
    assert ("2N" in asked[1], "6N" in asked[1], "100" in asked[2]) == (True, True, True)
    told = [_words(_folded(text, f"q{place}").partition("</summary>")[2]) for place in (1, 2, 3)]
    assert ("40" in told[0], "55" in told[0], "2 + 4 = 6" in told[1], bool(told[2])) == (True,) * 4


@pytest.mark.parametrize(
    ("language", "exact", "estimate"),
    [
        ("en", "By its rule it is exact", "usually an estimate"),
        ("es", "Según su regla, es exacta", "Suele ser una estimación"),
        ("it", "Secondo la sua regola è esatto", "Di solito è una stima"),
        ("ru", "По своему правилу это точная цифра", "Обычно это оценка"),
    ],
)
def test_requirement_38_mfu_and_hfu_stand_side_by_side_with_what_each_counts_and_how_exact_it_is(
    client: TestClient, language: str, exact: str, estimate: str
) -> None:
    model, hardware = _items(_folded(_page(client, f"/{language}/hfu"), "about-1"), "ul")
    assert ("MFU" in model, exact in model, estimate in model) == (True, True, False)
    assert ("HFU" in hardware, exact in hardware, estimate in hardware) == (True, False, True)


def test_requirement_51_a_page_has_a_breadcrumb_and_counts_no_reader(client: TestClient) -> None:
    for name in CALCULATORS:
        reply = client.get(path_of(find_calculator(name).declaration, "es"), headers={"cookie": "lang=es"})
        assert '<nav class="crumbs"' in reply.text
        assert "set-cookie" not in reply.headers
        outside = re.findall(r'(?:src|action)="(?:https?:)?//[^"]*"', reply.text)
        assert outside == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_70_the_throughput_page_has_five_steps(client: TestClient, language: str) -> None:
    text = _page(client, path_of(find_calculator("finetune-throughput").declaration, language))
    steps = _items(_folded(text, "about-1"), "ol")
    assert len(steps) == 5
    assert all(steps)


@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_71_the_path_of_a_page_is_home_category_tool_for_people_and_for_machines(
    client: TestClient, language: str
) -> None:
    path = path_of(find_calculator("finetune-throughput").declaration, language)
    text = _page(client, path)
    crumbs = _found(r'<nav class="crumbs"[^>]*><ol>(.*?)</ol>', text)
    shown = [_words(item) for item in re.findall(r"<li>(.*?)</li>", crumbs)]
    document = json.loads(_found(r'<script type="application/ld\+json">(.*?)</script>', text))
    assert document["@type"] == "BreadcrumbList"
    items = document["itemListElement"]
    assert [(item["position"], item["name"]) for item in items] == list(enumerate(shown, 1))
    assert len(items) == 3
    assert urlsplit(items[-1]["item"]).path == path
    category = urlsplit(items[1]["item"])
    assert f'id="{category.fragment}"' in client.get(category.path).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_requirement_89_the_other_languages_are_named_and_keep_the_scenario(client: TestClient, language: str) -> None:
    query = TRAINING.format(n=8, tps=50000, peak=989, acc=8)
    text = _page(client, f"/{language}/mfu?{query}")
    alternates = dict(re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"', text))
    assert {"en", "es", "it", "ru", "x-default"} <= set(alternates)
    assert all(client.get(address).status_code == 200 for address in alternates.values())
    switch = dict(re.findall(r'<a href="([^"]+)" lang="([a-z]+)" hreflang', text))
    assert {other: address for address, other in switch.items()} == {
        other: f"/{other}/mfu?{query}" for other in LANGUAGES
    }
    numbers = {_hero(_page(client, address)).replace(",", ".").replace(NBSP, "") for address in switch}
    assert numbers == {"30.3%"}
