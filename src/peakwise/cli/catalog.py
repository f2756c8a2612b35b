"""`peakwise catalog`: which chips and models are known?"""

from __future__ import annotations

from typing import Annotated

import typer

from peakwise.cli.flags import Html, Json, Markdown
from peakwise.cli.output import Wanted, show

EXAMPLE = "peakwise catalog chips h100"


def catalog(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="chips or models.")],
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="Part of an id or a name.")] = None,
    *,
    measure: Annotated[
        bool, typer.Option("--measure", help="This machine's own matmul rate; takes some seconds.")
    ] = False,
    json: Json = False,
    md: Markdown = False,
    html: Html = None,
) -> None:
    """The chips and models that Peakwise knows, each figure with its source."""
    from peakwise.report.views.catalog import describe
    from peakwise.verbs.catalog import catalog as run

    page = run(kind, query, measure=measure)
    show(page, lambda _: describe(page), Wanted(json, md, html))
