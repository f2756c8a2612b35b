"""What cannot be right, or rarely is, in a measurement: a finding with its likely cause, never a changed number."""

from __future__ import annotations

import numpy as np

from peakwise.core.chip import Chip
from peakwise.core.count import Count
from peakwise.core.finding import Finding
from peakwise.core.measurement import Logged
from peakwise.core.series import Series
from peakwise.core.units import to_giga, to_percent
from peakwise.measuring.inputs import DIFFERS, shown_peak
from peakwise.measuring.solve import LoggedWork
from peakwise.measuring.step_time import time_by_clock
from peakwise.measuring.timeline import Timeline
from peakwise.measuring.work import recount

HIGH = 0.65  # above it an MFU is rarely real (check 6 of the log rules); the best published runs reach 0.6
REGIMES = 0.25  # two speeds further apart than this are two regimes (rule 11)
CLOCK_WITHIN = 0.02  # clock and durations that differ by more (rule 11)
RULE_WITHIN = 0.02  # a producer's own figure and our count by its rule: printed digits and padding stay below
RECOMPUTED_WITHIN = 0.1  # the same where the log smooths its figure over many steps
COMMON = 64  # lengths people train on are multiples of this; another one says that an input is wrong
SAME_PEAK = 0.01
FEW = 0.5  # fewer trained parameters than this: most weight gradients are not computed, 4 of 6 FLOP a weight remain


def check_mfu(
    mfu: float, peak: float, *, peak_flag: str, logged_peak: float | None, fits: tuple[str, ...], chip: Chip | None
) -> tuple[Finding, ...]:
    """A finding where MFU is above 1 or rarely reached, or where the log divided by another chip's peak.

    `peak_flag`: the input that gave the peak, `chip` or `peak`. `fits`: chips that fit the log's own peak.
    """
    other = logged_peak is not None and abs(peak / logged_peak - 1) > SAME_PEAK
    cause, fix = "", ""
    if other and logged_peak is not None:
        chips = f", the peak of {', '.join(fits)}" if fits else ""
        named = f"{chip.name} has" if chip is not None and peak_flag == "chip" else "the declared peak is"
        cause = f"the log divided by {shown_peak(logged_peak)}{chips}; {named} {shown_peak(peak)}"
        fix = f"--chip {fits[0]}" if fits else ""
    if mfu > HIGH:
        code, says = ("E_OVER", "is above the peak") if mfu > 1 else ("W_HIGH", "is rarely reached")
        boost = chip is not None and chip.rated_boost and mfu > 1
        why = f"the likely cause is the {peak_flag}: {cause}" if cause else _usual_cause(boost)
        message = f"MFU {to_percent(mfu):.1f} % {says}; {why}"
        return (Finding(code=code, message=message, input=peak_flag if cause else "mfu", fix=fix),)
    if cause:
        return (Finding(code="W_DIFFERS", message=cause, input=peak_flag, fix=fix),)
    return ()


def over_peak(hfu: float, chip: Chip | None) -> Finding:
    """The finding of an HFU above 1 where no MFU stands beside it."""
    why = _usual_cause(chip is not None and chip.rated_boost)
    return Finding(code="E_OVER", message=f"HFU {to_percent(hfu):.1f} % is above the peak; {why}", input="mfu", fix="")


def _usual_cause(boost: bool) -> str:
    if boost:
        return "the part's rated boost clock is below what it reaches, so it may pass its datasheet peak"
    return "check the chip, its precision, and whether the rate is of one GPU or of all"


def check_rule(line: Timeline, count: Count, rule_flop: float | None, work: LoggedWork | None) -> tuple[Finding, ...]:
    """A finding where the log's FLOPs per token are not what its own rule gives for this model and length."""
    if rule_flop is None or work is None or abs(rule_flop / work.middle - 1) <= RULE_WITHIN:
        return ()
    message = (
        f"the log's figures imply {to_giga(work.middle):,.2f} GFLOP per token, its rule "
        f"{line.series.convention} gives {to_giga(rule_flop):,.2f} for {count.model.name} at "
        f"{count.workload.seq_len:,} tokens: the model or the length is likely another"
    )
    return (Finding(code="W_RULE", message=message, input="model", fix="check --model and --seq"),)


def check_recomputed(logged: Logged) -> tuple[Finding, ...]:
    """A finding where our count by the producer's rule is far from the utilization that it printed."""
    printed, ours = logged.mfu, logged.recomputed_mfu
    if printed is None or ours is None or abs(ours.value / printed.value - 1) <= RECOMPUTED_WITHIN:
        return ()
    message = (
        f"the log prints {to_percent(printed.value):.1f} %, its rule {logged.convention} with these inputs gives "
        f"{to_percent(ours.value):.1f} %: the model, the length, the batch or the device count is likely another"
    )
    return (Finding(code="W_RULE", message=message, input="model", fix="check --model, --seq and --global-batch"),)


