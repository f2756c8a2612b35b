"""The model's config as a log prints it when the model is loaded."""

from __future__ import annotations

import re
from typing import Any

import msgspec

# `Model config LlamaConfig {` ends a line; the JSON that follows ends with a brace at the margin.
_BEGINS = re.compile(r"Model config \w{1,80} \{$")
_RANK = re.compile(r"^\[(?:rank|default)\d{1,7}\]:\s?")
MOST_LINES = 2000  # a config lists a word per layer or expert at most

MARK = "Model config "


class ConfigBlock:
    """Collects the lines of the first config of a log."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open = False
        self.fields: dict[str, object] = {}

    def see(self, text: str) -> bool:
        """Takes note of a line; whether the next one belongs to the config too."""
        if not self._open:
            self._open = not self.fields and MARK in text and _BEGINS.search(text.rstrip()) is not None
            self._lines = ["{"]
            return self._open
        line = _RANK.sub("", text)
        self._lines.append(line)
        self._open = not line.startswith("}") and len(self._lines) < MOST_LINES
        if line.startswith("}"):
            self.fields = _decode("\n".join(self._lines))
        return self._open


def _decode(text: str) -> dict[str, object]:
    """The fields; none where other lines stand between them."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return {}
