"""reference/readers.md from the readers that ship."""

from __future__ import annotations

import inspect

from pages.markdown import opening, page
from peakwise.readers.find import BUILT_IN, GROUP


def write() -> str:
    """The page of log formats: one heading a reader."""
    lines = opening(
        "Log formats",
        "Exactly one reader must recognise a log; `--format NAME` names it where none or two do.",
        f"Other packages may offer readers by the entry point `{GROUP}`.",
    )
    for reader in BUILT_IN:
        lines += [f"## {reader.name}", "", f"Kind: {reader.kind}.", "", inspect.getdoc(type(reader)) or "", ""]
    return page(lines)
