"""Errors that only a command line has: a call that cannot be meant, and a threshold that was missed."""

from __future__ import annotations

from peakwise.core.errors import FieldError, PeakwiseError


class UsageError(PeakwiseError):
    """A command that is not there, an unknown flag, a value that is missing: exit code 2."""

    kind = "usage"

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


class ThresholdMissed(PeakwiseError):
    """A number that `--fail-under` asked for was not reached, or is not known: exit code 3, after the report."""

    kind = "threshold"
