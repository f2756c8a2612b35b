"""What a measurement lacks, the command that completes it, and what in it cannot be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from peakwise.core.finding import Finding
from peakwise.core.measurement import Logged, Measurement, Missing
from peakwise.core.series import Series
from peakwise.measuring import checks, consistency, lacking
from peakwise.measuring.inputs import describe_chip_gap
from peakwise.measuring.run import Run
from peakwise.measuring.work import rule_flop_per_token

# Columns of a series that tell how long a step took, by themselves or with a batch and a length.
TIMES = ("step_s", "time_s", "elapsed_s", "tokens_per_s", "tokens_per_s_per_device", "samples_per_s")


def finish(found: Measurement, run: Run, gaps: tuple[str, str]) -> Measurement:
    """The measurement with what it lacks, the command that completes it, and its warnings."""
    missing = _find_missing(found, run, gaps)
    blocking = tuple(item for item in missing if "mfu" in item.needed_for)
    notes = ()
    if found.mfu is None and run.probe is None and run.work.logged is not None and found.seq_len is None:
        notes = ("The sequence length is solved from the log once the model is known.",)
    command = lacking.complete_command(run.given.command, blocking if found.mfu is None else missing)
    if found.mfu is None and found.hfu is None and not _tells_time(run.line.series):
        notes, command = (lacking.NO_TIME,), ""
    return replace(
        found,
        logged=found.logged if found.mfu is not None else _not_comparable(found.logged),
        missing=missing,
        notes=notes,
        absent=_explain_absent(found, missing, run),
        command=command,
        warnings=_find_warnings(found, run),
    )


def _tells_time(series: Series) -> bool:
    """Whether any record has a time, a clock or a rate; without one no flag leads to an MFU."""
    return any(np.isfinite(series[name]).any() for name in TIMES)


def _not_comparable(logged: Logged) -> Logged:
    """The logged MFU with the words that it gets where no MFU of ours stands beside it."""
    if logged.mfu is None:
        return logged
    return replace(logged, mfu=replace(logged.mfu, source="not comparable as it is"))


def _find_missing(found: Measurement, run: Run, gaps: tuple[str, str]) -> tuple[Missing, ...]:
    missing, (chip_gap, model_gap) = list[Missing](), gaps
    if run.probe is None:
        missing.append(replace(lacking.MODEL, why=model_gap) if model_gap else lacking.MODEL)
    if found.peak_flop_per_s_per_device is None:
        why = describe_chip_gap(run.chip, run.given) or chip_gap
        missing.append(replace(lacking.CHIP, why=why) if why else lacking.CHIP)
    solvable = run.probe is None and run.work.logged is not None
    rate_lacks = found.tokens_per_s_per_device is None
    whole_lacks = rate_lacks and found.tokens_per_s is None and found.tokens_per_step is None
    if found.seq_len is None and not solvable and run.work.count is None:
        more = lacking.RATES if whole_lacks else ()
        missing.append(replace(lacking.SEQ, needed_for=(*more, *lacking.SEQ.needed_for)))
    if whole_lacks and found.global_batch is None:
        missing.append(lacking.BATCH)
    if found.n_devices is None:
        blocks = ("tokens_per_s_per_device", "mfu", "mfu_wall", "hfu") if rate_lacks else ()
        missing.append(replace(lacking.DEVICES, needed_for=(*lacking.DEVICES.needed_for, *blocks)))
    if run.inputs.recompute is None and found.hfu is None:
        missing.append(lacking.RECOMPUTE)
    return tuple(missing)


def _explain_absent(found: Measurement, missing: tuple[Missing, ...], run: Run) -> dict[str, str]:
    """Why each number that is not there is not, in a few words."""
    absent = dict[str, str]()
    if found.step_s.median is None:
        absent["step_s"] = "no step time and no clock in the log"
    for key in ("wall_s", "goodput", "mfu_wall"):
        if found.wall_s is None:
            absent[key] = "no clock in the log"
    for item in missing:
        for key in item.needed_for:
            absent.setdefault(key, item.why)
    absent.setdefault("tokens_per_step", absent.get("tokens_per_s", "tokens vary from step to step"))
    absent["mfu_math_peak"] = _explain_math_peak(run)
    if found.hfu is not None and found.mfu is None:
        absent |= dict.fromkeys(("mfu", "mfu_wall"), f"{found.convention} counts recompute: its figure is HFU")
    absent["mbu"] = "bytes that must move are not known for training"
    return {key: why for key, why in absent.items() if key == "step_s" or getattr(found, key) is None}


def _explain_math_peak(run: Run) -> str:
    if run.given.convention != "exact":
        return "by the rule exact alone"
    if run.inputs.mixture is None:
        return "precision of each part not stated"
    if run.given.peak_flop_per_s is not None:
        return "a declared peak is one figure for all types"
    return "a type that ran has no dense peak in the catalogue, or MFU is not known"


def _find_warnings(found: Measurement, run: Run) -> tuple[Finding, ...]:
    count, warnings = run.work.count, list[Finding]()
    peak = found.peak_flop_per_s_per_device
    logged_peak = run.logged.implied_peak_flop_per_s
    if found.mfu is not None and peak is not None:
        warnings += checks.check_mfu(
            found.mfu.value,
            peak.value,
            peak_flag="chip" if run.given.peak_flop_per_s is None else "peak",
            logged_peak=None if logged_peak is None else logged_peak.value,
            fits=run.fits,
            chip=run.chip,
        )
    elif found.hfu is not None and found.hfu.value > 1:
        warnings.append(checks.over_peak(found.hfu.value, run.chip))
    warnings += (*run.inputs.warnings, *run.rates.warnings)
    if count is not None:
        rule_flop = rule_flop_per_token(count, run.line.series.convention)
        given_length = None if run.inputs.seq_len is None else int(run.inputs.seq_len.value)
        length = checks.check_solved_length(given_length, run.work.solved)
        by_token = length or checks.check_rule(run.line, count, rule_flop, run.work.logged)
        warnings += by_token or checks.check_recomputed(found.logged)
        warnings += checks.check_params(run.line.series, count)
        warnings += checks.check_model(count, run.stated)
        warnings += count.warnings
    elif run.given.model is not None and run.work.logged is not None and run.line.series.convention:
        warnings += checks.check_unsolved(run.line.series, run.given.model, run.work.logged)
    warnings += checks.check_series(run.line)
    warnings += consistency.check_records(run.line, run.inputs)
    warnings += consistency.check_peak(run.line, run.logged, run.fits)
    return tuple(warnings)
