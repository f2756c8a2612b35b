"""reference/codes.md from core/codes.py and core/errors.py."""

from __future__ import annotations

from pages.markdown import opening, page, table
from peakwise.core import errors
from peakwise.core.codes import TABLE


def write() -> str:
    """The page of codes, kinds of error and exit codes."""
    lines = opening("Codes", "One table of codes serves count, measure, calc and the API.")
    for kind, title in (("error", "Errors"), ("warning", "Warnings")):
        rows = [(f"`{code.id}`", code.when) for code in TABLE if code.kind == kind]
        lines += [f"## {title}", "", *table(["code", "given when"], rows)]
    lines += ["## Kinds of error", "", "`error.kind` of the document `peakwise.error/1`, and the class in Python.", ""]
    lines += table(["kind", "class", "means"], _kinds())
    lines += ["## Exit codes", ""]
    lines += table(
        ["code", "means"],
        [
            (0, "done"),
            (1, "an input that cannot be used"),
            (2, "a command that cannot be understood"),
            (3, "a threshold was missed (`--fail-under`)"),
        ],
    )
    return page(lines)


def _kinds() -> list[tuple[str, str, str]]:
    found = [
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.PeakwiseError)
    ]
    return [(f"`{each.kind}`", f"`{each.__name__}`", (each.__doc__ or "").strip().splitlines()[0]) for each in found]
