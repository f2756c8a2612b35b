"""The ten checks of a log's figures against each other; each finds what it is for, and is silent on a clean log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peakwise.core.measurement import Logged
from peakwise.core.quantity import Quantity
from peakwise.core.series import Column, Series, Stated
from peakwise.measuring import checks, consistency
from peakwise.measuring.given import Given
from peakwise.measuring.inputs import Inputs, read_inputs
from peakwise.measuring.logged import read_logged
from peakwise.measuring.rates import measure_rates
from peakwise.measuring.timeline import Timeline, describe_steps, read_timeline

STEPS = 20


def ones(value: float = 1.0, n: int = STEPS) -> Column:
    return np.full(n, value)


def make(*, stated: dict[str, float] | None = None, n: int = STEPS, **columns: Column) -> Series:
    """Records of steps 1 to n; what is not given the log does not print."""
    facts = {key: Stated(value=number, source="log's arguments") for key, number in (stated or {}).items()}
    step = columns.pop("step", np.arange(1.0, n + 1))
    return Series(
        producer="x",
        producer_name="X",
        generation="",
        convention="",
        spans="step",
        columns={"step": step, **columns},
        resolution={"mfu": 1e-4},
        stated=facts,
    )


def read(series: Series, **flags: int) -> tuple[Timeline, Inputs]:
    line = read_timeline(series, read_inputs(Given(paths=("log",), **flags), series, None))  # type: ignore[arg-type]
    return line, line.inputs


def codes(series: Series, **flags: int) -> list[str]:
    """Every code that the records of a log give."""
    line, inputs = read(series, **flags)
    rates = measure_rates(line, inputs)
    findings = (
        *inputs.warnings,
        *rates.warnings,
        *checks.check_series(line),
        *consistency.check_records(line, inputs),
    )
    return [finding.code for finding in findings]


CLEAN = {
    "step_s": ones(2.0),
    "time_s": np.arange(1.0, STEPS + 1) * 2,
    "tokens_per_s": ones(8192 * 4 / 2),
    "tokens_per_s_per_device": ones(8192 / 2 / 2),
    "global_batch": ones(4.0),
    "n_samples": np.arange(1.0, STEPS + 1) * 4,
    "flop_per_s_per_device": ones(3e14),
    "mfu": ones(0.3),
}
FACTS = {"seq_len": 8192, "global_batch": 4, "n_devices": 8, "total_s": 40, "total_steps": 20}


def test_a_clean_log_has_no_finding() -> None:
    assert codes(make(stated=FACTS, **CLEAN)) == []


def test_check_1_rate_times_time_is_the_tokens_of_a_step() -> None:
    """A rate that gives another size than sequences × length is told, with the factor where it is whole."""
    half = CLEAN | {"tokens_per_s": ones(8192 * 4 / 2 * 0.9)}
    half.pop("tokens_per_s_per_device")
    assert codes(make(stated=FACTS, **half)) == ["W_DIFFERS"]


def test_check_1_a_rate_of_one_device_under_the_label_of_all() -> None:
    """Rate × time is an eighth of a step's tokens: the rate is likely one of 8 devices."""
    columns = CLEAN | {"tokens_per_s": ones(8192 * 4 / 2 / 8)}
    columns.pop("tokens_per_s_per_device")
    assert codes(make(stated=FACTS, **columns)) == ["W_BASIS"]


@pytest.mark.parametrize("name", ["flop_per_s_per_device", "mfu"])
def test_check_2_a_jump_at_a_restart_is_a_new_formula(name: str) -> None:
    """Work per step is another after the step goes back; the log's own figure is that of the last formula alone."""
    step = np.concatenate((np.arange(1.0, 12), np.arange(10.0, 19)))
    figure = np.where(np.arange(STEPS) < 11, 1.0, 0.25) * (4e14 if name != "mfu" else 0.4)
    series = make(step=step, step_s=ones(2.0), **{name: figure})
    assert codes(series) == ["W_RULE"]
    line, _ = read(series)
    logged = read_logged(line, ())
    found = logged.mfu if name == "mfu" else logged.flop_per_s_per_device
    assert found is not None
    assert found.value == pytest.approx(0.25 * (4e14 if name != "mfu" else 0.4))


