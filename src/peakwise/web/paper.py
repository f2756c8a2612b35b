"""A calculator's page from the pairs of its link or form: HTML, a form to take along, or the address to go to."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.declaration import Declaration
from peakwise.web.answer import answer_page
from peakwise.web.copies import FORMS, write_copy
from peakwise.web.examples import AT_ONCE, EXAMPLES
from peakwise.web.form import read_form
from peakwise.web.language import choose_locale
from peakwise.web.page import view_page
from peakwise.web.redirect import canonical_address
from peakwise.web.render import render
from peakwise.web.sheet import Sheet, open_sheet

HTML = "text/html; charset=utf-8"


class Reader(NamedTuple):
    """Who asks: the language of the path, the languages they accept, and the address of the server."""

    language: str
    accepted: str
    base: str


class Reply(NamedTuple):
    """A body with its status and type, or the address to go to."""

    text: str
    status: int = 200
    media_type: str = HTML
    location: str = ""


def draw_page(declaration: Declaration, pairs: Sequence[tuple[str, str]], reader: Reader) -> Reply:
    """The reply to one page's question."""
    asked = read_form(declaration, pairs or (EXAMPLES[declaration.id] if declaration.id in AT_ONCE else ()))
    locale = choose_locale(reader.language, asked.locale, reader.accepted)
    answered = answer_page(declaration, asked, locale)
    if asked.convention not in ("", RULE_SET):
        answered = answered._replace(calculation=None)  # its numbers would follow another rule than the link pins
    sheet = open_sheet(declaration, asked, answered, reader.language, locale)
    if asked.form in FORMS and sheet.calculation is not None:
        address = reader.base + sheet.links.plain(conv=RULE_SET)
        return Reply(write_copy(sheet, asked.form, address), media_type=FORMS[asked.form])
    location = "" if asked.fragment else canonical_address(sheet)
    if location:
        return Reply("", 303, location=location)
    return Reply(_html(sheet, reader))  # a field error too: a browser logs any other status as a fault of the page


def _html(sheet: Sheet, reader: Reader) -> str:
    page = view_page(sheet, reader.base)
    template = "fragment.html" if sheet.asked.fragment else "page.html"
    count = len(page.answer.more_findings)
    more = sheet.texts.write("ui.and_more", {"count": str(count)}, {"count": Decimal(count)}) if count else ""
    return render(
        template,
        sheet.texts,
        {
            "p": page,
            "c": page.chrome,
            "base": reader.base,
            "more_findings_words": more,
            "more_open": sheet.asked.open,
        },
    )
