"""An error as a person reads it: the one sentence, then where, what was got, what was expected, what to do."""

from __future__ import annotations

from peakwise.core.errors import PeakwiseError
from peakwise.report.blocks import Document, Trouble
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

# Inputs that lack are asked for once what was typed is right.
ABSENT = "E_REQ"


def describe(error: PeakwiseError) -> Document:
    """The document of an error; the other wrong fields of the same call follow the first."""
    parts = (("where", error.where), ("got", error.got), ("expected", error.expected))
    first = error.field_errors[0].code if error.field_errors else ""
    others = [other for other in error.field_errors[1:] if first == ABSENT or other.code != ABSENT]
    also = [("also", other.message) for other in others]
    shown = [part for part in (*parts, *also, ("do", error.hint)) if part[1]]
    return Document(title="error", blocks=(Trouble(error.message, tuple(shown)),))


def render(error: PeakwiseError, form: Shape = "text", paper: Paper | None = None) -> str:
    """The error in one form."""
    return draw(describe(error), form, paper)
