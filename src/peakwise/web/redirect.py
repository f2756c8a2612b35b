"""Where a form that carries typed numbers leads: to the canonical link of the same inputs."""

from __future__ import annotations

from peakwise.core.units import KILO
from peakwise.web.form import NOTE
from peakwise.web.sheet import Sheet

LONGEST_LINK = 8 * KILO  # bytes; a longer answer is sent without a link of its own


def canonical_address(sheet: Sheet) -> str:
    """The link of what a form asked, or nothing where there is no answer or the link would be too long.

    A number that could be read in two ways takes its text along, so that the page can offer the other reading.
    """
    if sheet.calculation is None or not sheet.asked.typed:
        return ""
    if any(field.kind == "text" and field.key in sheet.answered.given for field in sheet.declaration.fields):
        return ""
    notes = {
        NOTE + sheet.declaration.field(key).param: typed.text
        for key, typed in sheet.answered.typed.items()
        if typed.code == "W_AMBIG"
    }
    address = sheet.links.here(**notes)
    return address if len(address) <= LONGEST_LINK else ""
