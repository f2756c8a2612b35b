"""The whole answer of `measure`, from a log's series, the flags, the chip and one count of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from peakwise.core.chip import Chip
from peakwise.core.count import Count
from peakwise.core.drawn import Form
from peakwise.core.finding import Finding
from peakwise.core.measurement import Logged, Measurement, Missing, Reconciliation
from peakwise.core.quantity import Basis, Quantity, weakest
from peakwise.core.series import Series
from peakwise.core.units import to_giga, to_percent
from peakwise.measuring import checks, lacking
from peakwise.measuring.given import Given
from peakwise.measuring.goodput import measure_goodput, measure_wall_s
from peakwise.measuring.inputs import Inputs, describe_chip_gap, read_inputs
from peakwise.measuring.logged import imply_peak, read_logged
from peakwise.measuring.rates import Rates, measure_rates
from peakwise.measuring.reconcile import Sides, reconcile
from peakwise.measuring.segments import count_distinct
from peakwise.measuring.solve import LoggedWork, imply_flop_per_token, solve_seq_len
from peakwise.measuring.timeline import Timeline, describe_step_time, describe_steps, read_timeline
from peakwise.measuring.utilization import measure_mfu, measure_mfu_wall
from peakwise.measuring.work import hardware_flop_per_token, recount, rule_flop_per_token

NO_BAND = "No band: they were written for dense training, and this is a mixture of experts."


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The model's count at the run's length, or why there is none; `solved` is the length that the log implies."""

    count: Count | None
    seq_len: Quantity | None
    solved: int | None
    logged: LoggedWork | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything known of a run before its utilizations."""

    given: Given
    line: Timeline
    inputs: Inputs
    rates: Rates
    work: Work
    logged: Logged
    fits: tuple[str, ...]
    chip: Chip | None


def answer(
    given: Given,
    series: Series,
    *,
    chip: Chip | None,
    chip_gap: str,
    probe: Count | None,
    fits: Callable[[float], tuple[Chip, ...]],
    version: str,
    draw: Callable[[Measurement, Form], str],
) -> Measurement:
    """The measurement of a run.

    `probe`: one count of the model, at `--seq` or any length; `chip_gap`: why the log's own chip is not known;
    `fits`: chips whose dense 16-bit peak a figure is.
    """
    inputs = read_inputs(given, series, chip)
    n_devices = None if inputs.n_devices is None else int(inputs.n_devices.value)
    line = read_timeline(series, tokens_per_step=inputs.tokens_per_step, n_devices=n_devices)
    implied = imply_peak(line)
    names = () if implied is None else tuple(chip.id for chip in fits(implied.value))
    rates = measure_rates(line, inputs)
    work = _count_work(line, rates, given, probe, implied)
    if rates.seq_len is None and work.seq_len is not None:
        rates = measure_rates(line, replace(inputs, seq_len=work.seq_len))
    run = Run(
        given=given,
        line=line,
        inputs=inputs,
        rates=rates,
        work=work,
        logged=read_logged(line, names),
        fits=names,
        chip=chip,
    )
    return replace(_finish(_measure(run, version), run, chip_gap), draw=draw)


def _count_work(line: Timeline, rates: Rates, given: Given, probe: Count | None, peak: Quantity | None) -> Work:
    """The model's count at the length that is given, stated, derived or solved."""
    logged = imply_flop_per_token(line.series, line.used, None if peak is None else peak.value)
    if probe is None:
        return Work(count=None, seq_len=rates.seq_len, solved=None, logged=logged)
    rule, solved = line.series.convention, None
    if logged is not None and rule_flop_per_token(probe, rule) is not None:
        solved = solve_seq_len(logged, lambda length: rule_flop_per_token(recount(probe, seq_len=length), rule))
    if given.seq is not None and given.seq_len is None:  # a file of document lengths
        return Work(count=probe, seq_len=None, solved=None, logged=logged)
    seq_len = rates.seq_len
    if seq_len is None and solved is not None and logged is not None:
        source = f"from {to_giga(logged.middle):,.2f} GFLOP per token by {rule}'s rule"
        seq_len = Quantity(value=solved, unit="token", basis="solved", source=source)
    count = None if seq_len is None else recount(probe, seq_len=int(seq_len.value))
    return Work(count=count, seq_len=seq_len, solved=solved, logged=logged)


