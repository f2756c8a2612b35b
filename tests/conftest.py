"""What every test relies on: no network, one seed for the laws, and torch only where it is installed."""

from __future__ import annotations

import importlib.util
import os

import pytest
from hypothesis import settings

os.environ["HF_HUB_OFFLINE"] = "1"  # a test that would fetch a config fails at once instead
os.environ["TRANSFORMERS_OFFLINE"] = "1"

# No clock in the tests, and the same examples in every run.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
# Modules of the sweep import torch themselves; the summary says that they are left out.
collect_ignore = [] if HAS_TORCH else ["sweep"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what a run without the extra `torch` leaves out."""
    if not HAS_TORCH:
        terminalreporter.write_line("without torch: tests/sweep and the tests marked torch were left out")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without the extra `torch` the tests that need it are deselected, and the last line counts them."""
    aside = [] if HAS_TORCH else [item for item in items if item.get_closest_marker("torch")]
    if aside:
        config.hook.pytest_deselected(items=aside)
        items[:] = [item for item in items if not item.get_closest_marker("torch")]
