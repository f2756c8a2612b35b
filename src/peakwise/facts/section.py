"""One section of a TOML table file, found without reading the rest of it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import cast

from peakwise.core.errors import CatalogError

_HEADER = re.compile(r'^\[\s*(?:"([^"]+)"|([^".\]\s]+))', re.MULTILINE)


@cache
def _pieces(path: Path) -> dict[str, list[str]]:
    text = path.read_text(encoding="utf-8")
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    pieces: dict[str, list[str]] = {}
    for header, end in zip(headers, ends, strict=True):
        pieces.setdefault(header.group(1) or header.group(2), []).append(text[header.start() : end])
    return pieces


def list_sections(path: Path) -> tuple[str, ...]:
    """The names of all sections of a table file, in its order."""
    return tuple(_pieces(path))


def load_section(path: Path, name: str) -> dict[str, object] | None:
    """The section `name` with its sub-tables, or None where the file has none.

    **Raises** CatalogError where the section is not TOML.
    """
    parts = _pieces(path).get(name)
    if parts is None:
        return None
    try:
        return cast(dict[str, object], tomllib.loads("".join(parts))[name])
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(str(error), where=f"{path.name} [{name}]", got="no TOML", expected="TOML") from error
