"""The product's requirements on numbers in four languages, one test a requirement, by its number."""

from __future__ import annotations

import html
import json
import re
from decimal import Decimal

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import find_calculator
from peakwise.report.locale import show_number
from peakwise.report.locale_forms import show_money
from peakwise.verbs.calc import calculate
from peakwise.web.links import path_of
from peakwise.web.texts import LANGUAGES, Plural, Texts, plural_names

NBSP = "\N{NO-BREAK SPACE}"
SEED = "v=1&w=inf&n=70&tps=2000&peak=989&acc=1"
MINUS = "\N{MINUS SIGN}"


def _page(client: TestClient, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200, address
    return html.unescape(reply.text)


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.DOTALL)
    assert found is not None, pattern
    return found[1]


def _hero(text: str) -> str:
    return re.sub(r"<[^>]+>", "", _found(r'<p class="hero[^>]*>(.*?)</p>', text)).strip()


def _box(text: str, param: str) -> str:
    return _found(rf'<input id="f-{param}"[^>]* value="([^"]*)"', text)


def _echo(text: str, param: str) -> str:
    return _found(r'<p class="hint">([^<]*)</p>', _found(rf'id="m-{param}"[^>]*>(.*?)</div>', text))


def _read(client: TestClient, text: str, locale: str, kind: str) -> dict:
    return client.post("/api/v1/parse-number", json={"text": text, "locale": locale, "kind": kind}).json()


def _typed_rate(client: TestClient, language: str, rate: str) -> str:
    fields = {"typed": "1", "w": "inf", "n": "70", "tps": rate, "peak": "989", "acc": "1"}
    return client.get(f"/{language}/mfu", params=fields).headers["location"]


def _writes(client: TestClient, language: str, hero: str, fraction: str, rate: str) -> None:
    """A page writes its percent, its fraction and its thousands as `language` does."""
    text = _page(client, f"/{language}/mfu?{SEED}")
    assert _hero(text) == hero
    assert f"<b>{fraction}</b>" in text  # the last line of how it is computed
    assert _box(text, "tps") == rate


def test_requirement_31_spanish_has_a_decimal_comma_a_dot_for_thousands_and_a_space_before_percent(
    client: TestClient,
) -> None:
    _writes(client, "es", f"28,3{NBSP}%", "0,283", "2.000")
    assert _typed_rate(client, "es", "2.000") == f"/es/mfu?{SEED}"
    assert _read(client, "0,283", "es", "fraction")["value"] == 0.283


def test_requirement_32_italian_has_a_decimal_comma_a_dot_for_thousands_and_no_space_before_percent(
    client: TestClient,
) -> None:
    _writes(client, "it", "28,3%", "0,283", "2.000")
    assert _typed_rate(client, "it", "2.000") == f"/it/mfu?{SEED}"


def test_requirement_33_the_spanish_and_the_italian_page_are_one_document(client: TestClient) -> None:
    for query in (SEED, "v=1&w=train&n=8&tps=50000&peak=989&acc=8&ck=0.5&lost=10"):
        address = r'<a href="(/api/v1/[^"]+)" data-copy="json"'
        links = {_found(address, _page(client, f"/{language}/mfu?{query}")) for language in ("es", "it")}
        assert len(links) == 1
        replies = {
            client.get(next(iter(links)), headers={"accept-language": language}).content for language in ("es", "it")
        }
        assert len(replies) == 1
        assert json.loads(next(iter(replies)))["results"]["mfu"] > 0
        copies = [client.get(f"/{language}/mfu?{query}&as=csv") for language in ("es", "it")]
        tables = [copy.text.splitlines()[:-1] for copy in copies]  # all but the notice, which is in words
        assert [copy.status_code for copy in copies] == [200, 200]
        assert tables[0] == tables[1]
        assert any(row.startswith("result,mfu,0.") for row in tables[0])


