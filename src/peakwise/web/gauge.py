"""The ruler of a utilization: where its bands, ticks and pointer stand, in percent of its width."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.core.bands import EDGES
from peakwise.core.units import to_percent
from peakwise.report.locale import show_number, show_percent
from peakwise.web.texts import Texts

_OVER = 1.25  # the end of the ruler of what is above the peak; look: it grows to 125 %
_EDGE_ROOM = 0.5  # percent of the width that a pointer keeps from either end


class BandView(NamedTuple):
    """One band: its place on the ruler, its name, whether the value is in it (`near`), and is called by it."""

    id: str
    name: str
    x: str
    width: str
    middle: str
    current: bool
    near: bool


class Tick(NamedTuple):
    """One tick: where, its text, and how the text hangs on it."""

    x: str
    text: str
    anchor: str


class GaugeView(NamedTuple):
    """The ruler. `pointer`: None where there is nothing to point at; `applies`: in colour, the band named."""

    bands: tuple[BandView, ...]
    ticks: tuple[Tick, ...]
    wall: str
    peak_text: str
    peak_x: str
    pointer: str | None
    over: bool
    rest: str
    applies: bool
    label: str


def draw_gauge(texts: Texts, locale: str, value: float | None, *, applies: bool, label: str) -> GaugeView:
    """The ruler of a utilization, fraction; above 1 it grows, greys and shows the wall."""
    over = value is not None and value > 1
    end = _OVER if over else 1.0
    edges = [0.0, *(edge for edge, _ in EDGES), 1.0]
    names = ["poor", *(band for _, band in EDGES)]
    bands: list[BandView] = []
    for name, low, high in zip(names, edges, edges[1:], strict=False):
        inside = value is not None and not over and _is_in(value, low, high)
        bands.append(
            BandView(
                id=name,
                name=texts.plain(f"band.{name}"),
                x=_percent(low / end),
                width=_percent((high - low) / end),
                middle=_percent((low + high) / 2 / end),
                current=inside and applies,
                near=inside,
            )
        )
    return GaugeView(
        bands=tuple(bands),
        ticks=tuple(_tick(edge, end, locale) for edge in edges),
        wall=_percent(1 / end),
        peak_text=texts.plain("ui.peak"),
        peak_x=_percent(1 / end),
        pointer=None if value is None else _pointer(value / end),
        over=over,
        rest=_percent(1 - 1 / end),
        applies=applies and not over,
        label=label,
    )


def _is_in(value: float, low: float, high: float) -> bool:
    from peakwise.core.bands import find_band

    return find_band(value) == find_band((low + high) / 2)


def _tick(edge: float, end: float, locale: str) -> Tick:
    first, last = edge == 0, edge == 1
    text = show_percent(edge, 0, locale) if first or last else show_number(to_percent(edge), 0, locale)
    anchor = "start" if first else "end" if last and end == 1 else "middle"
    return Tick(x=_percent(edge / end), text=text, anchor=anchor)


def _pointer(share: float) -> str:
    return _percent(min(max(share, to_fraction(_EDGE_ROOM)), 1 - to_fraction(_EDGE_ROOM)))


def to_fraction(percent: float) -> float:
    """Percent of the ruler's width as a fraction of it."""
    from peakwise.core.units import from_percent

    return from_percent(percent)


def _percent(share: float) -> str:
    text = f"{to_percent(share):.3f}".rstrip("0").rstrip(".")
    return f"{text}%"
