"""Where a command's words go: results to stdout, warnings and errors to stderr, each on its own paper."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol, TextIO

from peakwise.core.errors import InputError, Json
from peakwise.report.blocks import Document
from peakwise.report.paper import Paper, choose_paper
from peakwise.report.render import Shape, draw


class Result(Protocol):
    """What every verb answers."""

    def to_dict(self) -> Json:
        """The result's JSON document."""
        ...


class Wanted(NamedTuple):
    """The form that a command was asked for: a JSON document, Markdown, a page in a file; else a report."""

    json: bool = False
    md: bool = False
    html: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Wanted:
        """The form that the values of a declared command ask for."""
        html = values["html"]
        return cls(json=values["json"] is True, md=values["md"] is True, html=html if isinstance(html, str) else None)


def show(result: Result, describe: Callable[[Shape], Document], wanted: Wanted) -> None:
    """Write one result in the form that was asked for; the warnings of a report follow it on stderr."""
    if wanted.html is not None:
        write_file(wanted.html, draw(describe("page"), "page"))
    if wanted.json:
        write_json(result.to_dict())
    elif wanted.md:
        write(sys.stdout, draw(describe("markdown"), "markdown"))
    else:
        write_report(describe("text"))


def write_report(document: Document) -> None:
    """A report on stdout, then its warnings on stderr."""
    from peakwise.report.text import draw_warnings

    write(sys.stdout, draw(document, "text", paper_of(sys.stdout)))
    if document.warned:
        sys.stdout.flush()
        write(sys.stderr, draw_warnings(document, paper_of(sys.stderr)))


def write_json(document: Json) -> None:
    """A document on stdout; characters that its encoding lacks are escaped, so that it stays JSON."""
    import json

    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    write(sys.stdout, json.dumps(document, ensure_ascii=not unicode, indent=2, allow_nan=False) + "\n")


def write_file(name: str, text: str) -> None:
    """A text in a file. **Raises** InputError where it cannot be written."""
    try:
        Path(name).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(
            "cannot write the page", where="--html", got=name, expected=f"a file that can be written ({reason})"
        ) from error


def write(stream: TextIO, text: str) -> None:
    """Text on a stream; a character that its encoding lacks is written as its escape."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def paper_of(stream: TextIO) -> Paper:
    """The paper of one stream."""
    is_terminal = stream.isatty()
    columns = shutil.get_terminal_size().columns if is_terminal else 0
    return choose_paper(encoding=stream.encoding, is_terminal=is_terminal, columns=columns, environ=os.environ)
