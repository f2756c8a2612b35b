"""A calculator's page: its form, its answer, and what stands below them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.core.calculation import Calculation
from peakwise.core.declaration import Value
from peakwise.core.number import format_plain
from peakwise.web.answer_view import AnswerView, view_answer
from peakwise.web.charts_view import FigureView, view_charts
from peakwise.web.chrome import Chrome, draw_chrome
from peakwise.web.field_view import Button
from peakwise.web.form import ORIGIN
from peakwise.web.form_view import FormView, view_form
from peakwise.web.links import path_of, write_query
from peakwise.web.prose import Explained, read_prose
from peakwise.web.sheet import Sheet
from peakwise.web.texts import LANGUAGES

LINK_VERSIONS = frozenset({"", "1"})


class Notice(NamedTuple):
    """One line above the form: something of the link was not used, or cannot be."""

    text: str
    grave: bool
    button: Button | None = None


class Further(NamedTuple):
    """A link to another calculator, and what travels with it."""

    name: str
    href: str
    text: str


class Copy(NamedTuple):
    """One form to take along."""

    form: str
    label: str
    href: str


class PageView(NamedTuple):
    """A page as it is drawn."""

    id: str
    chrome: Chrome
    form: FormView
    answer: AnswerView
    figures: tuple[FigureView, ...]
    notices: tuple[Notice, ...]
    inputs: tuple[tuple[str, str], ...]
    copies: tuple[Copy, ...]
    explained: tuple[Explained, ...]
    questions: tuple[Explained, ...]
    further: tuple[Further, ...]
    more_words: str
    share: str
    notice: str
    canonical: str
    query: str


def view_page(sheet: Sheet, base: str) -> PageView:
    """The page of a sheet; `base`: scheme and host of its own address."""
    texts = sheet.texts
    title, purpose = texts.plain(f"page.{sheet.id}.title"), texts.plain(f"page.{sheet.id}.purpose")
    here = {code: _in_language(sheet, code) for code in LANGUAGES}
    short = texts.plain(f"page.{sheet.id}.short")
    notice = texts.pick(f"page.{sheet.id}.notice", "ui.notice")
    return PageView(
        id=sheet.id,
        chrome=draw_chrome(texts, title, purpose, here=here, base=base, current=sheet.id, crumb=short),
        form=view_form(sheet),
        answer=view_answer(sheet),
        figures=tuple(view_charts(sheet)),
        notices=tuple(_notices(sheet)),
        inputs=tuple(_inputs(sheet)),
        copies=tuple(_copies(sheet)),
        explained=tuple(_explained(sheet)),
        questions=tuple(_questions(sheet)),
        further=tuple(_further(sheet)),
        more_words=texts.plain(f"page.{sheet.id}.more") if texts.has(f"page.{sheet.id}.more") else "",
        share=base + sheet.links.plain(conv=RULE_SET),
        notice=texts.plain(notice),
        canonical=sheet.links.here(),
        query=sheet.links.plain().partition("?")[2],
    )


def _in_language(sheet: Sheet, code: str) -> str:
    return path_of(sheet.declaration, code) if sheet.asked.empty else sheet.links.here(code)


def _notices(sheet: Sheet) -> Iterator[Notice]:
    """What of a link was not used."""
    asked, texts = sheet.asked, sheet.texts
    if asked.convention and asked.convention != RULE_SET:
        button = Button(texts.get("ui.use_rule", rule=RULE_SET), sheet.links.here(conv=RULE_SET))
        text = texts.get("notice.convention", rule=asked.convention[:20], known=RULE_SET)
        yield Notice(text, True, button)
    if asked.version not in LINK_VERSIONS:
        yield Notice(texts.get("notice.version", version=asked.version[:20]), False)
    if asked.unknown:
        yield Notice(texts.get("notice.unknown", names=", ".join(asked.unknown[:5])), False)


def _inputs(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """The inputs as label and value, for the summary and for paper."""
    if sheet.calculation is None:
        return
    for key, given in sheet.calculation.inputs.items():
        yield (
            sheet.field_name(key, "label"),
            sheet.figures.said(sheet.declaration.field(key), given.value).text,
        )


def _copies(sheet: Sheet) -> Iterator[Copy]:
    """The answer to take along; above the peak only its link and its numbers."""
    calculation = sheet.calculation
    if calculation is None:
        return
    texts = sheet.texts
    yield Copy("link", texts.plain("ui.copy.link"), sheet.links.plain(conv=RULE_SET))
    if not sheet.over:
        yield Copy("md", "Markdown", sheet.links.plain(**{"as": "md"}))
        yield Copy("csv", "CSV", sheet.links.plain(**{"as": "csv"}))
    yield Copy("json", "JSON", _api_link(sheet, calculation))
    if not sheet.over:
        yield Copy("tex", "LaTeX", sheet.links.plain(**{"as": "tex"}))


def _api_link(sheet: Sheet, calculation: Calculation) -> str:
    """The same question to the JSON API, which takes no defaults of the page: what the page's link says, by key."""
    told = [field.key for field in sheet.declaration.fields if field.param in sheet.links.pairs]
    pairs = [(key, _api_text(calculation.inputs[key].value)) for key in told if key in calculation.inputs]
    return f"/api/v1/{sheet.id}?{write_query(pairs)}"


