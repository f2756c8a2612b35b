"""The table of small models beside decoders over text alone."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FAMILIES: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "families.toml").read_text())
# A class a case; two seeds where the seed flips an option of the type.
CASES = tuple(
    (model_type, name, seed)
    for model_type, row in FAMILIES.items()
    for name in row["classes"]
    for seed in ((0, 1) if "flip" in row or "one_of" in row else (0,))
)
