"""The flags that every command has."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")]
Markdown = Annotated[bool, typer.Option("--md", help="Print Markdown, for an issue or a pull request.")]
Html = Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write the report as a page of its own too.")]
