"""The tables of the sweep: the list of types, what is set aside, what may not be refused."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ALL: tuple[str, ...] = tuple(json.loads((HERE.parent / "data" / "sweep_types.json").read_text())["types"])
_GROUPS: dict[str, dict[str, str]] = tomllib.loads((HERE / "aside.toml").read_text())
ASIDE = {name for group in _GROUPS.values() for name in group}
LISTED = tuple(name for name in ALL if name not in ASIDE)
WIDELY_USED = set(tomllib.loads((HERE / "widely_used.toml").read_text())["types"])
