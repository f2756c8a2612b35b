"""Tokens of a step from the strongest statement, constant or not, and the rates that follow."""

from __future__ import annotations

import numpy as np
import pytest

from peakwise.core.series import Column, Series, Stated
from peakwise.measuring.given import Given
from peakwise.measuring.inputs import read_inputs
from peakwise.measuring.rates import Rates, measure_rates
from peakwise.measuring.timeline import describe_steps, read_timeline

N = 10


def full(value: float) -> Column:
    return np.full(N, value)


def rates(*, stated: dict[str, float] | None = None, given: Given | None = None, **columns: Column) -> Rates:
    facts = {key: Stated(value=number, source="the log") for key, number in (stated or {}).items()}
    series = Series(
        producer="x",
        producer_name="X",
        generation="",
        convention="",
        spans="step",
        columns={"step": np.arange(1.0, N + 1), **columns},
        stated=facts,
    )
    line = read_timeline(series, read_inputs(given or Given(paths=("log",)), series, None))
    return measure_rates(line, line.inputs)


def test_sequences_times_length_gives_tokens_and_rates() -> None:
    """128 sequences of 8,192 tokens in 2.8 s on 64 devices."""
    found = rates(stated={"global_batch": 128, "seq_len": 8192, "n_devices": 64}, step_s=full(2.8))
    assert found.tokens_per_step is not None
    assert found.tokens_per_s is not None
    assert found.tokens_per_s_per_device is not None
    assert found.tokens_per_step.value == 128 * 8192
    assert found.tokens_per_s.value == pytest.approx(128 * 8192 / 2.8)
    assert found.tokens_per_s_per_device.value == pytest.approx(128 * 8192 / 2.8 / 64)


@pytest.mark.parametrize(
    "columns",
    [
        {"global_batch": full(128.0)},
        {"n_samples": np.arange(1.0, N + 1) * 128},
        {"samples_per_s": full(128 / 2.8)},
    ],
)
def test_the_batch_comes_from_the_records_their_counter_or_their_rate(columns: dict[str, Column]) -> None:
    found = rates(stated={"seq_len": 8192}, step_s=full(2.8), **columns)
    assert found.global_batch is not None
    assert found.global_batch.value == 128


def test_a_token_counter_gives_tokens_and_with_the_batch_the_length() -> None:
    found = rates(stated={"global_batch": 4}, step_s=full(2.0), n_tokens=np.arange(1.0, N + 1) * 8192)
    assert found.tokens_per_step is not None
    assert found.seq_len is not None
    assert (found.tokens_per_step.value, found.seq_len.value, found.seq_len.basis) == (8192, 2048, "derived")


def test_a_batch_that_grows_gives_all_tokens_over_all_time_and_no_tokens_of_a_step() -> None:
    """Half the records with 4 sequences in 1 s, half with 8 in 1.5 s: 60,000 tokens in 12.5 s for lengths of 1,000."""
    batch = np.where(np.arange(N) < N // 2, 4.0, 8.0)
    found = rates(stated={"seq_len": 1000}, step_s=np.where(batch == 4, 1.0, 1.5), global_batch=batch)
    assert found.tokens_per_step is None
    assert found.global_batch is None
    assert found.tokens_per_s is not None
    assert found.tokens_per_s.value == pytest.approx(60_000 / 12.5)


def test_a_flag_for_the_batch_wins_over_the_records() -> None:
    given = Given(paths=("log",), global_batch=256, seq_len=1000)
    found = rates(given=given, step_s=full(1.0), global_batch=full(128.0))
    assert found.tokens_per_step is not None
    assert found.tokens_per_step.value == 256_000


def test_a_rate_of_sequences_gives_the_step_time() -> None:
    """Without durations, 128 sequences ÷ 64 sequences/s is a step of 2 s."""
    found = rates(stated={"global_batch": 128, "seq_len": 100}, samples_per_s=full(64.0))
    assert found.tokens_per_s is not None
    assert found.tokens_per_s.value == pytest.approx(6400)


def test_a_length_that_tokens_and_sequences_contradict_is_no_choice() -> None:
    """8,192 stated, 4,096 by tokens ÷ sequences: neither, unless a flag says which."""
    columns = {"step_s": full(1.0), "tokens_per_step": full(4096.0 * 4), "global_batch": full(4.0)}
    found = rates(stated={"seq_len": 8192}, **columns)
    assert found.seq_len is None
    assert [finding.code for finding in found.warnings] == ["W_DIFFERS"]
    found = rates(given=Given(paths=("log",), seq_len=8192), **columns)
    assert found.seq_len is not None
    assert found.seq_len.value == 8192


def test_a_rate_per_device_without_devices_leaves_the_whole_open() -> None:
    found = rates(step_s=full(1.0), tokens_per_s_per_device=full(5000.0))
    assert (found.tokens_per_s, found.tokens_per_step, found.n_devices) == (None, None, None)


def test_skipped_steps_count_once_and_only_where_they_were_kept() -> None:
    """Steps 4 and 9 were skipped, 9 before and not after the restart; without the column nothing is said."""
    step = np.array([1.0, 2, 3, 4, 9, 10, 9, 10, 11, 12])
    skipped = np.array([0.0, 0, 0, 1, 1, 0, 0, 0, 0, 0])
    series = Series(
        producer="x",
        producer_name="X",
        generation="",
        convention="",
        spans="step",
        columns={"step": step, "step_s": full(1.0), "n_skipped": skipped},
    )
    line = read_timeline(series, read_inputs(Given(paths=("log",)), series, None))
    assert describe_steps(line).skipped == 1
    bare = series.with_columns({"step": step, "step_s": full(1.0)})
    line = read_timeline(bare, read_inputs(Given(paths=("log",)), bare, None))
    assert describe_steps(line).skipped is None
