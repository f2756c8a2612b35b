"""The drawing library, untyped: its own types list every union of the Vega-Lite schema and check nothing for us."""

from __future__ import annotations

from importlib import import_module
from typing import Any

alt: Any = import_module("altair")
