"""Whether one of two runs may be called better: only where workload, hardware and counting rule are the same."""

from __future__ import annotations

from typing import Literal, NamedTuple

from peakwise.calculators.compare_work import PUBLISHED, Letter, Pair, Side

Aspect = Literal["workload", "hardware", "rule"]


class Verdict(NamedTuple):
    """`differs`: what is not the same; `unknown`: what nobody said; `better`: the side, only where both are empty.

    `better` is None too where the two MFUs are equal.
    """

    differs: tuple[Aspect, ...]
    unknown: tuple[Aspect, ...]
    better: Letter | None

    @property
    def comparable(self) -> bool:
        """Whether the two may be ranked."""
        return not self.differs and not self.unknown


def judge(pair: Pair) -> Verdict:
    """What may be said of two runs."""
    same: dict[Aspect, bool | None] = {
        "workload": _alike(_workload(pair.a, pair), _workload(pair.b, pair)),
        "hardware": _alike(*(_hardware(side, pair) for side in pair.sides)),
        "rule": _same_rule(pair),
    }
    differs = _which(same, answer=False)
    unknown = _which(same, answer=None)
    better: Letter | None = None
    if not differs and not unknown and pair.a.mfu is not None and pair.b.mfu is not None and pair.a.mfu != pair.b.mfu:
        better = "a" if pair.a.mfu > pair.b.mfu else "b"
    return Verdict(differs, unknown, better)


def _which(same: dict[Aspect, bool | None], *, answer: bool | None) -> tuple[Aspect, ...]:
    """The aspects of which that was answered."""
    found: list[Aspect] = [aspect for aspect, alike in same.items() if alike is answer]
    return tuple(found)


def _alike(one: object, other: object) -> bool | None:
    return None if one is None or other is None else one == other


def _workload(side: Side, pair: Pair) -> object:
    """Model, length and what trains; None where they were not said."""
    case, asked = side.case, pair.asked
    if case is not None:
        return (case.config or case.id, case.seq_len, "full" if case.rule is None else case.rule.train)
    return None if asked.model is None or asked.seq_len is None else (asked.model.id, asked.seq_len, "full")


def _hardware(side: Side, pair: Pair) -> object:
    """The chip and how many; the typed peak where both sides are typed; None where it was not said."""
    if side.case is not None:
        return (side.case.chip, side.case.devices)
    return side.peak if all(one.case is None for one in pair.sides) else None


def _same_rule(pair: Pair) -> bool | None:
    if pair.asked.rule != PUBLISHED:
        return True if all(side.counted is not None for side in pair.sides) else None
    if all(side.case is not None for side in pair.sides):
        return _alike(pair.a.counted, pair.b.counted)
    return pair.same_rule
