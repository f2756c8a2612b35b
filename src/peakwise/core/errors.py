"""The tree of errors: every message says where, what we got, what we expected and what to do."""

from __future__ import annotations

from dataclasses import dataclass

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """One field of a calculator that cannot be used, with its code from core/codes.py."""

    field: str
    code: str
    message: str

    def to_dict(self) -> Json:
        """The entry of `errors` in the error document."""
        return {"field": self.field, "code": self.code, "message": self.message}


class PeakwiseError(Exception):
    """Any error that Peakwise raises for its user.

    The inner rule raises the short sentence with what it knows; an outer layer adds the place by `at`.
    """

    kind = "error"

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        got: str = "",
        expected: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.got = got
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        parts = [self.message]
        for label, text in (
            ("where", self.where),
            ("got", self.got),
            ("expected", self.expected),
            ("do", self.hint),
        ):
            if text:
                parts.append(f"{label}: {text}")
        return "; ".join(parts)

    @property
    def field_errors(self) -> tuple[FieldError, ...]:
        """Every field error this error stands for; empty for other errors."""
        return ()

    def at(self, where: str) -> PeakwiseError:
        """The same error, its place prefixed by an outer layer (a file, a flag)."""
        self.where = f"{where}: {self.where}" if self.where else where
        return self

    def to_dict(self) -> Json:
        """The error document `peakwise.error/1` of the JSON contract."""
        return {
            "schema": "peakwise.error/1",
            "error": {
                "kind": self.kind,
                "message": self.message,
                "where": self.where,
                "got": self.got,
                "expected": self.expected,
                "hint": self.hint,
            },
            "errors": [error.to_dict() for error in self.field_errors],
        }


class InputError(PeakwiseError):
    """What the user gave cannot be used. Calculators collect every field error into one of these."""

    kind = "input"

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        got: str = "",
        expected: str = "",
        hint: str = "",
        errors: tuple[FieldError, ...] = (),
    ) -> None:
        super().__init__(message, where=where, got=got, expected=expected, hint=hint)
        self.errors = errors

    @property
    def field_errors(self) -> tuple[FieldError, ...]:
        return self.errors

    @property
    def code(self) -> str:
        """The code of the first field error, or an empty text."""
        return self.errors[0].code if self.errors else ""

    @property
    def field(self) -> str:
        """The key of the first field error, or an empty text."""
        return self.errors[0].field if self.errors else ""


class ConfigError(InputError):
    """A model's config that contradicts itself, lacks a field, or names what is not understood."""

    kind = "config"


class ReadError(InputError):
    """A file that cannot be read, or whose content is not what its format says."""

    kind = "read"


class NumberError(InputError):
    """A number as a person typed it that cannot be read."""

    kind = "number"


class NotKnown(PeakwiseError):
    """A name that no table holds; the message gives the nearest names."""

    kind = "not_known"


class UnknownChip(NotKnown):
    """No row of the chip catalogue matches the name."""

    kind = "unknown_chip"


class UnknownFormat(NotKnown):
    """No reader, or more than one, recognises a source."""

    kind = "unknown_format"


class UnknownModel(NotKnown):
    """No catalogue row, file or cached config matches the model, or its model_type has no facts."""

    kind = "unknown_model"


class CatalogError(PeakwiseError):
    """A row of our own tables that breaks their rules."""

    kind = "catalog"


class LayoutError(PeakwiseError):
    """A parallel layout that cannot be."""

    kind = "layout"


class MissingExtra(PeakwiseError):
    """A feature whose optional dependency is not installed."""

    kind = "missing_extra"
