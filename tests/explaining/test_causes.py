"""What is modelled inside steps, and the table of causes."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.measurement import Schedule
from peakwise.core.waterfall import Cause
from peakwise.explaining.causes import KINDS, model_bubble, model_recompute
from peakwise.report.views.explain import LABELS


@pytest.mark.parametrize(
    ("pp", "vp", "m", "expected"),
    [(1, 1, 8, 0.0), (4, 1, 8, 3 / 11), (4, 2, 8, 3 / 19), (16, 1, 64, 15 / 79), (2, 1, 1, 0.5)],
)
def test_the_bubble_is_the_schedules(pp: int, vp: int, m: int, expected: float) -> None:
    """(p − 1) ÷ (v·m + p − 1)."""
    assert model_bubble(Schedule(pp=pp, vp=vp, n_microbatches=m)) == pytest.approx(expected, abs=1e-15)


@given(st.integers(1, 100), st.integers(1, 8), st.integers(1, 1000))
def test_more_micro_batches_and_more_parts_make_the_bubble_smaller(pp: int, vp: int, m: int) -> None:
    bubble = model_bubble(Schedule(pp=pp, vp=vp, n_microbatches=m))
    assert 0 <= bubble < 1
    assert model_bubble(Schedule(pp=pp, vp=vp, n_microbatches=m + 1)) <= bubble
    assert model_bubble(Schedule(pp=pp, vp=vp + 1, n_microbatches=m)) <= bubble


def test_recompute_is_what_hfu_has_more_than_mfu() -> None:
    assert model_recompute(0.3, 0.4) == pytest.approx(0.1)


def test_a_schedule_without_stages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one stage"):
        Schedule(pp=0, vp=1, n_microbatches=1)


def test_every_cause_is_in_the_table_once_and_has_a_label() -> None:
    causes = [kind.cause for kind in KINDS]
    assert sorted(causes) == sorted(get_args(Cause))
    assert set(LABELS) == set(causes)
