"""A finding that comes with a result: what, the likely cause, and the repair as a flag."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.errors import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One warning of a result. `code` is a row of core/codes.py; `input` the key or flag it is about.

    For a page: `values` are the numbers of its sentence by name, with a `case` where a code has more than one
    sentence; `repair` are the inputs that would mend it, by key (None: left out).
    """

    code: str
    message: str
    input: str = ""
    fix: str = ""
    values: tuple[tuple[str, int | float | str], ...] = ()
    repair: tuple[tuple[str, int | float | str | bool | None], ...] = ()

    def to_dict(self) -> Json:
        """The entry of `warnings` in every document."""
        return {"code": self.code, "message": self.message, "input": self.input, "fix": self.fix}
