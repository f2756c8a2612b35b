"""One or many questions to a calculator, as documents: each a result or an error, as the command line prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import NamedTuple

from peakwise.core.calculation import Calculation
from peakwise.core.declaration import Declaration
from peakwise.core.errors import Json, PeakwiseError
from peakwise.verbs.calc import calculate
from peakwise.web.errors import BAD_REQUEST, TOO_LONG, UNUSABLE, RequestError, plain_error
from peakwise.web.security import SECONDS

MOST_ROWS = 1000


class Document(NamedTuple):
    """The document of one question; `error`: where it was refused."""

    document: Json
    error: PeakwiseError | None = None
    calculation: Calculation | None = None


def answer_one(name: str, given: Mapping[str, object], *, text: bool) -> Document:
    """The document of one question. `text`: inputs are texts of a query or a table, numbers with a dot."""
    inputs = dict(given)
    locale = inputs.pop("locale", None)
    if locale is not None and not isinstance(locale, str):
        raise RequestError(BAD_REQUEST, "locale is a text", where="locale", got=str(locale)[:40])
    try:
        answer = calculate(name, inputs, face="key", locale=locale or ("en" if text else None), local=False)
        return Document(answer.to_dict(), calculation=answer)
    except PeakwiseError as error:
        return Document(error.to_dict(), error)


def answer_rows(name: str, rows: Sequence[Mapping[str, object]], *, text: bool) -> list[Document]:
    """The documents of many questions, in their order. **Raises** RequestError: too many, or too long a time."""
    if len(rows) > MOST_ROWS:
        raise RequestError(UNUSABLE, f"{len(rows):,} rows are more than {MOST_ROWS:,}", where="body")
    end = monotonic() + SECONDS
    documents: list[Document] = []
    for row in rows:
        if monotonic() > end:
            raise plain_error(TOO_LONG)
        documents.append(answer_one(name, row, text=text))
    return documents


def query_inputs(declaration: Declaration, pairs: Sequence[tuple[str, str]]) -> dict[str, object]:
    """The inputs of a query by key. **Raises** RequestError for a key that stands twice."""
    given: dict[str, object] = {}
    for key, text in pairs:
        if key in given:
            raise RequestError(BAD_REQUEST, f"{key[:40]} stands twice", where=key[:40])
        given[key] = text
    del declaration
    return given