def _measure(run: Run, version: str) -> Measurement:
    line, rates, series = run.line, run.rates, run.line.series
    count, peak = run.work.count, run.inputs.peak
    work = _work_quantity(run)
    useful = _product(work, rates.tokens_per_s_per_device, "FLOP/s", "rate × work")
    mfu = _utilization(useful, peak, "useful ÷ peak")
    wall_s, goodput = _wall(line)
    columns = {**series.columns, "step_s": line.times.seconds}
    return Measurement(
        sources=run.given.paths,
        producer=series.producer,
        producer_name=series.producer_name,
        generation=series.generation,
        version=version,
        series=series.with_columns(columns),
        steps=describe_steps(line),
        step_s=describe_step_time(line),
        wall_s=wall_s,
        tokens_per_step=rates.tokens_per_step,
        tokens_per_s=rates.tokens_per_s,
        tokens_per_s_per_device=rates.tokens_per_s_per_device,
        flop_per_token=work,
        flop_per_s_per_device=useful,
        mfu=mfu,
        hfu=_hfu(run, peak),
        mfu_wall=_mfu_wall(mfu, goodput, wall_s),
        goodput=goodput,
        n_devices=rates.n_devices,
        seq_len=rates.seq_len,
        global_batch=rates.global_batch,
        peak_flop_per_s_per_device=peak,
        peak=run.inputs.used_peak,
        model_id="" if count is None else count.model.id,
        model_name="" if count is None else count.model.name,
        recompute="" if run.inputs.recompute is None else run.inputs.recompute.text(),
        band_note=NO_BAND if count is not None and count.model.shape.n_experts else "",
        logged=_recompute_logged(run),
        reconciliation=_reconcile(run),
    )


def _work_quantity(run: Run) -> Quantity | None:
    count = run.work.count
    if count is None:
        return None
    inputs: list[Basis] = [count.basis]
    if run.work.seq_len is not None:
        inputs.append(run.work.seq_len.basis)
    source = f"exact, {count.workload.attention}"
    return Quantity(value=count.flop_per_token, unit="FLOP/token", basis=weakest(*inputs), source=source)


def _product(left: Quantity | None, right: Quantity | None, unit: str, source: str) -> Quantity | None:
    if left is None or right is None:
        return None
    return Quantity(value=left.value * right.value, unit=unit, basis=weakest(left.basis, right.basis), source=source)


def _utilization(useful: Quantity | None, peak: Quantity | None, source: str) -> Quantity | None:
    if useful is None or peak is None:
        return None
    value = useful.value / peak.value
    return Quantity(value=value, unit="fraction", basis=weakest(useful.basis, peak.basis), source=source)


def _hfu(run: Run, peak: Quantity | None) -> Quantity | None:
    """MFU with the blocks' recompute; None where nobody stated the policy."""
    count, policy, rate = run.work.count, run.inputs.recompute, run.rates.tokens_per_s_per_device
    if count is None or policy is None or rate is None or peak is None:
        return None
    work = hardware_flop_per_token(recount(count, recompute=policy))
    value = measure_mfu(work, rate.value, peak.value)
    bases: list[Basis] = [count.basis, rate.basis, peak.basis]
    if run.work.seq_len is not None:
        bases.append(run.work.seq_len.basis)
    return Quantity(value=value, unit="fraction", basis=weakest(*bases), source=f"recompute {policy.text()}")


def _wall(line: Timeline) -> tuple[Quantity | None, Quantity | None]:
    """Wall time and goodput; None without time stamps or step times."""
    median_s = line.median_s
    if median_s is None:
        return None, None
    wall = measure_wall_s(line.series["time_s"], line.segments, line.times.seconds, median_s)
    if not wall:
        return None, None
    kept, _ = count_distinct(line.series["step"], line.segments)
    goodput = measure_goodput(kept, median_s, wall)
    return (
        Quantity(value=wall, unit="s", basis="derived", source="clock, first record's own steps included"),
        Quantity(value=goodput, unit="fraction", basis="derived", source=f"{kept:,} steps × median ÷ wall time"),
    )


def _mfu_wall(mfu: Quantity | None, goodput: Quantity | None, wall_s: Quantity | None) -> Quantity | None:
    if mfu is None or goodput is None or wall_s is None:
        return None
    value = measure_mfu_wall(mfu.value, goodput.value)
    source = f"goodput {to_percent(goodput.value):.1f} % of {wall_s.value:,.1f} s"
    return Quantity(value=value, unit="fraction", basis=weakest(mfu.basis, goodput.basis), source=source)


