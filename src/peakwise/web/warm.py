"""What a server reads before its first request: texts, templates, lists; so that no reader waits for them."""

from __future__ import annotations

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.web.assets import read_assets
from peakwise.web.options import model_sizes, options_of
from peakwise.web.paper import Reader, draw_page
from peakwise.web.texts import LANGUAGES


def warm_up() -> None:
    """Read every text, template and list, and draw each page once."""
    read_assets()
    model_sizes()
    for name in CALCULATORS:
        declaration = find_calculator(name).declaration
        for field in declaration.fields:
            options_of(field.key)
        for language in LANGUAGES:
            draw_page(declaration, (), Reader(language, "", ""))
