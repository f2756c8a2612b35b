"""`peakwise catalog`: which chips, models and published runs are known?"""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.cli.command import OUTPUT, Argument, Command, Flag, Value, text_of
from peakwise.cli.output import Wanted, show

EXAMPLE = "peakwise catalog chips h100"

_ARGUMENTS = (
    Argument("kind", "KIND", "chips, models or runs."),
    Argument("query", "QUERY", "Part of an id or a name.", optional=True),
)
_MEASURE = Flag("--measure", "measure", "This machine's own matmul rate; takes some seconds.", default=False)


def command() -> Command:
    """The command as data."""
    summary = "The chips, models and published runs that Peakwise knows, each figure with its source."
    return Command("catalog", summary, _ARGUMENTS, (_MEASURE, *OUTPUT), run)


def run(values: Mapping[str, Value]) -> None:
    """Look up what was asked for and show it."""
    from peakwise.report.views.catalog import describe
    from peakwise.verbs.catalog import catalog

    page = catalog(str(values["kind"]), text_of(values, "query"), measure=values["measure"] is True)
    show(page, lambda _: describe(page), Wanted.of(values))
