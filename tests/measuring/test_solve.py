"""The length that a log implies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.measuring.solve import LoggedWork, solve_seq_len
from peakwise.measuring.utilization import measure_mfu

BASE, SLOPE = 45_031_145_472, 1_572_864  # 6 (N − embedding) and 12·L·H·d of Llama-3.1-8B


def rule(length: int) -> float:
    return BASE + SLOPE * length


@given(st.integers(1, 4096).map(lambda k: 64 * k), st.floats(1e-6, 1e-5))
def test_length_is_solved_from_rounded_figures(length: int, digits: float) -> None:
    """Whatever the log's last digits hide, the roundest length within them is found, and the rule holds there."""
    work = LoggedWork(low=rule(length) * (1 - digits), high=rule(length) * (1 + digits))
    solved = solve_seq_len(work, rule)
    assert solved is not None
    assert work.low <= rule(solved) <= work.high


def test_llama_at_8192_is_solved() -> None:
    """57.91 GFLOP per token by torchtitan's rule is a length of 8,192."""
    assert solve_seq_len(LoggedWork(low=57.909e9, high=57.917e9), rule) == 8192


@pytest.mark.parametrize("work", [LoggedWork(low=1e9, high=1.1e9), LoggedWork(low=1e20, high=1.1e20)])
def test_no_length_is_forced_where_none_fits(work: LoggedWork) -> None:
    """A figure below the weights alone, or beyond any length, solves to nothing."""
    assert solve_seq_len(work, rule) is None


def test_rule_without_attention_or_that_does_not_apply_solves_nothing() -> None:
    """6N has no length in it; a rule that does not apply gives none."""
    work = LoggedWork(low=45e9, high=46e9)
    assert solve_seq_len(work, lambda _: 45.5e9) is None
    assert solve_seq_len(work, lambda _: None) is None


@given(st.floats(1e9, 1e13), st.floats(1, 1e6), st.floats(1e12, 1e16))
def test_doubling_the_peak_halves_mfu(work: float, rate: float, peak: float) -> None:
    """MFU is inverse to the peak."""
    assert measure_mfu(work, rate, 2 * peak) == pytest.approx(measure_mfu(work, rate, peak) / 2, rel=1e-12)
