"""Texts that name a place on somebody's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

WRITTEN = frozenset(
    {".py", ".md", ".toml", ".txt", ".json", ".csv", ".cfg", ".yml", ".yaml", ".html", ".css", ".js", ""}
)
FOLDERS = ("src", "tests", "docs", "bench", "examples", ".ci")
# Excerpts of foreign files are kept as they were published, paths and all.
FOREIGN = ("tests/data/",)
# A home, a work folder or a drive; `examples/x.log` and `~/.cache` are anybody's.
MACHINE_PATH = re.compile(r"(?<![\w.:/~-])/(?:work|root|home|Users|mnt|opt|srv|scratch)/[\w.-]+|\b[A-Z]:\\\\?\w+")


def path_faults(root: Path) -> list[str]:
    """Machine paths in what the project wrote under `root`: sources, tests, docs, and the files beside them."""
    faults: list[str] = []
    for path in _written(root):
        place = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            faults += [f"{place}:{number}: {match.group()}" for match in MACHINE_PATH.finditer(line)]
    return faults


def _written(root: Path) -> Iterator[Path]:
    folders = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))]
    for path in [*sorted(root.glob("*")), *folders]:
        foreign = path.relative_to(root).as_posix().startswith(FOREIGN)
        if path.is_file() and path.suffix in WRITTEN and not foreign and "__pycache__" not in path.parts:
            yield path
