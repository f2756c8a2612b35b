"""Fine-tuning duration: steps and tokens by sequence, the parts of the time, money, the end, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.calculation import Calculation
from peakwise.core.chart import BarChart
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

RUN: dict[str, object] = {"examples": 50000, "epochs": 3, "tokens_per_example": 900, "tokens_per_s": 16400}


def _time(without: str = "", **changes: object) -> Calculation:
    return calculate("finetune-duration", {key: value for key, value in (RUN | changes).items() if key != without})


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def _refused(without: str = "", **changes: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        _time(without, **changes)
    return [(error.field, error.code) for error in caught.value.errors]


def test_the_time_is_its_parts_over_what_restarts_leave() -> None:
    stops = {"eval_every_steps": 200, "eval_s": 90, "checkpoint_every_steps": 500, "checkpoint_s": 30, "warmup_s": 60}
    answer = _time(**stops, rate_includes_eval="no", restarts_per_day=2, restart_min=10)
    training = 135_000_000 / 16400
    assert answer.train_s == pytest.approx(training)
    assert answer.duration_s == pytest.approx((training + 60 + 11 * 90 + 4 * 30) / (1 - 20 / 1440))


def test_a_part_of_an_epoch_is_whole_steps_counted_in_decimals() -> None:
    answer = _time(examples=640, epochs=1.1)
    assert (answer.results["steps"], answer.tokens_total) == (11, pytest.approx(640 * 900 * 1.1))
    assert _time(examples=640, epochs=1.11).results["steps"] == 12


def test_dropping_the_last_batch_drops_its_tokens_packed_or_not() -> None:
    assert _time(drop_last=True).tokens_total == 134_956_800
    packed = _time(drop_last=True, packed_sequences=1000, global_batch=64)
    assert packed.tokens_total == pytest.approx(135_000_000 * 960 / 1000)


def test_packed_sequences_follow_from_tokens_length_and_efficiency() -> None:
    answer = _time(examples=100, tokens_per_example=4096, packing=True, seq_len=8192, pack_efficiency_pct=80)
    assert answer.sequences_per_epoch == 63  # 100 × 4,096 ÷ (8,192 × 0.8) = 62.5
    exact = _time(examples=100, tokens_per_example=36.864, packing=True, seq_len=4096, pack_efficiency_pct=90)
    assert exact.sequences_per_epoch == 1
    assert _time(packing=True, packed_sequences=2608).sequences_per_epoch == 2608


def test_a_step_time_gives_the_time_and_a_band_of_its_own() -> None:
    answer = _time("tokens_per_s", step_s=3.5, efficiency_pct=50)
    assert answer.train_s == 2346 * 3.5
    assert answer.duration_high_s == pytest.approx(_value(answer, "duration_s") * 1.1)


def test_the_band_widens_with_a_low_efficiency_and_never_begins_before_the_run() -> None:
    known = _time(efficiency_pct=82)
    assert known.duration_high_s == pytest.approx(9499.444363152725)
    wide = _time(efficiency_pct=4)
    assert wide.duration_low_s == 0
    assert "W_ETA_LOW" in [warning.code for warning in wide.warnings]


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"packing": True}, [("seq_len", "E_REQ")]),
        ({"eval_s": 9, "checkpoint_s": 3}, [("eval_every_steps", "E_REQ"), ("checkpoint_every_steps", "E_REQ")]),
        ({"packing": False, "packed_sequences": 5}, [("packed_sequences", "E_CONFLICT")]),
        ({"drop_last": True, "global_batch": 60000}, [("global_batch", "E_RANGE")]),
        ({"restarts_per_day": 144, "restart_min": 10}, [("restart_min", "E_RANGE")]),
        ({"tokens_per_s": 1e-320}, [("tokens_per_s", "E_RANGE")]),
        ({"tokens_per_s": 1e-6, "start": "2026-11-30T22:00+01:00"}, [("start", "E_RANGE")]),
        ({"start": "2026-11-30T22:00"}, [("start", "E_FORMAT")]),
        ({"currency": "EURO"}, [("currency", "E_CHOICE")]),
        ({"step_s": 2}, [("step_s", "E_CONFLICT")]),
    ],
)
def test_what_leaves_no_run_is_refused(changes: dict[str, object], errors: list[tuple[str, str]]) -> None:
    assert _refused(**changes) == errors


def test_the_end_follows_from_the_start_in_its_own_zone_to_the_second() -> None:
    answer = _time(start="2026-11-30T22:00:00+01:00")
    assert answer.ends_at == "2026-12-01T00:17:12+01:00"
    assert _time().ends_at is None
    assert "start" in [lack.input for lack in _time().missing]


def test_money_is_in_the_stated_currency_in_any_case() -> None:
    answer = _time(currency="eur", kwh_price=0.2)
    assert answer.inputs["currency"].value == "EUR"
    assert answer.display["en"]["cost"] == "€45.73"  # pyright: ignore
    assert answer.energy_cost == pytest.approx(_value(answer, "energy_kwh") * 0.2)


def test_an_unknown_currency_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        _time(currency="euros")
    assert "EUR" in caught.value.expected


def test_energy_without_a_pue_is_that_of_the_accelerators() -> None:
    assert _time(pue=1).energy_kwh == pytest.approx(12.80, abs=5e-3)


def test_evaluation_that_the_rate_holds_is_repaired_by_leaving_it_out() -> None:
    answer = _time(eval_every_steps=200, eval_s=90, rate_includes_eval="yes")
    repaired = {key: value for key, value in answer.warnings[0].repair if value is not None}
    left = {"eval_every_steps", "eval_s"} - {key for key, value in answer.warnings[0].repair if value is None}
    assert (repaired, left) == ({}, set())


def test_the_link_leaves_out_what_is_at_its_default() -> None:
    assert _time(global_batch=64, accelerators=8, price_per_device_hour=2.5).link == (
        "/en/finetune-duration?v=1&ex=50000&ep=3&T=900&tps=16400&gbs=64&acc=8&gpu_h=2.5"
    )


@given(
    examples=st.integers(1, 10**7),
    batch=st.integers(1, 10**5),
    epochs=st.integers(1, 20),
    warmup=st.floats(0, 1e5),
)
def test_steps_hold_every_sequence_and_the_bars_sum_to_the_whole(
    examples: int, batch: int, epochs: int, warmup: float
) -> None:
    answer = _time(
        examples=examples, global_batch=batch, epochs=epochs, warmup_s=warmup, restarts_per_day=1, restart_min=30
    )
    assert (_value(answer, "steps_per_epoch") - 1) * batch < examples <= _value(answer, "steps_per_epoch") * batch
    assert answer.charts is not None
    parts, band = answer.charts()
    assert isinstance(parts, BarChart)
    assert isinstance(band, BarChart)
    *bars, whole = parts.bars
    assert sum(bar.value or 0 for bar in bars) == pytest.approx(whole.value)
    low, likely, high = (bar.value or 0 for bar in band.bars)
    assert low < likely < high
