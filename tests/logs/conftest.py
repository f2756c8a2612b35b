"""Says at the end how many answers of the sample logs hold."""

from __future__ import annotations

import pytest

from .judge import shares, verdicts


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Numbers and nulls apart: a reader that answers nothing has every null right."""
    if verdicts.cache_info().currsize:
        for line in shares():
            terminalreporter.write_line(line)