def _api_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return format_plain(value)
    return ";".join(format_plain(item) for item in value) if isinstance(value, tuple) else value


def _explained(sheet: Sheet) -> Iterator[Explained]:
    texts, own = sheet.texts, f"page.{sheet.id}"
    for place in texts.numbered(f"{own}.explain.#.title"):
        text = texts.plain(f"{own}.explain.{place}.text")
        yield Explained(texts.plain(f"{own}.explain.{place}.title"), read_prose(text), f"about-{place}")
    if texts.has(f"{own}.example.text"):
        text = texts.plain(f"{own}.example.text")
        yield Explained(texts.plain(f"{own}.example.title"), read_prose(text), "example")


def _questions(sheet: Sheet) -> Iterator[Explained]:
    texts, own = sheet.texts, f"page.{sheet.id}"
    for place in texts.numbered(f"{own}.faq.#.q"):
        answer = texts.plain(f"{own}.faq.{place}.a")
        yield Explained(texts.plain(f"{own}.faq.{place}.q"), read_prose(answer), f"q{place}")


def _further(sheet: Sheet) -> Iterator[Further]:
    """Links to other calculators, the results or inputs that they take with them, and where they came from."""
    calculation, texts = sheet.calculation, sheet.texts
    if calculation is None or sheet.over:
        return
    sent: set[str] = set()
    for send in sheet.declaration.sends:
        if send.to in CALCULATORS and send.to not in sent:
            sent.add(send.to)
            values = {
                item.field: calculation.results[item.result] for item in sheet.declaration.sends if item.to == send.to
            }
            yield _link_to(sheet, send.to, values, f"page.{sheet.id}.send.{send.to}")
    for name in CALCULATORS:
        key = f"page.{sheet.id}.next.{name}"
        if name not in sent and texts.has(key):
            yield _link_to(sheet, name, {}, key)


def _link_to(sheet: Sheet, name: str, results: dict[str, Value | None], key: str) -> Further:
    from peakwise.web.journey import carry

    declaration = find_calculator(name).declaration
    pairs = carry(sheet, declaration, results)
    origins = [(f"{ORIGIN}{field.key}", sheet.id) for field, _ in pairs]
    query = write_query([("v", "1"), *((field.param, text) for field, text in pairs), *origins])
    text = sheet.write(key) if sheet.texts.has(key) else ""
    short = sheet.texts.plain(f"page.{name}.short")
    return Further(
        short,
        f"{path_of(declaration, sheet.language)}?{query}" if pairs else path_of(declaration, sheet.language),
        text,
    )
