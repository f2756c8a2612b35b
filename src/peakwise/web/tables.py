"""Questions and answers as CSV: a row of keys, then a row for each question."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from peakwise.core.declaration import Declaration, Value
from peakwise.core.number import format_plain
from peakwise.web.errors import BAD_REQUEST, UNUSABLE, RequestError
from peakwise.web.rows import Document


def read_table(body: bytes) -> list[dict[str, object]]:
    """The rows of a CSV text by the keys of its first row; an empty cell is no input. **Raises** RequestError."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(BAD_REQUEST, "the body is not UTF-8", where="body") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        lines = [line for line in reader if line]
    except csv.Error as error:
        raise RequestError(UNUSABLE, "the body is not CSV", where="body", got=str(error)[:80]) from error
    if not lines:
        raise RequestError(UNUSABLE, "the table is empty", where="body", expected="a first row of keys")
    keys, rows = [key.strip() for key in lines[0]], lines[1:]
    if not rows:
        raise RequestError(UNUSABLE, "the table has keys and no row", where="body", expected="a row for each question")
    if len(set(keys)) != len(keys):
        raise RequestError(UNUSABLE, "a key stands twice in the first row", where="row 1")
    for place, row in enumerate(rows, 2):
        if len(row) != len(keys):
            message = f"row {place} has {len(row)} cells, not {len(keys)}"
            raise RequestError(UNUSABLE, message, where=f"row {place}")
    return [{key: cell for key, cell in zip(keys, row, strict=True) if cell.strip()} for row in rows]


def write_table(declaration: Declaration, documents: Sequence[Document]) -> str:
    """The answers: every result by key, then codes of findings, then of errors."""
    keys = [result.key for result in declaration.results]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*keys, "warnings", "errors", "message"])
    for item in documents:
        writer.writerow(_cells(keys, item))
    return text.getvalue()


def _cells(keys: Sequence[str], item: Document) -> list[str]:
    if item.error is not None:
        codes = " ".join(error.code for error in item.error.field_errors)
        return [*("" for _ in keys), "", codes, item.error.message]
    calculation = item.calculation
    assert calculation is not None  # a question is either refused or answered
    codes = " ".join(warning.code for warning in calculation.warnings)
    return [*(_cell(calculation.results[key]) for key in keys), codes, "", ""]


def _cell(value: Value | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value) if isinstance(value, float) else str(value)
    return ";".join(format_plain(item) for item in value) if isinstance(value, tuple) else value
