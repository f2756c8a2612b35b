"""What stands around every page: header links, languages, breadcrumb, footer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.version import VERSION
from peakwise.web.links import path_of
from peakwise.web.texts import FIRST, LANGUAGES, Texts

_IN_HEADER = ("compare", "parse-log")  # calculators with a header link of their own


class NavLink(NamedTuple):
    """A link of the header or the footer; `current`: the page is part of what it leads to."""

    label: str
    href: str
    current: bool


class LanguageLink(NamedTuple):
    """The page in another language."""

    code: str
    name: str
    href: str
    current: bool


class Chrome(NamedTuple):
    """What stands around a page."""

    language: str
    title: str
    purpose: str
    links: tuple[NavLink, ...]
    languages: tuple[LanguageLink, ...]
    alternates: tuple[tuple[str, str], ...]
    crumbs: tuple[NavLink, ...]
    structured: str
    home: str
    rules: str
    rule_set: str
    version: str


def draw_chrome(
    texts: Texts, title: str, purpose: str, *, here: Mapping[str, str], base: str, current: str, crumb: str = ""
) -> Chrome:
    """What surrounds a page. `here`: its path and query by language; `base`: scheme and host; `current`: its id."""
    language = texts.language
    crumbs = _crumbs(texts, crumb, here[language].partition("?")[0])
    return Chrome(
        language=language,
        title=title,
        purpose=purpose,
        links=tuple(_links(texts, current)),
        languages=tuple(
            LanguageLink(code, texts.plain(f"lang.{code}"), here[code], code == language) for code in LANGUAGES
        ),
        alternates=tuple(_alternates(here, base)),
        crumbs=crumbs,
        structured=_structured(crumbs, base),
        home=f"/{language}/",
        rules=f"/{language}/docs",
        rule_set=RULE_SET,
        version=VERSION,
    )


def _links(texts: Texts, current: str) -> Iterator[NavLink]:
    language = texts.language
    own = current in _IN_HEADER or current == "docs"
    yield NavLink(texts.plain("ui.nav.calculators"), f"/{language}/", not own)
    for name in _IN_HEADER:
        if name in CALCULATORS:
            path = path_of(find_calculator(name).declaration, language)
            yield NavLink(texts.plain(f"ui.nav.{name}"), path, current == name)
    yield NavLink(texts.plain("ui.nav.docs"), f"/{language}/docs", current == "docs")


def _alternates(here: Mapping[str, str], base: str) -> Iterator[tuple[str, str]]:
    for code in LANGUAGES:
        yield code, base + here[code].partition("?")[0]
    yield "x-default", base + here[FIRST].partition("?")[0]


def _crumbs(texts: Texts, crumb: str, path: str) -> tuple[NavLink, ...]:
    """Home, the category that every calculator is in, the page itself; none on a page that is no calculator."""
    home = NavLink(texts.plain("ui.crumb.home"), f"/{texts.language}/", False)
    category = NavLink(texts.plain("ui.crumb.category"), f"/{texts.language}/#calculators", False)
    return (home, category, NavLink(crumb, path, True)) if crumb else ()


def _structured(crumbs: tuple[NavLink, ...], base: str) -> str:
    """The breadcrumb as JSON-LD, safe inside a script element that is data."""
    if not crumbs:
        return ""
    items = [
        {"@type": "ListItem", "position": place, "name": crumb.label, "item": base + crumb.href}
        for place, crumb in enumerate(crumbs, 1)
    ]
    document = {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items}
    text = json.dumps(document, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