def test_check_2_more_tokens_a_step_are_no_new_formula() -> None:
    """A batch that grew before a restart makes more work a step by the same formula."""
    step = np.concatenate((np.arange(1.0, 12), np.arange(12.0, 21)))
    step[11:] -= 1
    batch = np.where(np.arange(STEPS) < 11, 4.0, 8.0)
    series = make(
        step=step, stated={"seq_len": 8192}, step_s=batch / 2, global_batch=batch, flop_per_s_per_device=ones(3e14)
    )
    assert "W_RULE" not in codes(series)


def test_check_3_the_clock_shows_gaps_that_durations_do_not() -> None:
    """300 s between two records of 2 s are a stall, steps cut out of the log are none."""
    time = CLEAN["time_s"] + np.where(np.arange(STEPS) >= 10, 300.0, 0.0)
    line, _ = read(make(step_s=ones(2.0), time_s=time))
    assert [(gap.after, gap.seconds, gap.reason) for gap in describe_steps(line).gaps] == [(10, 300.0, "stall")]
    step = np.concatenate((np.arange(1.0, 11), np.arange(111.0, 121)))
    line, _ = read(make(step=step, step_s=ones(2.0), time_s=step * 2.1))
    assert describe_steps(line).gaps == ()


def test_check_3_clock_and_durations_that_differ_are_told_and_durations_stand() -> None:
    """A step that takes 5 % more by the clock gets a warning; the median is the stated one."""
    series = make(**CLEAN | {"time_s": CLEAN["time_s"] * 1.05})
    assert codes(series) == ["W_CLOCK"]
    assert read(series)[0].median_s == 2.0


def test_check_3_a_clock_too_coarse_for_its_steps_contradicts_nothing() -> None:
    """Whole seconds tell a gap of 60 s, and nothing about steps of 2 s."""
    time = np.floor(CLEAN["time_s"] + np.where(np.arange(STEPS) >= 10, 60.0, 0.0))
    series = make(**CLEAN | {"time_s": time})
    coarse = replace(series, resolution={"mfu": 1e-4, "time_s": 1.0})
    assert codes(coarse) == []
    assert codes(series) == []


def test_check_4_the_sample_counter_grows_by_the_batch() -> None:
    """A counter that grows by half the stated batch each step contradicts it."""
    assert codes(make(stated=FACTS, **CLEAN | {"n_samples": np.arange(1.0, STEPS + 1) * 2})) == ["W_DIFFERS"]


def test_check_5_rates_whose_ratio_is_no_number_of_devices() -> None:
    """3.7 devices there are not; and 8 by the rates where 16 are stated is a contradiction, not a choice."""
    odd = {"tokens_per_s": ones(3700.0), "tokens_per_s_per_device": ones(1000.0)}
    line, inputs = read(make(**odd))
    rates = measure_rates(line, inputs)
    assert rates.n_devices is None
    assert [finding.code for finding in rates.warnings] == ["W_BASIS"]
    line, inputs = read(make(stated={"n_devices": 16}, **odd | {"tokens_per_s": ones(8000.0)}))
    rates = measure_rates(line, inputs)
    assert rates.n_devices is None
    assert [finding.code for finding in rates.warnings] == ["W_DIFFERS"]


def test_check_5_a_flag_decides_between_two_ways() -> None:
    line, inputs = read(make(tokens_per_s=ones(8000.0), tokens_per_s_per_device=ones(1000.0)), n_devices=16)
    rates = measure_rates(line, inputs)
    assert rates.n_devices is not None
    assert rates.n_devices.value == 16
    assert [finding.code for finding in rates.warnings] == ["W_DIFFERS"]


@pytest.mark.parametrize(
    ("mfu", "expected"), [(0.3, []), (0.65, []), (0.6501, ["W_HIGH"]), (1.0, ["W_HIGH"]), (1.01, ["E_OVER"])]
)
def test_check_6_an_mfu_is_rarely_above_65_percent_and_never_above_1(mfu: float, expected: list[str]) -> None:
    found = checks.check_mfu(mfu, 1e15, peak_flag="chip", logged_peak=None, fits=(), chip=None)
    assert [finding.code for finding in found] == expected


