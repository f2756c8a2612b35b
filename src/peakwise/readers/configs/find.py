"""Where the model that a person named is described: the catalogue, a file, a folder, standard input, the Hub cache."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from peakwise.core.errors import InputError, ReadError, UnknownModel
from peakwise.facts.models import find_model, match_model
from peakwise.readers.configs.decode import LARGEST_BYTES
from peakwise.readers.configs.hub_cache import find_cached, find_in_snapshots

_HUB_ID = re.compile(r"[\w][\w.-]*/[\w][\w.-]*")
# What a folder may hold, first found first; the last three are refused by the reader with what they are.
_IN_FOLDER = (
    "config.json",
    "params.json",
    "model_args.json",
    "args.json",
    "adapter_config.json",
    "model_index.json",
    "model.safetensors.index.json",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The bytes of a config, where they were found, and what the model is called."""

    data: bytes
    where: str
    id: str
    name: str


def find_config(text: str, stdin: Callable[[], bytes] | None = None) -> Source:
    """The config of MODEL: `-`, a file, a folder, a catalogue id or alias, or a Hub id in the local cache.

    A path that exists wins over a catalogue name.

    **Raises** ReadError for a path that cannot be read; UnknownModel for a name that is nowhere, with the command that
    fetches a Hub id's config or the three nearest catalogue ids.
    """
    if text == "-":
        return _from_stdin(stdin)
    path = Path(text).expanduser()
    if text.strip() and _exists(path):
        return _from_path(path)
    row = find_model(text)
    if row is not None:
        return Source(data=_read(row.config_path, text), where=row.id, id=row.id, name=row.name)
    if _HUB_ID.fullmatch(text) and not text.endswith(".json"):
        cached = find_cached(text)
        if cached is not None:
            return Source(data=_read(cached, text), where=str(cached), id=text, name=text.rpartition("/")[2])
        raise _not_cached(text)
    if "/" in text or text.endswith(".json") or text.startswith("~"):
        raise ReadError(
            "no such file or folder", where=text, got="nothing there", expected="a config.json or its folder"
        )
    if not text.strip():
        hint = "peakwise catalog models"
        raise InputError("the model is empty", where="MODEL", got="nothing", expected="a model", hint=hint)
    return _unknown(text)


def _unknown(text: str) -> Source:
    row = match_model(text)  # raises with the nearest ids
    return Source(data=_read(row.config_path, text), where=row.id, id=row.id, name=row.name)


def _not_cached(hub_id: str) -> UnknownModel:
    return UnknownModel(
        f"{hub_id} is neither in the catalogue nor in the local Hub cache, and nothing is downloaded",
        where="MODEL",
        got=hub_id,
        expected="a catalogue id, a config.json or a cached Hub id",
        hint=f"hf download {hub_id} config.json",
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name longer than the system allows, or with a zero byte, is no path
        return False


def _from_stdin(stdin: Callable[[], bytes] | None) -> Source:
    if stdin is None:
        expected = "a config on standard input"
        raise InputError("there is no standard input to read", where="-", got="nothing", expected=expected)
    return Source(data=stdin(), where="standard input", id="stdin", name="stdin")


def _from_path(path: Path) -> Source:
    if not path.is_dir():
        stem = path.parent.resolve().name if path.stem in ("config", "params") else path.stem
        name = stem or path.stem
        return Source(data=_read(path, str(path)), where=str(path), id=name, name=name)
    found = next((path / name for name in _IN_FOLDER if (path / name).exists()), None) or find_in_snapshots(path)
    if found is None:
        raise ReadError(
            "the folder holds no config",
            where=str(path),
            got="a folder without config.json",
            expected="a folder with config.json or params.json",
            hint="give the model's folder or its config.json",
        )
    name = path.resolve().name or "model"
    return Source(data=_read(found, str(found)), where=str(found), id=name, name=name)


def _read(path: Path, where: str) -> bytes:
    """At most one byte more than a config may have, so that an endless file ends here too."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ReadError(
            "the file cannot be read", where=where, got=reason, expected="a file that can be read"
        ) from error
