"""A finding that comes with a result: what, the likely cause, and the repair as a flag."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.errors import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One warning of a result. `code` is a row of core/codes.py; `input` the key or flag it is about."""

    code: str
    message: str
    input: str = ""
    fix: str = ""

    def to_dict(self) -> Json:
        """The entry of `warnings` in every document."""
        return {"code": self.code, "message": self.message, "input": self.input, "fix": self.fix}
