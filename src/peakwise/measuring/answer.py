"""The whole answer of `measure`, from a log's series, the flags, the chip and one count of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from peakwise.core.chip import Chip
from peakwise.core.count import Count
from peakwise.core.drawn import Form
from peakwise.core.measurement import Logged, Measurement, Reconciliation
from peakwise.core.quantity import Basis, Quantity, weakest
from peakwise.core.series import Series
from peakwise.core.units import to_giga, to_percent
from peakwise.core.version import VERSION
from peakwise.measuring.finish import finish
from peakwise.measuring.formula import records_of_one_formula
from peakwise.measuring.given import Given
from peakwise.measuring.goodput import count_skipped, measure_goodput, measure_wall_s
from peakwise.measuring.inputs import read_inputs
from peakwise.measuring.logged import imply_peak, read_logged
from peakwise.measuring.precision import time_at_peak
from peakwise.measuring.rates import Rates, measure_rates
from peakwise.measuring.reconcile import Sides, reconcile
from peakwise.measuring.rule import choose_rule, solve_for
from peakwise.measuring.run import Run, Work
from peakwise.measuring.segments import count_distinct
from peakwise.measuring.solve import LoggedWork, imply_flop_per_sequence, imply_flop_per_token
from peakwise.measuring.timeline import Timeline, describe_step_time, describe_steps, read_timeline
from peakwise.measuring.utilization import measure_mfu, measure_mfu_wall
from peakwise.measuring.work import counts_recompute, hardware_flop_per_token, recount, rule_flop_per_token

NO_BAND = "No band: they were written for dense training, and this is a mixture of experts."


def answer(
    given: Given,
    series: Series,
    *,
    chip: Chip | None,
    probe: Count | None,
    stated: Count | None,
    gaps: tuple[str, str],
    fits: Callable[[float], tuple[Chip, ...]],
    draw: Callable[[Measurement, Form], str],
) -> Measurement:
    """The measurement of a run.

    `probe`: one count of the model, at `--seq` or any length; `stated`: the same of the model that the log states;
    `gaps`: why the log's own chip, and its own model, are not known;
    `fits`: chips whose dense 16-bit peak a figure is.
    """
    inputs = read_inputs(given, series, chip)
    line = read_timeline(series, inputs)
    inputs = line.inputs
    implied = imply_peak(line)
    names = () if implied is None else tuple(chip.id for chip in fits(implied.value))
    rates = measure_rates(line, inputs)
    if probe is not None and inputs.recompute is not None:  # some producers count what is run again
        probe = recount(probe, recompute=inputs.recompute)
    work = _count_work(line, rates, given, probe, implied)
    line = replace(line, series=replace(line.series, convention=work.rule))
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
        probe=probe,
        stated=stated,
    )
    return replace(finish(_measure(run), run, gaps), draw=draw)


def _count_work(line: Timeline, rates: Rates, given: Given, probe: Count | None, peak: Quantity | None) -> Work:
    """The model's count at the length that is given, stated, derived or solved."""
    series = line.series
    logged = imply_flop_per_token(series, records_of_one_formula(line), None if peak is None else peak.value)
    logged = logged or _imply_by_sequence(line, rates)
    rule, seq_len = series.convention, rates.seq_len
    if probe is None:
        return Work(count=None, seq_len=seq_len, solved=None, logged=logged, rule=rule)
    if given.seq is not None and given.seq_len is None:  # a file of document lengths
        return Work(count=probe, seq_len=None, solved=None, logged=logged, rule=rule)
    solved = None
    if logged is not None:
        if series.other_rules:
            rule = choose_rule(series, probe, logged, None if seq_len is None else int(seq_len.value))
        solved = solve_for(probe, logged, rule)
        if seq_len is None and solved is not None:
            implied = to_giga(logged.per_token(solved).middle)
            source = f"from {implied:,.2f} GFLOP per token by {rule}'s rule"
            seq_len = Quantity(value=solved, unit="token", basis="solved", source=source)
    if seq_len is None:
        return Work(count=None, seq_len=None, solved=solved, logged=logged, rule=rule)
    length = int(seq_len.value)
    per_token = None if logged is None else logged.per_token(length)
    return Work(count=recount(probe, seq_len=length), seq_len=seq_len, solved=solved, logged=per_token, rule=rule)


