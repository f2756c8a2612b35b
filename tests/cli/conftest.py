"""How a command is run in a test: in this process, its output and its exit code caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from peakwise.cli.main import main


class Ran(NamedTuple):
    """What a command line did."""

    code: int
    out: str
    err: str


@pytest.fixture
def peakwise(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run `peakwise WORDS…`; no variable of the machine speaks for colour."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str) -> Ran:
        code = main(list(words))
        caught = capsys.readouterr()
        return Ran(code, caught.out, caught.err)

    return run