def _recompute_logged(run: Run) -> Logged:
    """The logged figures with our count by the producer's rule over its own peak."""
    count, rate, peak = run.work.count, run.rates.tokens_per_s_per_device, run.logged.implied_peak_flop_per_s
    logged = run.logged
    mfu = None
    if count is not None and rate is not None and peak is not None:
        work = rule_flop_per_token(count, run.line.series.convention)
        if work is not None:
            basis = weakest(count.basis, rate.basis, peak.basis)
            value = measure_mfu(work, rate.value, peak.value)
            mfu = Quantity(value=value, unit="fraction", basis=basis, source="its rule × rate ÷ its peak")
    return replace(logged, recomputed_mfu=mfu)


def _reconcile(run: Run) -> Reconciliation | None:
    """The rows from the log's figure to ours, where both sides have one."""
    count, rate, logged = run.work.count, run.rates.tokens_per_s_per_device, run.logged
    if count is None or rate is None or not logged.convention or count.workload.lengths:
        return None
    if rule_flop_per_token(count, logged.convention) is None:
        return None
    printed, peak = logged.flop_per_s_per_device, logged.implied_peak_flop_per_s
    sides = Sides(
        tokens_per_s=rate.value,
        logged_flop_per_s=None if printed is None else printed.value,
        logged_mfu=None if logged.mfu is None else logged.mfu.value,
        logged_peak=None if peak is None else peak.value,
        peak=None if run.inputs.peak is None else run.inputs.peak.value,
        n_records=run.line.n_used_records,
    )
    return reconcile(count, count.under(logged.convention), sides)


def _finish(found: Measurement, run: Run, chip_gap: str) -> Measurement:
    """The measurement with what it lacks, the command that completes it, and its warnings."""
    missing = _find_missing(found, run, chip_gap)
    blocking = tuple(item for item in missing if "mfu" in item.needed_for)
    notes = ()
    if found.mfu is None and run.given.model is None and run.work.logged is not None and found.seq_len is None:
        notes = ("The sequence length is solved from the log once the model is known.",)
    return replace(
        found,
        logged=found.logged if found.mfu is not None else _not_comparable(found.logged),
        missing=missing,
        notes=notes,
        absent=_explain_absent(found, missing),
        command=lacking.complete_command(run.given.command, blocking if found.mfu is None else missing),
        warnings=_find_warnings(found, run),
    )


def _not_comparable(logged: Logged) -> Logged:
    """The logged MFU with the words that it gets where no MFU of ours stands beside it."""
    if logged.mfu is None:
        return logged
    return replace(logged, mfu=replace(logged.mfu, source="not comparable as it is"))


def _find_missing(found: Measurement, run: Run, chip_gap: str) -> tuple[Missing, ...]:
    missing = list[Missing]()
    if run.given.model is None:
        missing.append(lacking.MODEL)
    if found.peak_flop_per_s_per_device is None:
        why = describe_chip_gap(run.chip, run.given) or chip_gap
        missing.append(replace(lacking.CHIP, why=why) if why else lacking.CHIP)
    solvable = run.given.model is None and run.work.logged is not None
    if found.seq_len is None and not solvable and (run.work.count is None):
        missing.append(lacking.SEQ)
    rate_lacks = found.tokens_per_s_per_device is None
    if rate_lacks and found.tokens_per_s is None:
        missing.append(lacking.BATCH)
    if found.n_devices is None:
        blocks = ("mfu", "mfu_wall", "hfu") if rate_lacks else ()
        missing.append(replace(lacking.DEVICES, needed_for=(*lacking.DEVICES.needed_for, *blocks)))
    if run.inputs.recompute is None:
        missing.append(lacking.RECOMPUTE)
    return tuple(missing)


def _explain_absent(found: Measurement, missing: tuple[Missing, ...]) -> dict[str, str]:
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
    absent["mfu_math_peak"] = "precision of each part not stated"
    absent["mbu"] = "bytes that must move are not known for training"
    return {key: why for key, why in absent.items() if key == "step_s" or getattr(found, key) is None}


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
    warnings += run.inputs.warnings
    if count is not None:
        rule_flop = rule_flop_per_token(count, run.line.series.convention)
        given_length = None if run.inputs.seq_len is None else int(run.inputs.seq_len.value)
        length = checks.check_solved_length(given_length, run.work.solved)
        warnings += length or checks.check_rule(run.line, count, rule_flop, run.work.logged)
        warnings += checks.check_params(run.line.series, count)
        warnings += count.warnings
    elif run.given.model is not None and run.work.logged is not None and run.line.series.convention:
        warnings += checks.check_unsolved(run.line.series, run.given.model, run.work.logged)
    warnings += checks.check_series(run.line)
    return tuple(warnings)
