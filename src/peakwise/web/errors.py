"""Errors of the server as the product's error document, with the status that each has."""

from __future__ import annotations

import json

from peakwise.core.errors import InputError, Json, PeakwiseError

BAD_REQUEST, NOT_FOUND, NOT_ALLOWED = 400, 404, 405
TOO_LARGE, NOT_SUPPORTED, UNUSABLE, TOO_LONG = 413, 415, 422, 503

# What a status means where no sentence of our own was written for it.
_SENTENCES: dict[int, str] = {
    BAD_REQUEST: "the request cannot be read",
    NOT_FOUND: "there is nothing at this address",
    NOT_ALLOWED: "the address does not take this method",
    TOO_LARGE: "the body is too large",
    NOT_SUPPORTED: "the body is of a type that is not read here",
    TOO_LONG: "the answer took too long",
    500: "the server failed",
}


class RequestError(InputError):
    """A request that cannot be answered, with its status."""

    kind = "request"

    def __init__(self, status: int, message: str, *, where: str = "", got: str = "", expected: str = "") -> None:
        super().__init__(message, where=where, got=got, expected=expected)
        self.status = status


def status_of(error: PeakwiseError) -> int:
    """The status of an error: its own, else 422."""
    return error.status if isinstance(error, RequestError) else UNUSABLE


def plain_error(status: int) -> RequestError:
    """The error of a status alone."""
    return RequestError(status, _SENTENCES.get(status, "the request failed"))


def write_document(document: Json | list[Json]) -> bytes:
    """A JSON document as the command line prints it: two spaces, letters as they are, no infinities."""
    return (json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode("utf-8", "replace")
