"""The colours of the pages reach the contrast that the design states, in both themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import peakwise.web.assets

STATIC = Path(peakwise.web.assets.__file__).parent / "static"
TOKENS = (STATIC.parents[1] / "report" / "tokens.css").read_text(encoding="utf-8")
TEXT, LINE = 4.5, 3.0  # WCAG 2.2: text, and lines that carry meaning


def _theme(dark: bool) -> dict[str, str]:
    light, _, rest = TOKENS.partition("@media (prefers-color-scheme: dark)")
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", light))
    return colours | (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", rest)) if dark else {})


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("ink", "ground", "least"),
    [
        *((ink, ground, TEXT) for ink in ("ink", "ink-2", "ink-3", "accent") for ground in ("paper", "well", "field")),
        *((ink, "paper", TEXT) for ink in ("error", "warn", "series-2")),
        ("accent", "accent-soft", TEXT),
        ("on-accent", "accent", TEXT),
        ("warn", "warn-soft", TEXT),
        ("error", "error-soft", TEXT),
        *((ink, ground, TEXT) for ink in ("ink", "ink-2", "accent") for ground in ("warn-soft", "error-soft")),
        *((line, "paper", LINE) for line in ("edge", "bar", "accent", "warn-edge", "error-edge")),
        ("edge", "field", LINE),
    ],
)
def test_a_colour_is_read_on_its_ground(ink: str, ground: str, least: float, dark: bool) -> None:
    colours = _theme(dark)
    assert _contrast(colours[ink], colours[ground]) >= least


def test_the_stylesheet_takes_every_colour_from_the_tokens() -> None:
    sheet = (STATIC / "page.css").read_text(encoding="utf-8").partition("@media print")[0]
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", sheet) == []
    used = set(re.findall(r"var\(--([\w-]+)\)", sheet))
    assert used <= set(re.findall(r"--([\w-]+):", TOKENS))


def test_nothing_moves_and_nothing_is_loaded_from_outside() -> None:
    for path in STATIC.glob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"animation|transition|@import|@font-face|https?:", text) == []
