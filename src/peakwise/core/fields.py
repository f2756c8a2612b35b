"""Typed fields out of a decoded mapping, with the path in every error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from peakwise.core.errors import ConfigError

# Nothing in a published config is larger; a value above it is a typing error or an attack (10¹²).
LARGEST = 10**12


def shown(value: object) -> str:
    """A foreign value as it is quoted in an error, cut to 60 characters."""
    if value is None:
        return "null"
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, Mapping):
        text = "a table"
    elif isinstance(value, list):
        text = "a list"
    else:
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _wrong(path: str, expected: str, value: object) -> ConfigError:
    return ConfigError(
        f"{path}: expected {expected}, got {shown(value)}", where=path, got=shown(value), expected=expected
    )


def as_int(value: object, path: str, *, least: int = 0) -> int:
    """A whole number of at least `least`. **Raises** ConfigError for 8.0, "8", true, NaN or a number out of range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
        raise _wrong(path, f"a whole number of at least {least}", value)
    return value


def as_float(value: object, path: str) -> float:
    """A finite number. **Raises** ConfigError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(path, "a finite number", value)
    return float(value)


def as_bool(value: object, path: str) -> bool:
    """A truth value. **Raises** ConfigError otherwise."""
    if not isinstance(value, bool):
        raise _wrong(path, "true or false", value)
    return value


def as_text(value: object, path: str) -> str:
    """A text. **Raises** ConfigError otherwise."""
    if not isinstance(value, str):
        raise _wrong(path, "a text", value)
    return value


def as_list(value: object, path: str) -> list[object]:
    """A list. **Raises** ConfigError otherwise."""
    if not isinstance(value, list):
        raise _wrong(path, "a list", value)
    return list(cast(list[object], value))


def as_table(value: object, path: str) -> dict[str, object]:
    """A table with text keys. **Raises** ConfigError otherwise."""
    if not isinstance(value, Mapping):
        raise _wrong(path, "a table", value)
    return {str(key): item for key, item in cast(Mapping[object, object], value).items()}
