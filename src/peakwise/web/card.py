"""The picture that stands for a link elsewhere: the answer, large, and its ruler."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, cast

from peakwise.core.units import PERCENT
from peakwise.report.gauge import EDGES, NAMES
from peakwise.web.answer_view import view_answer
from peakwise.web.render import render
from peakwise.web.sheet import Sheet

# The light colours of the bands, and the greys where they do not apply (look: bands).
_FILLS = ("#b4591d", "#dfb768", "#86b5d6", "#28628f")
_GREYS = ("#b9bbb7", "#d3d4cf", "#d3d4cf", "#b9bbb7")


class CardBand(NamedTuple):
    """One band of the card's ruler, in percent of the peak."""

    start: int
    width: int
    fill: str
    name: str


def draw_card(sheet: Sheet) -> bytes | None:
    """The card as PNG; None where there is no answer to show, or one that cannot be."""
    if sheet.calculation is None or sheet.over:
        return None
    answer = view_answer(sheet)
    mfu = sheet.calculation.results.get("mfu")
    ends = (*EDGES, PERCENT)
    fills = _FILLS if sheet.calculation.results.get("band_applies", True) is not False else _GREYS
    bands = [
        CardBand(start, end - start, fill, sheet.texts.plain(f"band.{name}"))
        for start, end, fill, name in zip((0, *EDGES), ends, fills, NAMES, strict=True)
    ]
    at = min(float(mfu), 1.0) * PERCENT if isinstance(mfu, int | float) else 0.0
    title = sheet.texts.plain(f"page.{sheet.id}.title")
    values = {"a": answer, "bands": bands, "at": at, "c": {"title": title}}
    svg = render("card.svg", sheet.texts, values)
    convert = cast("Callable[..., bytes]", import_module("vl_convert").svg_to_png)
    return convert(svg)
