"""The table of small models beside decoders over text alone."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FAMILIES: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "families.toml").read_text())
CLASSES = tuple((model_type, name) for model_type, row in FAMILIES.items() for name in row["classes"])
