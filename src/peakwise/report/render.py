"""A document in the form that was asked for; each renderer is imported only when it is used."""

from __future__ import annotations

from typing import Literal, assert_never

from peakwise.report.blocks import Document
from peakwise.report.paper import Paper

Shape = Literal["text", "markdown", "html", "page"]


def draw(document: Document, form: Shape, paper: Paper | None = None) -> str:
    """The document as terminal text, Markdown, an HTML fragment for a notebook, or a standalone page."""
    match form:
        case "text":
            from peakwise.report.text import draw_document

            return draw_document(document, paper or Paper())
        case "markdown":
            from peakwise.report.markdown import draw_document as draw_markdown

            return draw_markdown(document)
        case "html":
            from peakwise.report.html import draw_fragment

            return draw_fragment(document)
        case "page":
            from peakwise.report.html import draw_page

            return draw_page(document)
        case _:
            assert_never(form)
