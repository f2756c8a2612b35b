"""reference/conventions.md from the table of counting rules."""

from __future__ import annotations

import inspect

from pages.markdown import opening, page, table
from peakwise.counting.conventions.table import CONVENTIONS, Convention


def write() -> str:
    """The page of conventions: one heading a rule, with what it counts and what its function says of it."""
    lines = opening(
        "Conventions",
        "The rules by which tools count a model's FLOPs per token, by id: `--convention ID`, `work.under(ID)`. "
        "Rules of kind `hardware` include recompute: they lead to HFU, never to MFU.",
    )
    lines += table(
        ["id", "kind", "what it counts"],
        [(f"[`{each.id}`](#{_anchor(each.id)})", each.kind, each.text) for each in CONVENTIONS],
    )
    for convention in CONVENTIONS:
        lines += _section(convention)
    return page(lines)


def _section(convention: Convention) -> list[str]:
    lines = [f"## {convention.id}", "", f"Kind: {convention.kind}. {convention.text}.", ""]
    lines += [inspect.getdoc(convention.flop_per_token) or "", ""]
    if convention.gpt_only:
        lines += ["Made for GPT shapes (full heads, a plain 4h MLP); elsewhere it is printed with that note.", ""]
    if convention.forward == "none":
        lines += ["Written for training: it has no figure for a forward pass alone.", ""]
    return lines


def _anchor(convention: str) -> str:
    return convention.replace("@", "").lower()
