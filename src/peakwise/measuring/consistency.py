"""What the records of a log say about each other: figures that must agree where the run is one and the units are right.

Check numbers are those of the log rules.
"""

from __future__ import annotations

import numpy as np

from peakwise.core.finding import Finding
from peakwise.core.measurement import Logged
from peakwise.core.units import to_tera
from peakwise.measuring.formula import find_change
from peakwise.measuring.inputs import DIFFERS, Inputs
from peakwise.measuring.runs import ANOTHER_RUN
from peakwise.measuring.step_time import fill_rates
from peakwise.measuring.timeline import Timeline, median_of
from peakwise.measuring.tokens import count_sequences

# Totals that a log prints at its end agree with its records within this; start-up and evaluation only add to them.
TOTAL_WITHIN = 0.02
# A logged MFU with coarser digits than this (of itself) implies no peak that could be looked up.
SHARP = 0.005


def check_records(line: Timeline, inputs: Inputs) -> tuple[Finding, ...]:
    """Findings on runs that were left out, formulas that changed, rates, counters and totals that disagree."""
    return (
        *_check_runs(line),
        *_check_formula(line),
        *_check_rate(line, inputs),
        *_check_counter(line),
        *_check_totals(line),
    )


def check_peak(line: Timeline, logged: Logged, fits: tuple[str, ...]) -> tuple[Finding, ...]:
    """Check 7: the peak that the log divides by is one that a chip has."""
    peak, mfu = logged.implied_peak_flop_per_s, logged.mfu
    if peak is None or mfu is None or fits:
        return ()
    if peak.basis == "solved" and line.series.resolution.get("mfu", 0.0) / 2 > SHARP * mfu.value:
        return ()
    message = f"the log divides by {to_tera(peak.value):,.1f} TFLOP/s, a dense 16-bit peak that no chip has"
    return (Finding(code="W_PEAK", message=message, input="logged.implied_peak_flop_per_s", fix="--chip CHIP"),)


def _check_runs(line: Timeline) -> tuple[Finding, ...]:
    """Check 9: records of another run were left out."""
    others = [part for part in line.others if part.reason == ANOTHER_RUN]
    if not others:
        return ()
    known = [f"steps {part.first}–{part.last}" for part in others if part.first is not None]
    message = f"{len(others) + 1} runs in one log; {line.n_other_records:,} records of another were left out"
    if known:
        message += f" ({', '.join(known[:3])}{' …' if len(known) > 3 else ''})"
    return (Finding(code="W_RUNS", message=message, input="log", fix="give each run its own file"),)


def _check_formula(line: Timeline) -> tuple[Finding, ...]:
    """Check 2: logged FLOP/s × step time is one figure; a jump at a restart is a new formula, not new hardware."""
    change = find_change(line)
    if change is None:
        return ()
    name = "MFU" if change.column == "mfu" else "FLOP/s"
    message = (
        f"after a restart the logged {name} × step time is {change.factor:.2f} × what it was: another formula, not "
        "other hardware; the log's own figures are those after it"
    )
    return (Finding(code="W_RULE", message=message, input=f"logged.{change.column}"),)


def _check_rate(line: Timeline, inputs: Inputs) -> tuple[Finding, ...]:
    """Checks 1 and 5: rate × step time is the tokens of a step; a factor between them is the number of devices."""
    stated = None if line.tokens is None else line.tokens.constant
    if stated is None or line.times.kind not in ("log", "clock"):
        return ()
    devices = None if inputs.n_devices is None else int(inputs.n_devices.value)
    product = median_of(fill_rates(line.series, devices) * line.times.seconds, line.used)
    if product is None or abs(product / stated - 1) <= TOTAL_WITHIN:
        return ()
    factor = stated / product
    message = f"rate × step time gives {product:,.0f} tokens a step, {line.tokens.source if line.tokens else ''} "
    message += f"{stated:,.0f}"
    if factor > 1 and abs(factor - round(factor)) <= DIFFERS * factor:
        message += f": the rate is likely one of {round(factor):,} devices"
        return (Finding(code="W_BASIS", message=message, input="tokens_per_s"),)
    return (Finding(code="W_DIFFERS", message=message, input="tokens_per_step", fix="check --seq and --global-batch"),)


def _check_counter(line: Timeline) -> tuple[Finding, ...]:
    """Check 4: the sample counter grows by the global batch each step."""
    counted = count_sequences(line.series, line.segments)
    batch = line.series["global_batch"]
    if np.isnan(batch).all() and line.inputs.global_batch is not None:
        batch = np.full(len(line.series), float(line.inputs.global_batch.value))
    if counted is None:
        return ()
    ratio = median_of(counted / batch, line.used)
    if ratio is None or abs(ratio - 1) <= DIFFERS:
        return ()
    message = f"the sample counter grows by {ratio:,.2f} × the global batch each step: one of them is not of a step"
    return (Finding(code="W_DIFFERS", message=message, input="global_batch", fix="--global-batch with the right one"),)


def _check_totals(line: Timeline) -> tuple[Finding, ...]:
    """Check 10: a final total is no less than the sum of its records."""
    found: list[Finding] = []
    stated = line.series.stated
    total_s, total_steps = stated.get("total_s"), stated.get("total_steps")
    seconds = float(np.nansum(line.times.seconds * line.segments.spans))
    if total_s is not None and seconds > (1 + TOTAL_WITHIN) * float(total_s.value):
        message = f"the records take {seconds:,.1f} s, the log's final total is {float(total_s.value):,.1f} s"
        found.append(Finding(code="W_TOTAL", message=message, input="log"))
    step = line.series["step"]
    last = float(np.nanmax(step)) if not np.isnan(step).all() else 0.0
    if total_steps is not None and last > float(total_steps.value):
        message = f"the last record is step {last:,.0f}, the log's final total is {int(total_steps.value):,} steps"
        found.append(Finding(code="W_TOTAL", message=message, input="log"))
    return tuple(found)