def check_solved_length(given: int | None, solved: int | None) -> tuple[Finding, ...]:
    """A finding where the given length is not the one that the log's FLOP/s imply, or where that one is odd."""
    if solved is None:
        return ()
    if given is None:
        if solved % COMMON == 0:
            return ()
        message = f"the length solved from the log, {solved:,} tokens, is an unusual one: is the model the right one?"
        return (Finding(code="W_AMBIG", message=message, input="model", fix="--seq with the length of the run"),)
    if abs(given - solved) <= DIFFERS * given or solved % COMMON:  # an odd length: the model is wrong, not the length
        return ()
    message = f"the length is {given:,} tokens as given, but the log's FLOP/s imply {solved:,}; the given one was used"
    return (Finding(code="W_DIFFERS", message=message, input="seq", fix=f"--seq {solved}"),)


def check_unsolved(series: Series, model: str, work: LoggedWork) -> tuple[Finding, ...]:
    """The finding that no length gives the model the work that the log's figures imply."""
    message = (
        f"the log's figures imply {to_giga(work.middle):,.2f} GFLOP per token by {series.convention}'s rule, "
        f"which {model} has at no length: the model is likely another"
    )
    return (Finding(code="W_RULE", message=message, input="model", fix="check --model"),)


def check_series(line: Timeline) -> tuple[Finding, ...]:
    """Findings on the records: lines that could not be read, an impossible MFU in the log, two speeds, two clocks."""
    found = list[Finding]()
    series = line.series
    if series.n_skipped_lines:
        found.append(
            Finding(code="W_SKIPPED", message=f"{series.n_skipped_lines:,} lines could not be read", input="log")
        )
    logged = series["mfu"][line.used]
    logged = logged[np.isfinite(logged)]
    if len(logged) and float(np.median(logged)) > 1:
        message = f"the log prints an MFU of {to_percent(float(np.median(logged))):.1f} %: its own peak cannot be right"
        found.append(Finding(code="E_OVER", message=message, input="logged.mfu"))
    return (*found, *_check_regimes(line), *_check_clock(line))


def check_params(series: Series, count: Count) -> tuple[Finding, ...]:
    """A finding where the log states another number of parameters than the model has, or trains but a few of them."""
    trains = series.stated.get("n_trainable_params")
    if trains is not None and float(trains.value) < FEW * count.parameters.total:
        message = (
            f"the log trains {int(trains.value):,} of {count.parameters.total:,} parameters, but the work is of full "
            "training: frozen weights need less, so the MFU is too high, by up to half"
        )
        return (Finding(code="W_RULE", message=message, input="model", fix="read it as an upper bound"),)
    stated = series.stated.get("n_params")
    if stated is None or abs(float(stated.value) - count.parameters.total) <= DIFFERS * float(stated.value):
        return ()
    message = (
        f"the log says {int(stated.value):,} parameters, {count.model.name} has {count.parameters.total:,}: "
        "the model is likely another"
    )
    return (Finding(code="W_DIFFERS", message=message, input="model", fix="check --model"),)


def check_model(count: Count, stated: Count | None) -> tuple[Finding, ...]:
    """A finding where the given model has not the size or the work of the one that the log states."""
    if stated is None:
        return ()
    ours, logged = (recount(found, seq_len=count.workload.seq_len).flop_per_token for found in (count, stated))
    if ours is None or logged is None:
        return ()
    sizes = count.parameters.total, stated.parameters.total
    if abs(ours - logged) <= DIFFERS * logged and abs(sizes[0] - sizes[1]) <= DIFFERS * sizes[1]:
        return ()
    message = (
        f"--model says {count.model.name} with {sizes[0]:,} parameters, the log a model with {sizes[1]:,}; "
        "the flag was used"
    )
    return (Finding(code="W_DIFFERS", message=message, input="model", fix="leave --model out to use the log's"),)


def _check_regimes(line: Timeline) -> tuple[Finding, ...]:
    """Two speeds: the widest gap in the middle half of the sorted times parts two medians over 25 % from each other."""
    times = np.sort(line.times.relative[line.used])
    times = times[np.isfinite(times)]
    if len(times) < 4:
        return ()
    quarter = len(times) // 4
    gaps = np.diff(times)[quarter - 1 : len(times) - quarter]
    cut = quarter + int(np.argmax(gaps))
    low, high = float(np.median(times[:cut])), float(np.median(times[cut:]))
    if high <= (1 + REGIMES) * low or float(gaps.max()) < (high - low) / 2:
        return ()
    message = f"two speeds in one run, {to_percent(high / low - 1):.0f} % apart: one median describes neither"
    return (Finding(code="W_SPREAD", message=message, input="log"),)


def _check_clock(line: Timeline) -> tuple[Finding, ...]:
    """The clock against durations that the log or its tokens give; the durations stand."""
    if line.times.kind not in ("log", "tokens"):
        return ()
    clock = time_by_clock(line.series, line.segments)
    both = line.used & np.isfinite(clock) & np.isfinite(line.times.seconds)
    if not both.any() or both.sum() * 2 < line.used.sum():  # a clock too coarse for its steps shows only the gaps
        return ()
    ratio = float(np.median(clock[both] / line.times.seconds[both]))
    if abs(ratio - 1) <= CLOCK_WITHIN:
        return ()
    message = f"by the clock a step takes {to_percent(ratio - 1):+.1f} % of its stated time; the stated time stands"
    return (Finding(code="W_CLOCK", message=message, input="log"),)
