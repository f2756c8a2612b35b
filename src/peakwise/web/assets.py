"""The files that pages link to: styles, the script, the mark; each with a name that changes with its content."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).with_name("static")
# One set of colours for pages and reports: it stands with the reports.
_TOKENS = Path(__file__).parents[1] / "report" / "tokens.css"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_DIGITS = 12  # of the content's hash: enough that two versions never share a name


class Asset(NamedTuple):
    """One file: its bytes, its type, the digits of its content."""

    content: bytes
    media_type: str
    version: str


@cache
def read_assets() -> dict[str, Asset]:
    """Every file by name."""
    found: dict[str, Asset] = {}
    for path in (_TOKENS, *sorted(_FOLDER.iterdir())):
        if path.suffix in _TYPES:
            content = path.read_bytes()
            version = hashlib.sha256(content).hexdigest()[:_DIGITS]
            found[path.name] = Asset(content, _TYPES[path.suffix], version)
    return found


def asset_path(name: str) -> str:
    """The address of a file, with its version."""
    return f"/static/{name}?v={read_assets()[name].version}"
