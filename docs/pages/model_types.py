"""reference/model-types.md from the table of model types."""

from __future__ import annotations

from pages.markdown import opening, page, table
from peakwise.facts.model_types import list_model_types, load_model_type


def write() -> str:
    """The page of model types: those that are counted, and those that are refused with what is not counted."""
    rows = [(name, load_model_type(name)) for name in list_model_types()]
    refused = [(name, facts) for name, facts in rows if facts.not_there]
    counted = [(name, facts.source) for name, facts in rows if not facts.not_there]
    lines = opening(
        "Model types",
        f"{len(counted)} model types are counted and {len(refused)} are known and refused. Any other is refused with "
        "the nearest names, unless `--like` names its kin. The sweep of `make test` builds small models of these types "
        "with the pinned library, compares parameters and FLOPs with the framework's counter, and prints the share.",
    )
    why = [
        (f"`{name}`", facts.not_there, f"`{facts.unless}` alone is counted" if facts.unless else "")
        for name, facts in refused
    ]
    lines += ["## Refused", "", *table(["model_type", "what is not counted", ""], why)]
    lines += [
        "",
        "## Counted",
        "",
        *table(["model_type", "read from"], [(f"`{name}`", source) for name, source in counted]),
    ]
    return page(lines)
