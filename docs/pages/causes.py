"""reference/causes.md: what takes a run's peak, and how `explain` knows it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pages.markdown import opening, page
from peakwise.explaining.causes import KINDS
from peakwise.report.views.explain import LABELS

TEXTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def write() -> str:
    """The page of causes. A cause without a text, or a text without a cause, is an error of these docs."""
    if set(TEXTS) != {kind.cause for kind in KINDS}:
        raise ValueError(f"causes.toml differs from the code: {sorted(set(TEXTS) ^ {kind.cause for kind in KINDS})}")
    lines = opening(
        "Causes",
        "The `cause` of each part of `peakwise explain --json` (`peakwise.explain/1`), its words in the report, and "
        "its evidence: measured in the log, modelled from what was stated, or unknown. The parts sum to 1.",
    )
    for kind in KINDS:
        words = f"*{LABELS[kind.cause]}*, {kind.evidence}."
        lines += [f"## {kind.cause}", "", f"{words} {TEXTS[kind.cause]}", ""]
    return page(lines)
