"""How long a fine-tuning run takes, and its steps, cost and energy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.efficiency import find_efficiency
from peakwise.calculators.finetune_duration_fields import DECLARATION
from peakwise.calculators.finetune_duration_read import resolve
from peakwise.calculators.finetune_duration_work import Work
from peakwise.calculators.finite import require_finite
from peakwise.calculators.link import make_link
from peakwise.calculators.read import called
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.calculation import Calculation, Lack, Report
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Display, Step, Value
from peakwise.core.finding import Finding
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed, round_half_away
from peakwise.core.units import KILO, S_PER_DAY, S_PER_HOUR, S_PER_MINUTE, to_percent
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate"]

_COUNT = Display(form="number", decimals=0)


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """Seconds of the whole run with a band around them, steps, accelerator-hours, money, energy and CO₂.

    **Formula** training = tokens ÷ rate, or steps × step time; the whole = (training + warm-up + evaluations +
    checkpoints) ÷ (1 − time lost to restarts); energy = accelerator-hours × watts × PUE. Nothing reads a clock: the
    end follows from the stated start.

    **Raises** InputError where inputs contradict each other or leave no run.
    """
    checked = _with_currency(checked, catalogue.currency)
    work = resolve(checked)
    results = _results(work)
    require_finite(results, DECLARATION, checked, ("tokens_per_s", "step_s"))
    results["ends_at"] = _ends_at(checked, work.duration_s)
    return Calculation(
        name=DECLARATION.id,
        inputs=checked.inputs,
        results=results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": "none", "denominator": "none"},
        report=_report(work),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=(*_findings(work, checked), *checked.notes),
        charts=partial(_charts, work),
        missing=tuple(_missing(checked)),
        working=tuple(_steps(work)),
        symbols={
            "kept": (work.kept, _COUNT),
            "evaluations": (work.evaluation.times(work.steps), _COUNT),
            "checkpoints": (work.checkpoint.times(work.steps), _COUNT),
        },
    )


def _with_currency(checked: Checked, code: str | None) -> Checked:
    """The inputs with the currency's code as its standard writes it, where one was named."""
    if code is None:
        return checked
    return checked._replace(inputs={**checked.inputs, "currency": checked.inputs["currency"]._replace(value=code)})


def _charts(work: Work) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.finetune_duration_chart import draw_charts

    return draw_charts(work)


def _results(work: Work) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    return {
        "tokens_total": work.tokens_total,
        "sequences_per_epoch": work.sequences,
        "steps_per_epoch": work.steps_per_epoch,
        "steps": work.steps,
        "train_s": work.train_s,
        "duration_s": work.duration_s,
        "duration_low_s": work.low_s,
        "duration_high_s": work.high_s,
        "device_hours": work.device_hours,
        "cost": work.device_hours * work.hardware.price_per_hour,
        "energy_kwh": work.energy_kwh,
        "energy_cost": work.energy_cost,
        "co2_kg": work.co2_kg,
        "ends_at": None,
    }


def _ends_at(checked: Checked, duration_s: float) -> str | None:
    """When the run ends, to the second, in the zone of its start. **Raises** InputError past the last year."""
    start = checked.text("start")
    if start is None:
        return None
    try:
        return (datetime.fromisoformat(start) + timedelta(seconds=int(round_half_away(duration_s, 0)))).isoformat()
    except OverflowError:
        field = DECLARATION.field("start")
        problem = Problem(
            field="start",
            code="E_RANGE",
            message=f"{called(field, checked.face)}: the run ends after the year 9999",
            got=start,
            expected="a run that a calendar holds",
            hint=f"leave out {field.flag}",
        )
        raise refuse([problem], DECLARATION, checked.face) from None


def _missing(checked: Checked) -> Iterator[Lack]:
    """The inputs that null results lack."""
    if checked.number("kwh_price") is None:
        yield Lack(input="kwh_price", why="energy_cost: the price of a kWh is not known", how="--kwh-price N")
    if checked.number("gco2_per_kwh") is None:
        yield Lack(input="gco2_per_kwh", why="co2_kg: the CO₂ of a kWh is not known", how="--gco2 N")
    if checked.text("start") is None:
        yield Lack(input="start", why="ends_at: no start was given", how="--start 2026-11-30T09:00+01:00")


