"""The pages that are no calculator: the list of them, how to use them elsewhere, and an address without a page."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.web.chrome import Chrome, draw_chrome
from peakwise.web.links import path_of
from peakwise.web.paper import Reader
from peakwise.web.prose import Block, read_prose
from peakwise.web.render import render
from peakwise.web.texts import LANGUAGES, Texts, read_texts


class Listed(NamedTuple):
    """One calculator of the list."""

    name: str
    href: str
    text: str


class Part(NamedTuple):
    """One part of a written page."""

    title: str
    blocks: tuple[Block, ...]
    anchor: str


def draw_home(reader: Reader) -> str:
    """The list of calculators."""
    texts = read_texts(reader.language)
    pages = [
        Listed(
            texts.plain(f"page.{name}.title"),
            path_of(find_calculator(name).declaration, reader.language),
            texts.plain(f"page.{name}.purpose"),
        )
        for name in CALCULATORS
    ]
    return render("home.html", texts, {"c": _chrome(texts, "home", "", reader), "pages": pages})


def draw_docs(reader: Reader) -> str:
    """The rules that the pages count by, and the same answers on the command line, in Python and as JSON."""
    texts = read_texts(reader.language)
    parts = [
        Part(texts.get(f"ui.docs.{name}.title", rule=RULE_SET), read_prose(texts.plain(f"ui.docs.{name}.text")), name)
        for name in ("rules", "numbers", "elsewhere", "api")
    ]
    return render("docs.html", texts, {"c": _chrome(texts, "docs", "docs", reader), "parts": parts})


def draw_missing(reader: Reader) -> str:
    """The page of an address that has none."""
    texts = read_texts(reader.language)
    chrome = _chrome(texts, "missing", "", reader)
    return render("missing.html", texts, {"c": chrome})


def _chrome(texts: Texts, name: str, path: str, reader: Reader) -> Chrome:
    here = {code: f"/{code}/{path}" for code in LANGUAGES}
    title, purpose = texts.plain(f"page.{name}.title"), texts.plain(f"page.{name}.purpose")
    return draw_chrome(texts, title, purpose, here=here, base=reader.base, current=name)