def test_requirement_52_russian_has_a_no_break_space_for_thousands_and_before_percent(client: TestClient) -> None:
    _writes(client, "ru", f"28,3{NBSP}%", "0,283", f"2{NBSP}000")
    text = _page(client, "/ru/hfu?v=1&A=450&peak=989")
    assert f"45,5{NBSP}%" in text
    assert calculate("hfu", {"achieved_tflops": 450, "peak_tflops": 989}).display["ru"]["mfu"] == f"45,5{NBSP}%"  # pyright: ignore
    for space in (" ", NBSP, "\N{NARROW NO-BREAK SPACE}"):
        assert _typed_rate(client, "ru", f"2{space}000") == f"/ru/mfu?{SEED}"


def test_requirement_90_a_scale_word_means_what_its_language_says(client: TestClient) -> None:
    """In Spanish a billón is 10¹² and a model's 70B is 70 ×10⁹; a lone B after a space is asked about."""
    readings = {
        ("es", "70B"): (70, [], None),
        ("es", "1 billón"): (1000, [], None),
        ("es", "1 B"): (1, ["W_AMBIG"], 1000),
        ("es", "600 mil M"): (600, [], None),
        ("es", "70 mil millones"): (70, [], None),
        ("en", "1 billion"): (1, [], None),
        ("en", "1 B"): (1, [], None),
        ("en", "1 trillion"): (1000, [], None),
        ("it", "70 miliardi"): (70, [], None),
        ("it", "1 bilione"): (1000, [], None),
        ("ru", "70 млрд"): (70, [], None),
        ("ru", "1 трлн"): (1000, [], None),
    }
    for (language, typed), expected in readings.items():
        read = _read(client, typed, language, "params")
        assert (read["value"], read["notes"], read["alt"]) == expected, (language, typed)
    typed = {"typed": "1", "w": "inf", "n": "1 B", "tps": "2.000", "peak": "989", "acc": "1"}
    location = client.get("/es/mfu", params=typed).headers["location"]
    note = _found(r'<p class="note">(.*?)</p>', _found(r'id="m-n"[^>]*>(.*?)</div>', _page(client, location)))
    offered = _found(r'href="([^"]+)"', note)
    assert "&n=1000&" in offered
    assert _echo(_page(client, offered), "n") == "1 billón"


# One row of the table of numbers a line, its cells in the order en, es, it, ru.
WHOLE = ("2,000", "2.000", "2.000", f"2{NBSP}000")  # grouping always, where plain ICU leaves es and it ungrouped
TWO_DECIMALS = ("1,093.33", "1.093,33", "1.093,33", f"1{NBSP}093,33")
PERCENT = ("28.3%", f"28,3{NBSP}%", "28,3%", f"28,3{NBSP}%")
LONG = ("70 billion", "70 mil millones", "70 miliardi", "70 миллиардов")
SHORT = ("1T", f"1{NBSP}B", f"1{NBSP}Bln", f"1{NBSP}трлн")
MONEY = ("$45.73", f"45,73{NBSP}US$", f"45,73{NBSP}USD", f"45,73{NBSP}$")
PLURALS = (
    ("one", "other", "other", "other", "other"),
    ("one", "other", "other", "other", "many"),
    ("one", "other", "other", "other", "many"),
    ("one", "other", "few", "many", "many"),
)
ROWS = list(zip(LANGUAGES, WHOLE, TWO_DECIMALS, PERCENT, LONG, SHORT, MONEY, PLURALS, strict=True))