def test_check_7_a_peak_that_no_chip_has_is_told() -> None:
    """Logged FLOP/s ÷ logged MFU is looked up among the chips; digits too coarse to tell say nothing."""
    line, _ = read(make(**CLEAN))
    logged = read_logged(line, ())
    assert [finding.code for finding in consistency.check_peak(line, logged, ())] == ["W_PEAK"]
    assert consistency.check_peak(line, logged, ("h100-sxm",)) == ()
    coarse, _ = read(make(**CLEAN | {"mfu": ones(0.005)}))
    assert consistency.check_peak(coarse, read_logged(coarse, ()), ()) == ()
    assert consistency.check_peak(line, Logged(), ()) == ()


def test_check_8_replicas_of_a_step_are_one_record_and_never_added() -> None:
    """The same steps from four ranks are as many records as from one, with the same rate."""
    series = make(
        step=np.repeat(np.arange(1.0, 6), 4),
        stream=np.tile([0.0, 1, 2, 3], 5),
        n=20,
        step_s=ones(2.0),
        tokens_per_s=ones(1000.0),
    )
    line, inputs = read(series)
    rates = measure_rates(line, inputs)
    assert describe_steps(line).records == 5
    assert rates.tokens_per_s is not None
    assert rates.tokens_per_s.value == 1000


def test_check_9_a_step_that_goes_back_is_a_restart_or_another_run() -> None:
    """With the clock going on it is a restart; with the clock going back another run, which is left out."""
    step = np.concatenate((np.arange(1.0, 13), np.arange(9.0, 17)))
    again, _ = read(make(step=step, step_s=ones(2.0), time_s=np.arange(STEPS) * 2.0))
    assert describe_steps(again).repeated == 4
    time = np.arange(STEPS) * 2.0 - np.where(np.arange(STEPS) >= 12, 9000.0, 0.0)
    series = make(step=step, step_s=np.where(np.arange(STEPS) >= 12, 5.0, 2.0), time_s=time)
    assert codes(series) == ["W_RUNS"]
    line, _ = read(series)
    assert line.median_s == 2.0
    assert describe_steps(line).repeated == 0
    assert [(part.first, part.last, part.reason) for part in line.others] == [(9, 16, "another run")]


@pytest.mark.parametrize("facts", [{"total_s": 30.0}, {"total_steps": 10}])
def test_check_10_final_totals_are_no_less_than_the_sum(facts: dict[str, float]) -> None:
    """20 steps of 2 s cannot be in a run of 30 s, nor in one of 10 steps."""
    assert codes(make(stated=facts, step_s=ones(2.0))) == ["W_TOTAL"]
    assert codes(make(stated={"total_s": 90, "total_steps": 20}, step_s=ones(2.0))) == []


def test_two_speeds_that_differ_by_more_than_a_quarter_are_told() -> None:
    """One median describes neither of two regimes; 20 % apart is one run's jitter."""
    half = np.arange(STEPS) < STEPS // 2
    assert codes(make(step_s=np.where(half, 88.5, 127.4))) == ["W_SPREAD"]
    assert codes(make(step_s=np.where(half, 1.0, 1.2))) == []


def test_a_batch_that_dump_and_records_state_differently_is_no_choice() -> None:
    """128 in the arguments and 256 in every record: neither is used, unless a flag says which."""
    series = make(stated={"global_batch": 128, "seq_len": 8192}, step_s=ones(2.0), global_batch=ones(256.0))
    line, inputs = read(series)
    rates = measure_rates(line, inputs)
    assert (inputs.global_batch, rates.tokens_per_step) == (None, None)
    assert [finding.code for finding in inputs.warnings] == ["W_DIFFERS"]
    line, inputs = read(series, global_batch=256)
    assert measure_rates(line, inputs).tokens_per_step is not None


def test_a_printed_utilization_far_from_our_count_by_its_own_rule_is_named() -> None:
    """A log without rates per token can still contradict the model, the batch or the devices that were given."""
    printed, near, far = (
        Quantity(value=value, unit="fraction", basis="measured", source="x") for value in (0.167, 0.160, 0.045)
    )
    assert checks.check_recomputed(Logged(mfu=printed, recomputed_mfu=near)) == ()
    assert checks.check_recomputed(Logged(mfu=printed)) == ()
    (finding,) = checks.check_recomputed(Logged(mfu=printed, recomputed_mfu=far, convention="nanogpt"))
    assert finding.code == "W_RULE"
    assert "16.7 %" in finding.message
    assert "4.5 %" in finding.message
