"""The framework's side of the sweep, as a fixture."""

from __future__ import annotations

from types import ModuleType

import pytest


@pytest.fixture(name="framework")
def fixture_framework(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The framework's side, imported only where it is used: it needs the extra `torch`."""
    from . import framework

    framework.see_no_packing(monkeypatch)
    return framework
