"""Which head a class name says, by its ending, from head_suffixes.toml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from peakwise.core.model import Over
from peakwise.facts.section import list_sections, load_section

PATH = Path(__file__).with_name("head_suffixes.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One row: `outputs` is "vocabulary", "labels", "none" or a number; `over` every token or once a sequence."""

    suffix: str
    source: str
    outputs: str | int
    over: Over = "token"
    bias: bool = False


def match_head(class_name: str) -> Head | None:
    """The head of a class by the longest ending that fits; None where none does."""
    endings = [suffix for suffix in list_sections(PATH) if class_name.endswith(suffix)]
    if not endings:
        return None
    suffix = max(endings, key=len)
    row = cast(dict[str, str], load_section(PATH, suffix))
    return Head(
        suffix=suffix,
        source=row["source"],
        outputs=row["outputs"],
        over=row.get("over", "token"),
        bias=bool(row.get("bias", False)),
    )
