"""Wall time that no kept step accounts for: how long, and where in the run."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.measurement import Excluded, Gap, Steps
from peakwise.core.waterfall import Cause
from peakwise.explaining.causes import KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Seconds of wall time that one cause took, and where."""

    cause: Cause
    seconds: float
    where: str


def find_lost(steps: Steps, median_s: float) -> tuple[Lost, ...]:
    """What the clock and the records show of each cause, in seconds; 0 where it did not happen.

    **Formula** a gap's own seconds; a record left out as slow by what it took beyond its steps at the median; steps
    run twice, or skipped by the producer, at the median.
    """
    found: list[Lost] = []
    for kind in KINDS:
        if kind.cause == "repeated_steps":
            where = _list([_stretch(first, last) for first, last in steps.again])
            found.append(Lost(cause=kind.cause, seconds=steps.repeated * median_s, where=where))
        elif kind.cause == "skipped_steps":
            if steps.skipped is not None:
                found.append(Lost(cause=kind.cause, seconds=steps.skipped * median_s, where=f"{steps.skipped:,} steps"))
        elif kind.reasons:
            found.append(_lost_to(kind.cause, kind.reasons, steps, median_s))
    return tuple(found)


def _lost_to(cause: Cause, reasons: tuple[str, ...], steps: Steps, median_s: float) -> Lost:
    places = [(gap.seconds, _after(gap)) for gap in steps.gaps if gap.reason in reasons]
    for part in steps.excluded:
        if part.reason in reasons and part.seconds is not None:
            places.append((max(0.0, part.seconds - part.n_steps * median_s), _at(part)))
    places = [place for place in places if place[0] > 0]
    where = places[0][1] if len(places) == 1 else ""
    if len(places) > 1:
        longest = max(places)[1]
        where = f"{len(places)} times, longest {longest}" if longest else f"{len(places)} times"
    return Lost(cause=cause, seconds=sum(seconds for seconds, _ in places), where=where)


def _after(gap: Gap) -> str:
    return "" if gap.after is None else f"after step {gap.after}"


def _at(part: Excluded) -> str:
    if part.first is None or part.last is None:
        return ""
    return f"step {part.first}" if part.first == part.last else f"steps {_stretch(part.first, part.last)}"


def _stretch(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _list(texts: list[str]) -> str:
    """The texts in a row; of more than two the first and how many more."""
    return ", ".join(texts) if len(texts) <= 2 else f"{texts[0]} and {len(texts) - 1} more"