def _imply_by_sequence(line: Timeline, rates: Rates) -> LoggedWork | None:
    """FLOPs per sequence of a log that prints FLOP/s and step times, but no tokens."""
    if rates.global_batch is None or rates.n_devices is None:
        return None
    per_device = rates.global_batch.value / rates.n_devices.value
    return imply_flop_per_sequence(line.series, records_of_one_formula(line), line.times.seconds, per_device)


def _measure(run: Run) -> Measurement:
    line, rates, series, count = run.line, run.rates, run.line.series, run.work.count
    work = _work_quantity(run)
    useful = _product(work, rates.tokens_per_s_per_device, "FLOP/s", "rate × work")
    mfu, hfu = _utilizations(run, useful)
    wall_s, goodput = _wall(line)
    return Measurement(
        sources=run.given.paths,
        producer=series.producer,
        producer_name=series.producer_name,
        generation=series.generation,
        version=VERSION,
        series=series.with_columns({**series.columns, "step_s": line.times.seconds}),
        steps=describe_steps(line),
        step_s=describe_step_time(line),
        wall_s=wall_s,
        tokens_per_step=rates.tokens_per_step,
        tokens_per_s=rates.tokens_per_s,
        tokens_per_s_per_device=rates.tokens_per_s_per_device,
        flop_per_token=work,
        flop_per_s_per_device=useful,
        mfu=mfu,
        hfu=hfu,
        mfu_wall=_mfu_wall(mfu, goodput, wall_s),
        mfu_math_peak=_mfu_math_peak(run),
        goodput=goodput,
        n_devices=rates.n_devices,
        seq_len=rates.seq_len,
        global_batch=rates.global_batch,
        peak_flop_per_s_per_device=run.inputs.peak,
        peak=run.inputs.used_peak,
        convention=run.given.convention,
        model_id="" if count is None else count.model.id,
        model_name="" if count is None else count.model.name,
        recompute="" if run.inputs.recompute is None else run.inputs.recompute.text(),
        schedule=run.inputs.schedule,
        band_note=NO_BAND if count is not None and count.model.shape.n_experts else "",
        logged=_recompute_logged(run),
        reconciliation=_reconcile(run),
    )


def _work_quantity(run: Run) -> Quantity | None:
    count = run.work.count
    if count is None or count.flop_per_token is None:
        return None
    inputs: list[Basis] = [count.basis]
    if run.work.seq_len is not None:
        inputs.append(run.work.seq_len.basis)
    source = f"exact, {count.workload.attention}"
    if count.convention != "exact":
        source = f"{count.convention}, recompute in it" if counts_recompute(count) else count.convention
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


def _utilizations(run: Run, useful: Quantity | None) -> tuple[Quantity | None, Quantity | None]:
    """MFU and HFU; by a rule that counts recompute HFU alone."""
    peak, count = run.inputs.peak, run.work.count
    found = _utilization(useful, peak, "useful ÷ peak")
    if count is not None and counts_recompute(count):
        return None, found
    return found, _hfu(run, peak)


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


def _mfu_math_peak(run: Run) -> Quantity | None:
    """MFU over the peak of the run's own mixture of types; None where nobody stated it, or a type has no peak."""
    count, mixture, rate = run.work.count, run.inputs.mixture, run.rates.tokens_per_s_per_device
    if count is None or mixture is None or rate is None or run.chip is None or count.convention != "exact":
        return None  # which part ran in which type is known of the ledger, which is `exact`
    seconds = time_at_peak(count.ledger, mixture, run.chip)
    if seconds is None or run.given.peak_flop_per_s is not None:
        return None
    basis = weakest(count.basis, rate.basis, "assumed" if mixture.assumed else "stated")
    source = f"{mixture.linear} linear layers, {mixture.attention} attention, {mixture.head} head"
    value = seconds / count.workload.tokens * rate.value
    return Quantity(value=value, unit="fraction", basis=basis, source=source)


def _wall(line: Timeline) -> tuple[Quantity | None, Quantity | None]:
    """Wall time and goodput; None without time stamps or step times."""
    median_s = line.median_s
    if median_s is None:
        return None, None
    wall = measure_wall_s(line.series["time_s"], line.segments, line.times.seconds, median_s)
    if not wall:
        return None, None
    step = line.series["step"]
    kept, _ = count_distinct(step, line.segments)
    kept -= count_skipped(line.series["n_skipped"], line.segments, step) or 0
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
    if count.convention != "exact":  # the rows lead from the log's rule to `exact`
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
