"""The speeds that a pasted log states, or that follow from FLOPs counted by hand and a time."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.finite import require_finite
from peakwise.calculators.link import make_link
from peakwise.calculators.log_records import ENOUGH_FOR_WARM_UP, SIGMAS, TO_SIGMA, Kept, keep_records
from peakwise.calculators.parse_log_fields import DECLARATION
from peakwise.calculators.read import called
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.calculation import Calculation, Lack, Report
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Display, Step, Value
from peakwise.core.records import Record
from peakwise.core.rounding import format_fixed
from peakwise.core.units import KILO, to_tera
from peakwise.core.version import VERSION

__all__ = ["DECLARATION", "calculate"]

LONGEST_IN_LINK = 100 * KILO  # bytes; a longer text is left out of the link

_COUNT = Display(form="number", decimals=0)
_SPEEDS = ("flop_per_s_per_device", "tokens_per_s_per_device", "step_s", "examples_per_s", "total_flop")


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """Medians and spread of what the records of a log state, in base units.

    **Formula** the short rule of log_records.py; by hand: FLOP/s = FLOPs ÷ time.

    **Raises** InputError where a time stands beside a text.
    """
    if checked.stated("text") and checked.stated("time_s"):
        raise refuse([_stray(checked)], DECLARATION, checked.face)
    log = catalogue.log
    kept = keep_records(log.records if log is not None else _by_hand(checked))
    results = _results(None if log is None else log.producer, kept)
    require_finite(results, DECLARATION, checked, ("total_flop",))
    return Calculation(
        name=DECLARATION.id,
        inputs=checked.inputs,
        results=results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": "none", "denominator": "none"},
        report=_report(results, kept, by_hand=log is None),
        link=make_link(DECLARATION, _for_link(checked)),
        version=VERSION,
        warnings=checked.notes,
        missing=tuple(_missing(results)),
        working=(Step("flop_per_s_per_device", "{total_flop}", "{time_s}"),) if log is None else (),
        symbols={"dropped_warm_up": (kept.n_warm_up, _COUNT), "dropped_outliers": (kept.n_outliers, _COUNT)},
    )


def _by_hand(checked: Checked) -> tuple[Record, ...]:
    flop, time_s = checked.number("total_flop"), checked.number("time_s")
    assert flop is not None and time_s is not None  # noqa: PT018  required where there is no text
    return (Record(flop_per_s_per_device=flop / time_s, total_flop=float(flop)),)


def _stray(checked: Checked) -> Problem:
    name, text, flop = (called(DECLARATION.field(key), checked.face) for key in ("time_s", "text", "total_flop"))
    return Problem(
        field="time_s",
        code="E_CONFLICT",
        message=f"{name} goes with {flop}; {text} says itself how long its steps take",
        got=f"{name} and {text}",
        expected=f"{text} alone, or {flop} and {name}",
        hint=f"leave out {name}",
    )


def _for_link(checked: Checked) -> Checked:
    """The inputs without a text that is too long for a link."""
    text = checked.text("text")
    if text is None or len(text.encode("utf-8", "replace")) <= LONGEST_IN_LINK:
        return checked
    return checked._replace(inputs={key: given for key, given in checked.inputs.items() if key != "text"})


def _results(producer: str | None, kept: Kept) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    return {
        "producer": producer,
        "records": kept.n_records,
        "used": len(kept.records),
        "flop_per_s_per_device": kept.median("flop_per_s_per_device"),
        "flop_per_s_per_device_p10": kept.quantile("flop_per_s_per_device", 0.10),
        "flop_per_s_per_device_p90": kept.quantile("flop_per_s_per_device", 0.90),
        "tokens_per_s_per_device": kept.median("tokens_per_s_per_device"),
        "step_s": kept.median("step_s"),
        "examples_per_s": kept.median("examples_per_s"),
        "total_flop": kept.median("total_flop"),
    }


def _missing(results: dict[str, Value | None]) -> Iterator[Lack]:
    """What the log does not state."""
    if results["producer"] is None:
        yield Lack(input="text", why="producer and the other speeds: nothing but a count was given", how="--text FILE")
        return
    for key in _SPEEDS:
        if results[key] is None:
            yield Lack(input="text", why=f"{key}: the log does not state it", how=f"a log that states {key}")


def _report(results: dict[str, Value | None], kept: Kept, *, by_hand: bool) -> Report:
    hero = next((key for key in _SPEEDS if results[key] is not None), "producer")
    spread = ""
    low, high = results["flop_per_s_per_device_p10"], results["flop_per_s_per_device_p90"]
    if isinstance(low, int | float) and isinstance(high, int | float) and len(kept.records) > 1:
        spread = f"; p10 to p90: {format_fixed(to_tera(low), 1)} to {format_fixed(to_tera(high), 1)} TFLOP/s"
    count = f"{len(kept.records):,} of {kept.n_records:,} record{'s' * (kept.n_records != 1)}"
    return Report(
        headline="counted by hand" if by_hand else f"{results['producer']}: median of {count}{spread}",
        facts=(),
        rule=() if by_hand else (_dropped(kept), f"rule set {RULE_SET}"),
        hero=hero,
        label=_LABELS.get(hero, "Log"),
    )


_LABELS = {
    "flop_per_s_per_device": "Achieved",
    "tokens_per_s_per_device": "Rate",
    "step_s": "Step",
    "examples_per_s": "Examples",
    "total_flop": "Work",
}


def _dropped(kept: Kept) -> str:
    """What was left out, and by which rule."""
    if not kept.n_warm_up and not kept.n_outliers:
        return f"no record is left out: warm-up is where there are {ENOUGH_FOR_WARM_UP} or more"
    parts = [f"the first {kept.n_warm_up} are left out as warm-up"] if kept.n_warm_up else []
    parts += [f"{kept.n_outliers:,} lie beyond {SIGMAS} × {TO_SIGMA} × the median deviation"] if kept.n_outliers else []
    return "; ".join(parts)
