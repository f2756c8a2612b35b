"""Pages and notebook fragments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

from peakwise.core.count import Count
from peakwise.core.errors import InputError
from peakwise.core.finding import Finding
from peakwise.core.measurement import Measurement
from peakwise.core.workload import Workload
from peakwise.report.views import count as count_view
from peakwise.report.views import error as error_view
from peakwise.report.views import measure as measure_view

VOID = {"meta", "br", "hr", "img", "link", "input"}
HOSTILE = '<script>alert("x")</script>&"\''


class Nesting(HTMLParser):
    """Notes every element that is closed out of order, and every attribute by name."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def read(page: str) -> Nesting:
    """A page, parsed."""
    nesting = Nesting()
    nesting.feed(page)
    return nesting


def test_pages_and_fragments_are_well_formed(
    complete: Measurement, incomplete: Measurement, counted: Callable[[Workload], Count]
) -> None:
    pages = [
        measure_view.render(complete, "page"),
        measure_view.render(incomplete, "html"),
        count_view.render(counted(Workload(seq_len=8192)), "html"),
        error_view.render(InputError("no", where="--seq"), "html"),
    ]
    for page in pages:
        nesting = read(page)
        assert not nesting.faults
        assert not nesting.open


def test_a_page_fetches_nothing_and_runs_nothing(complete: Measurement) -> None:
    page = measure_view.render(complete, "page")
    assert not re.search(r"https?:|src=|@import|<script|<link|url\((?!#)", page)
    assert not {name for name in read(page).attributes if name == "style" or name.startswith("on")}


def test_foreign_text_is_escaped_everywhere(complete: Measurement, incomplete: Measurement) -> None:
    finding = Finding(code="W_SKIPPED", message=HOSTILE, fix=HOSTILE)
    run = replace(complete, sources=(HOSTILE,), model_name=HOSTILE, command=HOSTILE, warnings=(finding,))
    missing = replace(incomplete.missing[0], input=HOSTILE, how=HOSTILE)
    other = replace(incomplete, missing=(missing,), notes=(HOSTILE,), producer_name=HOSTILE)
    for page in (measure_view.render(run, "page"), measure_view.render(other, "html")):
        assert "<script" not in page


def test_the_page_holds_the_numbers_of_the_report(complete: Measurement) -> None:
    page = measure_view.render(complete, "page")
    for text in ("MFU 30.5 %", "Your log says 34.3 %. It is 30.5 %.", "51.47", "−37.8", "number of GPUs not stated"):
        assert text in page


def test_the_gauge_says_its_number_and_band_to_a_screen_reader(complete: Measurement) -> None:
    assert 'role="img" aria-label="30.5 % of the peak, band average"' in measure_view.render(complete, "html")


def test_a_notebook_fragment_brings_its_own_tokens_and_touches_nothing_else(complete: Measurement) -> None:
    fragment = measure_view.render(complete, "html")
    assert fragment.startswith('<div class="peakwise"><style>')
    assert ":root" not in fragment
    assert "--paper: #fdfdfb" in fragment
    assert "prefers-color-scheme: dark" in fragment
