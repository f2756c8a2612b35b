"""The link that carries a calculation: the headline fields, and others where they differ from their default."""

from __future__ import annotations

from urllib.parse import quote

from peakwise.calculators.check import Checked
from peakwise.core.declaration import Declaration, Field, Value
from peakwise.core.number import format_plain

LINK_VERSION = "1"


def make_link(declaration: Declaration, checked: Checked, language: str = "en") -> str:
    """The path and query of the calculator's page with these inputs; numbers canonical, choices by their short word.

    **Example** `/en/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1`
    """
    slug = dict(declaration.slugs).get(language, declaration.id)
    parts = [f"v={LINK_VERSION}"]
    for field in declaration.fields:
        value = checked.value(field.key)
        if value is not None and (field.headline or value != field.default):
            sign = "%" if _is_sure(field, value, checked) else ""
            parts.append(f"{field.param}={quote(canonical(field, value) + sign, safe='')}")
    return f"/{language}/{slug}?" + "&".join(parts)


def _is_sure(field: Field, value: Value, checked: Checked) -> bool:
    """Whether a small percentage was typed with its sign: the link keeps it, or it would read as a fraction."""
    if field.dimension != "percent" or not isinstance(value, int | float) or not 0 < value <= 1:
        return False
    return not any(note.code == "W_FRACTION" and note.input == field.key for note in checked.notes)


def canonical(field: Field, value: Value) -> str:
    """A value as a link says it: dot decimals, no grouping; yes and no as 1 and 0."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return format_plain(value)
    if isinstance(value, tuple):
        return ";".join(format_plain(item) for item in value)
    return next((choice.link for choice in field.choices if choice.word == value), value)