@pytest.mark.parametrize(("language", "whole", "two", "percent", "long", "short", "money", "plurals"), ROWS)
def test_requirement_92_every_cell_of_the_table_of_numbers_holds_on_the_page(
    client: TestClient,
    *,
    language: str,
    whole: str,
    two: str,
    percent: str,
    long: str,
    short: str,
    money: str,
    plurals: tuple[str, ...],
) -> None:
    text = _page(client, f"/{language}/mfu?{SEED}")
    assert (_box(text, "tps"), _hero(text), _echo(text, "n")) == (whole, percent, long)
    assert (show_number(2000, 0, language), show_number(1093.333, 2, language)) == (whole, two)
    rate = path_of(find_calculator("finetune-throughput").declaration, language)
    assert f"<b>{two}</b>" in _page(client, f"{rate}?v=1&acc=8&V=2500&eta=82&T=900")
    assert show_money(45.7317, "USD", language) == money
    time = path_of(find_calculator("finetune-duration").declaration, language)
    run = "v=1&ex=50000&ep=3&T=900&tps=16400&gbs=64&acc=8&gpu_h=2.5"
    assert money in re.sub(r"<[^>]+>", "", _page(client, f"{time}?{run}"))
    read = _read(client, short, language, "params")  # never written; typed, it is 10¹² or is asked about
    assert 1000 in (read["value"], read["alt"])
    assert short not in _page(client, f"/{language}/mfu?{SEED.replace('n=70', 'n=1000')}")
    forms = Plural("n", {name: name for name in plural_names(language)})
    texts = Texts(language, {"x": forms}, {})
    numbers = (Decimal(1), Decimal("1.5"), Decimal(2), Decimal(5), Decimal(1_000_000))
    assert tuple(texts.write("x", {}, {"n": number}) for number in numbers) == plurals
    if language == "ru":
        assert texts.write("x", {}, {"n": Decimal("1.0")}) == "other"  # as it is printed, with its zero


# What is typed, the kind of field, and for each language: the value, its notes and the other reading; or an error.
Reading = tuple[float | str, tuple[str, ...], float | None]
TWO_OR_THOUSANDS: Reading = (2, ("W_AMBIG",), 2000)
THOUSANDS: Reading = (2000, (), None)
FRACTION: Reading = (0.283, (), None)
NOTED: Reading = (0.283, ("W_AMBIG",), None)
TYPED: tuple[tuple[str, str, tuple[Reading, Reading, Reading, Reading]], ...] = (
    ("2.000", "rate", (TWO_OR_THOUSANDS, THOUSANDS, THOUSANDS, TWO_OR_THOUSANDS)),
    ("2,000", "rate", (THOUSANDS, TWO_OR_THOUSANDS, TWO_OR_THOUSANDS, TWO_OR_THOUSANDS)),
    ("2 000", "rate", (THOUSANDS,) * 4),
    (f"2{NBSP}000", "rate", (THOUSANDS,) * 4),
    ("2\N{NARROW NO-BREAK SPACE}000", "rate", (THOUSANDS,) * 4),
    ("2\N{THIN SPACE}000", "rate", (THOUSANDS,) * 4),
    ("0,283", "number", (NOTED, FRACTION, FRACTION, FRACTION)),
    ("0.283", "number", (FRACTION, NOTED, NOTED, NOTED)),
    ("1.234,5", "rate", ((1234.5, (), None),) * 4),
    ("1,234.5", "rate", ((1234.5, (), None),) * 4),
    ("2.5", "rate", ((2.5, (), None), (2.5, ("W_AMBIG",), None), (2.5, ("W_AMBIG",), None), (2.5, (), None))),
    ("82 %", "percent", ((82, (), None),) * 4),
    ("1e12", "number", ((1_000_000_000_000, (), None),) * 4),
    *((text, "rate", (("E_NUM", (), None),) * 4) for text in ("1.2.3", "abc", "∞")),
    *((text, "rate", (("E_RANGE", (), None),) * 4) for text in (f"{MINUS}5", "-5")),
)


@pytest.mark.parametrize(
    ("typed", "kind", "readings"), TYPED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_requirement_92_every_cell_of_the_table_of_typed_numbers_reads_as_it_says(
    client: TestClient, typed: str, kind: str, readings: tuple[Reading, ...]
) -> None:
    for language, (value, notes, alt) in zip(LANGUAGES, readings, strict=True):
        read = _read(client, typed, language, kind)
        if isinstance(value, str):
            assert [error["code"] for error in read["errors"]] == [value], language
            continue
        assert (read["value"], tuple(read["notes"]), read["alt"]) == (value, notes, alt), language
        if kind == "rate":
            assert f"&tps={value:g}&" in _typed_rate(client, language, typed), language
