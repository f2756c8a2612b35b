"""Holds a document against the answers of its sample, key by key."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .samples import EXACT, SAMPLES, TOLERANCE, Sample, flags_of, look_up, measured, run


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One answer: `kind` is `number`, `null`, `if reported`, `warning` or `given`; `fault` is empty where it holds."""

    sample: str
    key: str
    kind: str
    fault: str


@lru_cache(maxsize=1)
def verdicts() -> tuple[Verdict, ...]:
    """Every answer of every sample."""
    return tuple(verdict for sample in SAMPLES for verdict in (*judge_plain(sample), *judge_given(sample)))


def shares() -> list[str]:
    """How many answers hold, numbers and nulls apart, and each one that does not."""
    held, asked = Counter[str](), Counter[str]()
    for verdict in verdicts():
        asked[verdict.kind] += 1
        held[verdict.kind] += not verdict.fault
    parts = [f"{kind} {held[kind]} of {asked[kind]} ({held[kind] / asked[kind]:.1%})" for kind in asked]
    # A sample that is refused says so once.
    faults = list(
        dict.fromkeys(
            f"  {v.sample}: {v.fault if v.fault.startswith('refused') else f'{v.key} {v.fault}'}"
            for v in verdicts()
            if v.fault
        )
    )
    return [f"answers for {len(SAMPLES)} sample logs: " + ", ".join(parts), *faults]


def judge_plain(sample: Sample) -> list[Verdict]:
    """The answers without flags."""
    ran = measured(sample.name)
    if sample.refusal_accepted and ran.code == 1:
        return []
    judged: list[Verdict] = []
    for key, wanted in sample.plain.items():
        fault = _refused(ran.code, ran.document) or _fault(ran.document, key, wanted, TOLERANCE, counts_exact=True)
        judged.append(Verdict(sample=sample.name, key=key, kind="null" if wanted is None else "number", fault=fault))
    for key, wanted in sample.if_reported.items():
        value, rel = (wanted["value"], wanted["rel"]) if isinstance(wanted, dict) else (wanted, TOLERANCE)
        silent = not ran.code and _found(ran.document, key) is None
        fault = "" if silent else _refused(ran.code, ran.document) or _fault(ran.document, key, value, rel)
        judged.append(Verdict(sample=sample.name, key=key, kind="if reported", fault=fault))
    if sample.warns:
        fault = "" if ran.document.get("warnings") else "no warning"
        judged.append(Verdict(sample=sample.name, key="warnings", kind="warning", fault=fault))
    return judged


def judge_given(sample: Sample) -> list[Verdict]:
    """The answers with the flags of `given`; those with full attention scale with its FLOPs per token."""
    if sample.given is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        ran = run("measure", str(sample.path), *flags_of(sample, Path(folder)))
    work, rel = sample.given["flop_per_token"], sample.given["tolerance"]
    wanted = {**sample.given["answers"], "flop_per_token": work["exact"]}
    judged = [
        Verdict(
            sample=sample.name,
            key=f"given {key}",
            kind="given",
            fault=_refused(ran.code, ran.document) or _fault(ran.document, key, value, rel),
        )
        for key, value in wanted.items()
    ]
    for key, value in sample.given["answers_full_attention"].items():
        fault = _refused(ran.code, ran.document)
        got = None if fault else _found(ran.document, key)
        # Recompute is a share of the forward pass: with full attention it grows in the same ratio.
        got = None if got is None else got * work["full"] / work["exact"]
        fault = fault or ("" if _agree(got, value, rel) else f"is {got}, not {value}")
        judged.append(Verdict(sample=sample.name, key=f"given {key}, full attention", kind="given", fault=fault))
    return judged


def _refused(code: int, document: dict[str, Any]) -> str:
    return f"refused: {document['error']['got']}" if code else ""


def _found(document: dict[str, Any], key: str) -> Any:
    try:
        return look_up(document, key)
    except KeyError:
        return None


def _fault(document: dict[str, Any], key: str, wanted: Any, rel: float, *, counts_exact: bool = False) -> str:
    got = _found(document, key)
    if key == "steps.excluded":
        steps = [(part["first"], part["last"]) for part in wanted]
        got, wanted = [(part["first"], part["last"]) for part in got or []], steps
        return "" if got == wanted else f"is {got}, not {wanted}"
    return "" if _agree(got, wanted, 0.0 if counts_exact and key in EXACT else rel) else f"is {got}, not {wanted}"


def _agree(got: Any, wanted: Any, rel: float) -> bool:
    if got is None or wanted is None:
        return got is wanted
    return abs(got - wanted) <= rel * abs(wanted)


if __name__ == "__main__":
    print("\n".join(shares()))