def _findings(work: Work, checked: Checked) -> Iterator[Finding]:
    """What may be counted twice, and an efficiency that is rarely so."""
    includes = checked.text("rate_includes_eval")
    if work.evaluation.seconds and work.evaluation.steps is not None and includes != "no":
        yield _eval_twice(work, includes == "yes")
    if work.efficiency is not None:
        noted = any(note.code == "W_FRACTION" and note.input == "efficiency_pct" for note in checked.notes)
        devices, fix = work.hardware.devices, "--efficiency N"
        yield from find_efficiency(work.efficiency, devices, "efficiency_pct", fraction_noted=noted, fix=fix)


def _eval_twice(work: Work, said: bool) -> Finding:
    times, seconds = work.evaluation.times(work.steps), format_plain(work.evaluation.seconds)
    what = "holds" if said else "may hold"
    return Finding(
        code="W_EVAL_TWICE",
        message=f"{times:,} evaluations of {seconds} s are added to the time, and the rate {what} them already",
        input="eval_s" if said else "rate_includes_eval",
        fix="--eval-time 0" if said else "--rate-includes-eval no",
        values=(
            ("case", "said" if said else "unknown"),
            ("evaluations", times),
            ("seconds", work.evaluation.seconds),
            ("total", work.eval_s),
        ),
        repair=(("eval_s", None), ("eval_every_steps", None)) if said else (("rate_includes_eval", "no"),),
    )


def _steps(work: Work) -> Iterator[Step]:
    """How the results follow from the inputs, for people."""
    low, high = ("⌊", "⌋") if work.drop_last else ("⌈", "⌉")
    yield Step("steps_per_epoch", f"{low}{{sequences_per_epoch}} ÷ {{global_batch}}{high}")
    yield Step("steps", "⌈{epochs} × {steps_per_epoch}⌉")
    if work.step_s is not None:
        yield Step("train_s", "{steps} × {step_s}")
    else:
        first = "kept" if work.kept != work.sequences and not work.packed else "examples"
        share = ("{kept}", "{sequences_per_epoch}") if work.packed and work.kept != work.sequences else ("", "")
        top = f"{{{first}}} × {{tokens_per_example}} × {{epochs}}" + (f" × {share[0]}" if share[0] else "")
        yield Step("tokens_total", top, share[1])
        yield Step("train_s", "{tokens_total}", "{tokens_per_s}")
    more = [
        text
        for seconds, text in (
            (work.warmup_s, "{warmup_s}"),
            (work.eval_s, "{evaluations} × {eval_s}"),
            (work.checkpoint_s, "{checkpoints} × {checkpoint_s}"),
        )
        if seconds
    ]
    minutes = S_PER_DAY // S_PER_MINUTE
    lost = f"1 − {{restarts_per_day}} × {{restart_min}} ÷ {minutes}" if work.lost else ""
    yield Step("duration_s", " + ".join(["{train_s}", *more]), lost)
    yield Step("device_hours", "{accelerators} × {duration_s}", str(S_PER_HOUR))
    yield Step("cost", "{device_hours} × {price_per_device_hour}")
    yield Step("energy_kwh", "{device_hours} × {power_w} × {pue}", str(KILO))


def _report(work: Work) -> Report:
    off = format_fixed(to_percent(work.spread), 0)
    why = "a step time" if work.step_s is not None else "a rate and a mean length"
    why += "" if work.efficiency is None or work.step_s is not None else ", and the efficiency"
    return Report(
        headline=f"{work.steps:,} steps, {format_fixed(work.device_hours, 2)} accelerator-hours",
        facts=(),
        rule=(
            "time = training + warm-up + evaluations + checkpoints, over the share that restarts leave",
            f"the band is ± {off} %: what {why} may be off",
            f"rule set {RULE_SET}",
        ),
        hero=DECLARATION.hero,
        label="Time",
    )
