"""What Peakwise says of a small config: its parameters and forward FLOPs, or why it refuses."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peakwise.core.errors import PeakwiseError
from peakwise.core.workload import Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.read import read_config

QUIRKS: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "quirks.toml").read_text())


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The count of one config. `forward`: as the framework would run it, its quirk of quirks.toml included."""

    n_params: int
    forward: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a config is not counted."""

    reason: str


def count(document: dict[str, Any], seq_len: int) -> Counted | Refused:
    """Parameters and forward FLOPs of one sequence, every query seeing every key."""
    try:
        model = read_config(json.dumps(document).encode(), where="config.json")
    except PeakwiseError as error:
        return Refused(reason=str(error))
    ledger = build_ledger(model, Workload(seq_len=seq_len, mode="forward", attention="full", ssm_rule="reference"))
    forward = ledger.forward
    if QUIRKS.get(document["model_type"], {}).get("idle_experts"):
        forward += 2 * seq_len * sum(term.layers * term.idle_weights for term in ledger)
    return Counted(n_params=count_params(model).total, forward=forward)
