"""The Trainer's JSON files: `trainer_state.json` with its history, `all_results.json` with the final summary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from peakwise.core.errors import ReadError
from peakwise.readers.protocol import Source

# A history of a million records; a state larger than this is not read (bytes).
MOST_BYTES = 1 << 26
# Python writes these where JSON has no word; only as a value.
_NO_NUMBER = re.compile(rb"(?<=[\s:\[,])-?(?:NaN|Infinity)(?=\s*[,}\]])")
_HISTORY = re.compile(r'"log_history"\s*:\s*\[')
_RESULTS = re.compile(r'\A\s*\{\s*"[^{}]*"train_runtime"[^{}]*\}\s*\Z')


class _State(msgspec.Struct):
    """What is read of a state; its other keys are passed over."""

    log_history: list[dict[str, Any]]
    max_steps: int | None = None


def is_state(head: str) -> bool:
    """Whether a file begins as one of the Trainer's JSON files."""
    if not head.lstrip("\ufeff \t\r\n").startswith("{"):
        return False
    return _HISTORY.search(head) is not None or (len(head) < 100_000 and _RESULTS.match(head) is not None)


def read_state(source: Source) -> list[dict[str, str]]:
    """The dicts of the history in order, or the one of a summary, values as text.

    **Raises** ReadError for a file that is too large, cut off, or no JSON of this kind.
    """
    with source.open() as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ReadError(
            "the trainer's state is too large",
            where=source.shown,
            got="over 64 MiB",
            expected="at most 64 MiB",
            hint="measure the console log of the run",
        )
    text = data.decode(source.encoding, "replace").encode()
    text = _NO_NUMBER.sub(b"null", text)
    try:
        if _HISTORY.search(source.head) is None:
            return [_texts(msgspec.json.decode(text, type=dict[str, Any]))]
        return [_texts(entry) for entry in msgspec.json.decode(text, type=_State).log_history]
    except (msgspec.DecodeError, RecursionError) as error:
        raise ReadError(
            "the trainer's state cannot be read",
            where=source.shown,
            got=str(error)[:200],
            expected="trainer_state.json as the Trainer writes it",
            hint="take the trainer_state.json of an earlier checkpoint",
        ) from error


def _texts(entry: Mapping[str, Any]) -> dict[str, str]:
    """The numbers and texts of an entry as they would be printed; what was no number stays none."""
    return {
        key: "nan" if value is None else repr(value) if isinstance(value, float) else str(value)
        for key, value in entry.items()
        if isinstance(value, int | float | str | None) and not isinstance(value, bool)
    }
