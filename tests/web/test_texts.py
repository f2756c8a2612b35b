"""Every language has every word: the same ids, the same placeholders, and all that the declarations need."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.codes import TABLE
from peakwise.core.declaration import Declaration, Field
from peakwise.core.errors import PeakwiseError
from peakwise.verbs.calc import calculate
from peakwise.web.figures import FORMS
from peakwise.web.options import options_of
from peakwise.web.texts import LANGUAGES, Plural, placeholders, plural_names, read_messages, read_texts

DATA = Path(__file__).parents[1] / "data"
GOLDEN = json.loads((DATA / "golden.json").read_text(encoding="utf-8"))["cases"]
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")  # names, the same in every language
ERRORS = [code.id for code in TABLE if code.kind == "error"]
AT_FIELDS = {"W_AMBIG", "W_FRACTION"}
OTHERS = [language for language in LANGUAGES if language != "en"]


def _forms(message: str | Plural) -> tuple[str, ...]:
    return tuple(message.forms.values()) if isinstance(message, Plural) else (message,)


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_the_ids_of_english_and_no_other(language: str) -> None:
    ours, english = set(read_messages(language)), set(read_messages("en"))
    assert (sorted(english - ours), sorted(ours - english)) == ([], [])


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_names_no_number_that_english_does_not(language: str) -> None:
    english = read_messages("en")
    for key, message in read_messages(language).items():
        known = set().union(*(placeholders(form) for form in _forms(english[key])))
        if isinstance(english[key], Plural):
            known.add(english[key].by)
        named = set().union(*(placeholders(form) for form in _forms(message)))
        assert named <= known, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plural_has_every_form_of_its_language(language: str) -> None:
    for key, message in read_messages(language).items():
        if isinstance(message, Plural):
            assert tuple(message.forms) == plural_names(language), key
            assert all(message.forms.values()), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_asks_for_numbers_in_forms_that_there_are(language: str) -> None:
    for key, message in read_messages(language).items():
        for form in _forms(message):
            asked = re.findall(r"\{\w+:([^}]+)\}", form)
            assert set(asked) <= {*FORMS, "words"}, key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CALCULATORS)
def test_a_language_has_every_text_that_a_calculator_needs(language: str, name: str) -> None:
    known = read_messages(language)
    declaration = find_calculator(name).declaration
    lacks = [key for key in _needed(declaration) if key not in known and f"page.{name}.{key}" not in known]
    assert lacks == []


def _needed(declaration: Declaration) -> Iterator[str]:
    """The ids of everything a page shows of a declaration."""
    for part in ("title", "short", "purpose", "fact", "in", "out"):
        yield f"page.{declaration.id}.{part}"
    for field in declaration.fields:
        yield from (f"field.{field.key}.label", f"field.{field.key}.name")
        yield from _words(field)
        if field.unit:
            yield f"unit.{field.unit}"
    for group in declaration.groups:
        if group.exclusive:
            yield from (f"field.{key}.way" for key in group.keys)
            yield f"field.{group.keys[0]}.ask"
    for result in declaration.results:
        for key in (result.key, *(key for key, _ in result.more)):
            yield from (f"result.{key}.label", f"result.{key}.name")
        if result.display.unit:
            yield f"unit.{result.display.unit}"
    yield from (f"page.{declaration.id}.send.{send.to}" for send in declaration.sends)


def _words(field: Field) -> Iterator[str]:
    if field.kind == "choice" and not set(field.words) <= set(PRECISIONS):
        yield from (f"choice.{field.key}.{word}" for word in field.words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_a_sentence_for_every_error_of_a_field(language: str) -> None:
    known = read_messages(language)
    assert [code for code in ERRORS if f"error.{code}" not in known] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{case['calculator']}: {case['name']}")
def test_every_finding_and_cause_of_the_reference_cases_has_its_texts(language: str, case: dict) -> None:
    if case["calculator"] not in CALCULATORS:
        pytest.fail("a reference case of no calculator")
    try:
        answer = calculate(case["calculator"], case["inputs"], locale=None, local=False)
    except PeakwiseError:
        return
    texts = read_texts(language)
    for finding in answer.warnings:
        name = f"finding.{finding.code}"
        known = [key for key in texts.messages if key.startswith(name)]
        wanted = {"text"} if finding.code in AT_FIELDS else {"title", "text"}
        wanted |= {"repair"} if finding.repair else set()
        assert {key.rpartition(".")[2] for key in known} >= wanted, finding
    for cause in answer.causes:
        assert cause.id, cause
        assert texts.has(f"cause.{answer.name}.{cause.id}") or f"cause.{cause.id}" in texts.messages, cause


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", CALCULATORS)
def test_a_page_repeats_no_long_english_sentence_in_another_language(
    client: TestClient, language: str, name: str
) -> None:
    english, ours = read_messages("en"), read_messages(language)
    text = html.unescape(client.get(f"/{language}/{name}").text)
    for key, message in english.items():
        for form in _forms(message):
            if len(form) > 40 and "{" not in form and "`" not in form and "\n" not in form:
                assert form not in text or form in _forms(ours[key]), key


def test_the_lists_to_pick_from_are_not_empty() -> None:
    for key in ("chip", "model", "a_case", "format", "currency"):
        assert options_of(key), key
