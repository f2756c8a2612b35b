"""Fine-tuning throughput: what contradicts is refused with all its reasons, what cannot be is flagged, charts agree."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.calculation import Calculation
from peakwise.core.chart import LineChart
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

SEED: dict[str, object] = {
    "accelerators": 8,
    "tokens_per_s_per_device": 2500,
    "efficiency_pct": 82,
    "tokens_per_example": 900,
}
POINTS: dict[str, object] = {"batch": 6, "batch_lo": 4, "rate_lo": 2000, "batch_hi": 8, "rate_hi": 2600}
PAIR: dict[str, object] = {"rate_at_1": 2500, "devices_at_n": 8, "rate_at_n": 16400}


def _rate(without: str = "", **changes: object) -> Calculation:
    return calculate("finetune-throughput", {key: value for key, value in (SEED | changes).items() if key != without})


def _refused(without: str = "", **changes: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        _rate(without, **changes)
    return [(error.field, error.code) for error in caught.value.errors]


def _codes(answer: Calculation) -> list[str]:
    return [warning.code for warning in answer.warnings]


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"output_tokens": 5}, [("output_tokens", "E_CONFLICT")]),
        ({"rate_at_n": 5}, [("rate_at_n", "E_CONFLICT")]),
        ({"batch_lo": 4, "rate_hi": 5}, [("batch_lo", "E_CONFLICT"), ("rate_hi", "E_CONFLICT")]),
        ({"rate_lo": 5}, [(key, "E_REQ") for key in ("batch", "batch_lo", "batch_hi", "rate_hi")]
         + [("rate_lo", "E_CONFLICT")]),
        ({"lengths": [5]}, [("lengths", "E_CONFLICT")]),
        ({"tokens_per_example": 1e-320}, [("tokens_per_example", "E_RANGE")]),
    ],
)  # fmt: skip
def test_what_says_a_thing_twice_or_by_half_is_refused(
    changes: dict[str, object], errors: list[tuple[str, str]]
) -> None:
    assert _refused(**changes) == errors


@pytest.mark.parametrize(
    ("without", "changes", "field"),
    [
        ("tokens_per_example", {"input_tokens": 0, "output_tokens": 0}, "input_tokens"),
        ("tokens_per_s_per_device", POINTS | {"batch_hi": 4}, "batch_hi"),
        ("efficiency_pct", PAIR | {"rate_at_1": 0}, "rate_at_1"),
        ("efficiency_pct", PAIR | {"rate_at_n": 0}, "rate_at_n"),
        ("efficiency_pct", PAIR | {"rate_at_n": 20001}, "rate_at_n"),
    ],
)
def test_numbers_from_which_nothing_follows_are_out_of_range(
    without: str, changes: dict[str, object], field: str
) -> None:
    assert _refused(without, **changes) == [(field, "E_RANGE")]


def test_perfect_scaling_is_no_error_where_its_quotient_is_above_1_by_rounding() -> None:
    pair = PAIR | {"devices_at_n": 3, "rate_at_1": 3.3, "rate_at_n": 9.9}
    assert _value(_rate("efficiency_pct", **pair), "efficiency_used") == pytest.approx(1)


def test_the_two_points_may_stand_in_either_order() -> None:
    swapped = {"batch": 6, "batch_lo": 8, "rate_lo": 2600, "batch_hi": 4, "rate_hi": 2000}
    both = [_rate("tokens_per_s_per_device", **points) for points in (POINTS, swapped)]
    assert both[0].tokens_per_s == both[1].tokens_per_s


def test_a_batch_outside_the_points_names_the_nearest_that_has_a_rate() -> None:
    answer = _rate("tokens_per_s_per_device", **POINTS | {"batch": 12})
    assert (answer.warnings[0].fix, answer.warnings[0].repair) == ("--batch 8", (("batch", 8),))
    assert answer.missing[0].input == "batch"
    assert answer.report.headline == "no rate: the batch lies outside the measured points"


def test_a_rate_of_0_leaves_only_the_time_of_an_example_unknown() -> None:
    answer = _rate(tokens_per_s_per_device=0)
    assert (answer.examples_per_s, answer.device_s_per_1000_examples) == (0, None)
    assert "tokens_per_s_per_device" in [lack.input for lack in answer.missing]


def test_null_results_name_what_they_lack() -> None:
    assert [lack.input for lack in _rate().missing] == ["rate_at_1", "params_b", "peak_tflops"]
    full = _rate("efficiency_pct", **PAIR, flop_per_token=4.8e10, peak_tflops=989)
    assert full.missing == ()


@pytest.mark.parametrize(
    ("eta", "devices", "codes"),
    [
        (29.9, 8, ["W_ETA_LOW"]),
        (30, 8, []),
        (97, 64, []),
        (97.1, 9, ["W_ETA_HIGH"]),
        (97.1, 8, []),
        (1, 8, ["W_FRACTION"]),
    ],
)
def test_an_efficiency_is_flagged_outside_30_to_97_percent(eta: float, devices: int, codes: list[str]) -> None:
    assert _codes(_rate(efficiency_pct=eta, accelerators=devices)) == codes


def test_an_mfu_above_the_peak_is_kept_with_the_repair_that_would_mend_it() -> None:
    answer = _rate(tokens_per_s_per_device=20000, params_b=8, peak_tflops=400)
    assert _codes(answer) == ["E_OVER"]
    assert _value(answer, "mfu") > 1
    whole = answer.causes[0]
    mended = _rate(**(SEED | {"params_b": 8, "peak_tflops": 400} | dict(whole.repair)))
    assert mended.mfu == pytest.approx(whole.value)


def test_a_training_above_65_percent_is_rarely_so() -> None:
    assert _codes(_rate(tokens_per_s_per_device=17000, params_b=8, peak_tflops=989)) == ["W_HIGH"]
    assert _codes(_rate(tokens_per_s_per_device=16000, params_b=8, peak_tflops=989)) == []


def test_a_stated_work_of_a_token_wins_over_its_parameters() -> None:
    assert _rate(params_b=8, flop_per_token=1e9, peak_tflops=989).mfu == _rate(flop_per_token=1e9, peak_tflops=989).mfu


@given(
    devices=st.integers(1, 10_000),
    rate=st.floats(0.1, 1e6),
    eta=st.floats(2, 100),
    tokens=st.floats(1, 1e6),
)
def test_all_rates_are_one_rate_in_other_units(devices: int, rate: float, eta: float, tokens: float) -> None:
    answer = calculate(
        "finetune-throughput",
        {
            "accelerators": devices,
            "tokens_per_s_per_device": rate,
            "efficiency_pct": eta,
            "tokens_per_example": tokens,
        },
    )
    examples = _value(answer, "examples_per_s")
    assert math.isclose(examples * tokens, _value(answer, "tokens_per_s"), rel_tol=1e-9)
    assert math.isclose(examples * 86400, _value(answer, "examples_per_day"), rel_tol=1e-9)
    assert math.isclose(_value(answer, "device_s_per_1000_examples") * examples, devices * 1000, rel_tol=1e-9)


def test_the_charts_pass_through_the_answer_and_the_quantiles() -> None:
    answer = _rate("tokens_per_example", lengths=[450, 900, 2100, 4096])
    assert answer.charts is not None
    length, scaling = answer.charts()
    assert isinstance(length, LineChart)
    assert isinstance(scaling, LineChart)
    now = next(mark for mark in length.marks if mark.style == "now")
    assert (now.x, now.y) == (answer.tokens_per_example_used, answer.examples_per_s)
    assert [mark.key for mark in length.marks] == ["p50", "now", "p90", "p99"]
    assert dict(scaling.lines[0].points)[8] == pytest.approx(0.82)
    assert dict(scaling.lines[0].points)[1] == 1


def test_there_is_no_chart_without_a_rate_and_no_scaling_from_one_accelerator() -> None:
    outside = _rate("tokens_per_s_per_device", **POINTS | {"batch": 12})
    assert outside.charts is not None
    assert outside.charts() == ()
    one = _rate(accelerators=1)
    assert one.charts is not None
    assert [chart.name for chart in one.charts()] == ["length"]
