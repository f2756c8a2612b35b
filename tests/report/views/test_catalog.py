"""A page of the catalogue on paper."""

from __future__ import annotations

import pytest

from peakwise.report.paper import Paper
from peakwise.report.views.catalog import render
from peakwise.verbs.catalog import catalog


def test_a_chip_is_one_row_with_its_dense_peaks_memory_and_bandwidth() -> None:
    lines = render(catalog("chips", "h100-sxm")).splitlines()
    assert lines[0] == "one chip for h100-sxm"
    assert lines[-1].split()[:5] == ["h100-sxm", "989.4", "1,978.9", "80", "3.35"]


def test_a_model_is_one_row_with_its_parameters() -> None:
    lines = render(catalog("models", "llama-3.1-8b")).splitlines()
    assert lines[-1].split()[:3] == ["llama-3.1-8b", "8.03", "8.03"]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_paper(width: int) -> None:
    text = render(catalog("chips"), "text", Paper(width=width))
    assert max(len(line) for line in text.splitlines()) <= width


def test_markdown_has_a_row_for_every_chip() -> None:
    page = catalog("chips")
    text = render(page, "markdown")
    assert all(f"| {row.id} |" in text for row in page.rows)
