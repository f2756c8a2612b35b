"""Each page in each language, as a person uses it in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from peakwise.calculators.table import CALCULATORS
from peakwise.web.texts import LANGUAGES

from .people import answer, page_path, typed

LOCALES = {"en": "en-US", "es": "es-ES", "it": "it-IT", "ru": "ru-RU"}
EVERY = [(language, name) for name in CALCULATORS for language in LANGUAGES]
OPEN = Callable[..., Any]
PASTED = "parse-log"  # its form is posted: a log is no part of a link


@pytest.fixture(scope="module")
def axe() -> Axe:
    return Axe()


def fill(page: Page, name: str, language: str) -> None:
    """Types and chooses what a person would, and presses the button."""
    for field, text, _ in typed(name, language):
        box = page.locator(f"#form [name='{field.param}']")
        if box.count() > 1:
            page.locator(f"#form label.segment:has(input[name='{field.param}'][value='{text}'])").click()
        elif box.evaluate("one => one.tagName") == "SELECT":
            box.select_option(text)
        else:
            more = page.locator("#form details.more:not([open]) summary")
            if not box.is_visible() and more.count():
                more.click()
            box.fill(text)
    page.locator("#form button[type=submit]").click()


def hero(page: Page) -> str:
    return re.sub(r"\s", " ", page.locator("#hero").inner_text()).strip()


def shows(page: Page, name: str, language: str) -> None:
    """The large number is the right one, in the signs of the language; a sign of percent may stand apart."""
    wanted = re.sub(r"[\s\u00a0]", "", answer(name, language))
    expect(page.locator("#hero")).to_contain_text(re.compile(r"\s*".join(map(re.escape, wanted))))


def violations(axe: Axe, page: Page) -> list[str]:
    found = axe.run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


@pytest.mark.parametrize(("language", "name"), EVERY)
def test_a_page_answers_what_a_person_types_and_speaks_another_language_on_demand(
    open_tab: OPEN, base: str, axe: Axe, language: str, name: str
) -> None:
    """The right number in its signs, no fault of accessibility, none of the console, no other host asked; then the
    same inputs in the next language, their signs rewritten."""
    tab = open_tab(locale=LOCALES[language])
    page: Page = tab.page
    page.goto(base + page_path(name, language))
    assert page.locator("html").get_attribute("lang") == language
    fill(page, name, language)
    shows(page, name, language)
    assert violations(axe, page) == []
    other = LANGUAGES[(LANGUAGES.index(language) + 1) % len(LANGUAGES)]
    page.locator(f"nav.languages a[lang='{other}']").click()
    expect(page.locator("html")).to_have_attribute("lang", other)
    if name != PASTED:  # what was pasted is carried in no link, so there is nothing that another language could keep
        shows(page, name, other)
        for field, text, _ in typed(name, other):
            if field.kind in ("number", "integer") and field.headline:
                value = page.locator(f"#form [name='{field.param}']").first.input_value()
                assert value.replace("\u00a0", " ") == text.replace("\u00a0", " ")
    assert tab.faults == []


@pytest.mark.parametrize(("language", "name"), EVERY)
def test_a_page_answers_without_javascript_at_a_canonical_address(
    open_tab: OPEN, base: str, language: str, name: str
) -> None:
    tab = open_tab(script=False, locale=LOCALES[language])
    page: Page = tab.page
    page.goto(base + page_path(name, language))
    fill(page, name, language)
    shows(page, name, language)
    assert "typed=" not in page.url
    if name != PASTED:
        for field, _, link in typed(name, language):
            if field.kind in ("number", "integer") and field.headline:
                assert re.search(rf"[?&]{field.param}={re.escape(link)}(&|$)", page.url), page.url
    assert tab.faults == []


@pytest.mark.parametrize("name", CALCULATORS)
def test_a_narrow_page_does_not_scroll_sideways_in_any_language(open_tab: OPEN, base: str, axe: Axe, name: str) -> None:
    """With everything on it unfolded; accessible in both themes."""
    tab = open_tab(width=320, dark=CALCULATORS.index(name) % 2 == 1)
    page: Page = tab.page
    for language in LANGUAGES:
        page.goto(base + page_path(name, language))
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 320, language
    assert violations(axe, page) == []
    assert tab.faults == []


@pytest.mark.parametrize("name", CALCULATORS)
def test_a_page_is_accessible_in_the_dark(open_tab: OPEN, base: str, axe: Axe, name: str) -> None:
    page: Page = open_tab(dark=True).page
    page.goto(base + page_path(name, "en"))
    assert violations(axe, page) == []


def test_the_sideways_check_sees_a_box_that_is_too_wide(open_tab: OPEN, base: str) -> None:
    page: Page = open_tab(width=320).page
    page.goto(base + page_path("mfu", "en"))
    page.evaluate("document.querySelector('main').style.minWidth = '600px'")
    assert page.evaluate("document.scrollingElement.scrollWidth") > 320


def test_the_accessibility_check_sees_a_page_that_is_broken(open_tab: OPEN, base: str, axe: Axe) -> None:
    page: Page = open_tab().page
    page.goto(base + page_path("mfu", "en"))
    page.evaluate("document.documentElement.removeAttribute('lang')")
    assert any("html-has-lang" in one for one in violations(axe, page))


def test_the_watch_sees_a_request_to_another_host(open_tab: OPEN, base: str) -> None:
    tab = open_tab()
    page: Page = tab.page
    page.goto(base + page_path("mfu", "en"))
    page.evaluate("fetch('http://192.0.2.1/').catch(() => 0)")
    page.wait_for_timeout(50)
    assert tab.faults
