"""A config.json in the local Hub cache; nothing is downloaded."""

from __future__ import annotations

import os
from pathlib import Path


def _cache_folder() -> Path:
    """Where the Hub's client keeps its files, by the variables it reads itself."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser()
    if os.environ.get("HF_HOME"):
        return Path(os.environ["HF_HOME"]).expanduser() / "hub"
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "huggingface" / "hub"


def find_in_snapshots(repo: Path) -> Path | None:
    """The config.json of a cached repository: that of `refs/main`, else of the newest snapshot that has one."""
    main = repo / "refs" / "main"
    if main.is_file():
        config = repo / "snapshots" / main.read_text(encoding="utf-8").strip() / "config.json"
        if config.is_file():
            return config
    found = [path for path in repo.glob("snapshots/*/config.json") if path.is_file()]
    return max(found, key=lambda path: (path.stat().st_mtime_ns, path.parent.name), default=None)


def find_cached(hub_id: str) -> Path | None:
    """The config.json of `ORG/NAME` in the local cache, or None."""
    return find_in_snapshots(_cache_folder() / f"models--{hub_id.replace('/', '--')}")
