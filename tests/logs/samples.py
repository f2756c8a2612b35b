"""The sample logs with the answers they must get, and how a command line is run on them."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from peakwise.cli.main import main

FOLDER = Path(__file__).parents[1] / "data" / "logs"
_ANSWERS: dict[str, Any] = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
TOLERANCE: float = _ANSWERS["tolerance"]["default"]
EXACT = frozenset(key.split()[0] for key in _ANSWERS["tolerance"]["exact"])


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One log and what its document must hold; `given`: with these flags, these answers."""

    name: str
    plain: dict[str, Any]
    if_reported: dict[str, Any]
    given: dict[str, Any] | None
    warns: bool
    refusal_accepted: bool

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / self.name

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.path.read_bytes()


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What one command line did: its exit code, its JSON document and what it said on stderr."""

    code: int
    document: dict[str, Any]
    err: str


SAMPLES: tuple[Sample, ...] = tuple(
    Sample(
        name=entry["file"],
        plain=entry["plain"],
        if_reported=entry.get("if_reported") or {},
        given=entry["given"],
        warns=bool(entry.get("warns")),
        refusal_accepted=bool(entry.get("refusal_accepted")),
    )
    for entry in _ANSWERS["samples"]
)
NAMES = [sample.name for sample in SAMPLES]


def run(*words: str) -> Ran:
    """A `peakwise` command line with `--json`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*words, "--json"])
    return Ran(code=code, document=json.loads(out.getvalue(), parse_constant=_refuse), err=err.getvalue())


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


@lru_cache(maxsize=64)
def measured(name: str) -> Ran:
    """`peakwise measure` on a sample without flags."""
    return run("measure", str(FOLDER / name))


def flags_of(sample: Sample, folder: Path) -> list[str]:
    """The flags of `given`; a model that the catalogue lacks is written to a config in `folder`."""
    assert sample.given is not None
    flags = {key: str(value) for key, value in sample.given["flags"].items()}
    if "--model" in flags and run("count", flags["--model"], "--seq", "1").code:
        config = folder / "config.json"
        config.write_text(json.dumps(sample.given["model_config"]), encoding="utf-8")
        flags["--model"] = str(config)
    return [word for flag in flags.items() for word in flag]


def look_up(document: dict[str, Any], path: str) -> Any:
    """What stands at a dotted path; where that is a quantity, its value. **Raises** KeyError."""
    found: Any = document
    for key in path.split("."):
        if not isinstance(found, dict):
            raise KeyError(path)
        found = found[key]
    return found["value"] if isinstance(found, dict) and "value" in found else found
