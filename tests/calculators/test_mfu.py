"""The MFU calculator: laws, warnings with cause and repair, and what a chip gives."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.calculation import Calculation
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

SEED: dict[str, object] = {"workload": "inference", "params_b": 70, "tokens_per_s": 2000, "peak_tflops": 989}
TRAINING = SEED | {"workload": "training"}

PARAMS = st.floats(min_value=0.001, max_value=2000)
RATE = st.floats(min_value=0.01, max_value=1e7)
PEAK = st.floats(min_value=1, max_value=1e5)
WORKLOAD = st.sampled_from(["inference", "training"])


def _mfu(**inputs: object) -> Calculation:
    return calculate("mfu", inputs)


def _codes(answer: Calculation) -> set[str]:
    return {warning.code for warning in answer.warnings}


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def test_the_shown_example_by_units_gives_the_fraction_and_no_band() -> None:
    answer = calculate(
        "mfu",
        {"workload": "inference", "params_b": "70B", "tokens_per_s": "2000", "peak_tflops": "989 TFLOP/s"},
        face="flag",
    )
    assert answer.flop_per_s == 2.8e14
    assert answer.mfu == pytest.approx(0.28311425682507585, rel=1e-12)
    assert (answer.band, answer.band_applies, answer.warnings) == ("average", False, ())
    assert answer.link == "/en/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1"
    assert answer.report.headline == "280.0 of 989 TFLOP/s"


def test_a_named_chip_gives_its_peak_and_memory_and_the_weights_do_not_fit() -> None:
    answer = _mfu(workload="inference", params_b=70, tokens_per_s=2000, chip="h100-sxm")
    assert answer.inputs["peak_tflops"].value == 989.4
    assert answer.inputs["peak_tflops"].source == "h100-sxm, dense bf16"
    assert answer.inputs["memory_gb"].value == 80
    assert _codes(answer) == {"W_FIT"}
    assert answer.warnings[0].fix == "--devices 2"
    assert answer.mfu_math_peak == answer.mfu


def test_a_typed_value_wins_over_the_chips() -> None:
    answer = _mfu(workload="inference", params_b=70, tokens_per_s=2000, chip="h100-sxm", peak_tflops=495, memory_gb=200)
    assert answer.peak_flop_per_s == 495e12
    assert "W_FIT" not in _codes(answer)


def test_an_fp8_run_on_a_named_chip_divides_by_the_16_bit_peak_and_also_by_its_own() -> None:
    answer = _mfu(workload="training", params_b=8, tokens_per_s=10000, chip="h100-sxm", precision="fp8")
    assert answer.peak_flop_per_s == 989.4e12
    assert _value(answer, "mfu_math_peak") == pytest.approx(_value(answer, "mfu") * 989.4 / 1978.9)


def test_a_chip_without_a_peak_for_the_run_is_refused_with_what_it_has() -> None:
    with pytest.raises(InputError) as caught:
        _mfu(workload="training", params_b=8, tokens_per_s=1000, chip="a100-sxm-80", denominator="fp8")
    assert (caught.value.field, caught.value.code) == ("denominator", "E_CHOICE")
    assert "bf16" in caught.value.expected


def test_more_active_parameters_than_there_are_is_out_of_range() -> None:
    with pytest.raises(InputError) as caught:
        calculate("mfu", TRAINING | {"active_params_b": 71})
    assert (caught.value.field, caught.value.code) == ("active_params_b", "E_RANGE")


def test_above_the_peak_the_result_stays_and_each_cause_has_its_mfu_and_repair() -> None:
    answer = calculate("mfu", TRAINING | {"tokens_per_s": 20000, "accelerators": 8}, face="flag")
    assert answer.mfu == pytest.approx(1.0617, abs=1e-4)
    assert [(cause.text, cause.value and round(cause.value, 3), cause.fix) for cause in answer.causes] == [
        ("the rate comes from 16 accelerators, not 8", 0.531, "--devices 16"),
        ("weights are frozen: 4N per token, not 6N", 0.708, "--workload custom --flops-per-param 4"),
        ("a mixture of experts: only active ones count", None, "--active-params N"),
        ("the peak belongs to a faster chip or type", None, "--chip CHIP"),
    ]
    assert _codes(answer) == {"E_OVER"}
    assert answer.report.headline == "8,400.0 TFLOP/s on hardware that can do 7,912"


def test_each_cause_with_an_mfu_gives_that_mfu_when_its_repair_is_typed() -> None:
    inputs = TRAINING | {"tokens_per_s": 20000, "accelerators": 8}
    repairs: list[dict[str, object]] = [{"accelerators": 16}, {"workload": "custom", "flops_per_param": 4}]
    for cause, repair in zip(calculate("mfu", inputs).causes, repairs, strict=False):
        assert calculate("mfu", inputs | repair).mfu == pytest.approx(cause.value)


def test_a_rate_per_accelerator_above_the_peak_is_likely_the_total() -> None:
    answer = _mfu(workload="training", params_b=70, tokens_per_s_per_device=8000, peak_tflops=989, accelerators=8)
    assert answer.causes[0].fix == "--rate 8000"
    assert answer.causes[0].value == pytest.approx(_value(answer, "mfu") / 8)


def test_the_total_of_a_catalogued_mixture_names_its_active_parameters() -> None:
    answer = calculate("mfu", TRAINING | {"params_b": 671, "tokens_per_s": 1541.7})
    finding = next(warning for warning in answer.warnings if warning.code == "W_MOE")
    assert "DeepSeek-V3" in finding.message
    assert finding.fix.startswith("--active-params 37.5")
    assert answer.band_applies is False


def test_a_sparse_or_narrower_peak_names_the_dense_one() -> None:
    answer = calculate("mfu", TRAINING | {"params_b": 8, "peak_tflops": 1979})
    finding = next(warning for warning in answer.warnings if warning.code == "W_PREC")
    assert "sparse bf16" in finding.message or "dense fp8" in finding.message
    assert finding.fix == '--peak "989.4 TFLOP/s"'


@pytest.mark.parametrize(("peak", "found"), [(1979, True), (1977.5, True), (1971, False), (989, False), (756, False)])
def test_a_figure_counts_as_catalogued_within_a_thousandth(peak: float, *, found: bool) -> None:
    answer = calculate("mfu", TRAINING | {"params_b": 8, "peak_tflops": peak})
    assert ("W_PREC" in _codes(answer)) is found


def test_the_total_of_a_known_mixture_is_the_first_cause_of_an_impossible_figure() -> None:
    answer = _mfu(workload="training", params_b=671, tokens_per_s=1541.7, chip="h100-sxm")
    assert answer.causes[0].fix.startswith("--active-params 37.5")
    repaired = _mfu(
        workload="training", params_b=671, tokens_per_s=1541.7, chip="h100-sxm", active_params_b=37.552282624
    )
    assert answer.causes[0].value == pytest.approx(repaired.mfu)


def test_an_hfu_above_one_is_named_with_its_cause() -> None:
    answer = calculate("mfu", TRAINING | {"tokens_per_s": 2200, "recompute_fraction": 1})
    assert answer.warnings[0].message.startswith("HFU is 124.6 %, above the peak")
    assert answer.causes[0].fix == "--recompute-fraction F"


def test_a_figure_above_the_named_chips_own_peak_is_named_with_its_cause() -> None:
    answer = calculate(
        "mfu", TRAINING | {"params_b": 8, "tokens_per_s": 25000, "peak_tflops": 1900, "chip": "h100-sxm"}
    )
    assert answer.warnings[0].message.startswith("MFU over the chip's bf16 peak is 121.3 %")
    assert answer.causes[0].fix == "--chip CHIP"


def test_a_chip_rated_at_boost_may_pass_its_peak_and_says_so_first() -> None:
    answer = _mfu(workload="training", params_b=8, tokens_per_s=4600, chip="rtx-5090")
    assert "boost" in answer.causes[0].text


def test_a_chip_named_by_its_device_name_is_linked_by_its_id() -> None:
    answer = _mfu(workload="inference", params_b=7, tokens_per_s=2000, chip="NVIDIA H100 80GB HBM3")
    assert answer.inputs["chip"].value == "h100-sxm"
    assert answer.link == "/en/mfu?v=1&w=inf&n=7&tps=2000&acc=1&hw=h100-sxm"


def test_a_denominator_narrower_than_the_run_is_found() -> None:
    answer = calculate("mfu", TRAINING | {"params_b": 8, "peak_tflops": 777, "denominator": "fp8"})
    assert _codes(answer) == {"W_PREC"}


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"tokens_per_s": 1540, "accelerators": 1}, {"W_HIGH"}),  # 65.4 %
        ({"tokens_per_s": 1520, "accelerators": 1}, set[str]()),  # 64.5 %
        ({"workload": "inference", "tokens_per_s": 2900}, {"W_HIGH"}),  # 41.1 % on one
        ({"workload": "inference", "tokens_per_s": 5800, "accelerators": 2}, set[str]()),  # 41.1 % on two
        ({"tokens_per_s": 1000, "accelerators": 8}, {"W_BASIS"}),  # 5.3 %, times 8 is 42.5 %
        ({"tokens_per_s": 100, "accelerators": 8}, set[str]()),  # 0.5 %, times 8 is 4.2 %
    ],
)
def test_rarely_reached_figures_and_mixed_up_bases_are_found(changes: dict[str, object], codes: set[str]) -> None:
    assert _codes(calculate("mfu", TRAINING | changes)) == codes


def test_a_rate_typed_per_accelerator_is_never_taken_for_a_total() -> None:
    answer = _mfu(workload="training", params_b=70, tokens_per_s_per_device=125, peak_tflops=989, accelerators=8)
    assert "W_BASIS" not in _codes(answer)


def test_a_batch_of_one_accelerator_typed_as_the_global_one_is_found() -> None:
    answer = _mfu(
        workload="training", params_b=8, peak_tflops=989, step_s=8, global_batch=10, seq_len=8192, accelerators=8
    )
    finding = next(warning for warning in answer.warnings if warning.code == "W_BASIS")
    assert (finding.input, finding.fix) == ("global_batch", "--global-batch N")


def test_attention_without_its_shapes_is_left_out_where_the_work_of_a_token_is_stated() -> None:
    answer = _mfu(workload="training", flop_per_token=4.2e11, tokens_per_s=900, peak_tflops=989, attention="causal")
    assert answer.flop_per_token == 4.2e11


def test_hfu_names_its_missing_input_in_training_and_does_not_apply_to_inference() -> None:
    assert [lack.to_dict() for lack in calculate("mfu", TRAINING).missing] == [
        {"input": "recompute_fraction", "why": "hfu: recompute is not stated", "how": "--recompute-fraction F"}
    ]
    narrow = calculate("mfu", SEED | {"precision": "fp8"})
    assert [lack.input for lack in narrow.missing] == ["chip"]
    assert calculate("mfu", SEED).missing == ()


def test_attention_of_a_window_as_long_as_the_sequence_is_that_of_no_window() -> None:
    shapes: dict[str, object] = {"attention": "causal", "n_layers": 32, "d_q": 4096, "seq_len": 8192}
    for pairs in ("exact", "half"):
        plain = calculate("mfu", TRAINING | shapes | {"pairs": pairs})
        windowed = calculate("mfu", TRAINING | shapes | {"pairs": pairs, "window": 8192})
        assert plain.flop_per_token == windowed.flop_per_token


@given(params=PARAMS, rate=RATE, peak=PEAK, workload=WORKLOAD)
def test_doubling_the_peak_halves_mfu(params: float, rate: float, peak: float, workload: str) -> None:
    once, twice = (
        _mfu(workload=workload, params_b=params, tokens_per_s=rate, peak_tflops=value) for value in (peak, 2 * peak)
    )
    assert math.isclose(_value(once, "mfu"), 2 * _value(twice, "mfu"), rel_tol=1e-12)


@given(params=PARAMS, rate=RATE, peak=PEAK, workload=WORKLOAD)
def test_eight_accelerators_divide_mfu_by_eight(params: float, rate: float, peak: float, workload: str) -> None:
    one, eight = (
        _mfu(workload=workload, params_b=params, tokens_per_s=rate, peak_tflops=peak, accelerators=n) for n in (1, 8)
    )
    assert math.isclose(_value(one, "mfu"), 8 * _value(eight, "mfu"), rel_tol=1e-12)


@given(params=st.integers(1, 1000), rate=st.integers(1, 10**6), peak=st.integers(1, 10**4))
def test_a_change_of_unit_changes_nothing(params: int, rate: int, peak: int) -> None:
    plain = _mfu(workload="training", params_b=params, tokens_per_s=rate, peak_tflops=peak)
    typed = _mfu(
        workload="training",
        params_b=f"{params}B",
        tokens_per_s=f"{rate / 1000:.3f}k tok/s" if rate % 1000 == 0 else str(rate),
        peak_tflops=f"{peak}e12 FLOP/s",
    )
    assert plain.results == typed.results


@given(
    params=PARAMS,
    rate=RATE,
    peak=PEAK,
    workload=WORKLOAD,
    devices=st.integers(1, 10**5),
    recompute=st.none() | st.floats(0, 1),
)
def test_no_utilization_is_above_one_without_its_warning_and_cause(
    *, params: float, rate: float, peak: float, workload: str, devices: int, recompute: float | None
) -> None:
    answer = _mfu(
        workload=workload,
        params_b=params,
        tokens_per_s=rate,
        peak_tflops=peak,
        accelerators=devices,
        recompute_fraction=recompute,
    )
    over = any((answer.results[key] or 0) > 1 for key in ("mfu", "hfu", "mfu_wall", "mfu_math_peak"))  # pyright: ignore
    assert ("E_OVER" in _codes(answer)) is over
    assert bool(answer.causes) is over
    assert not ({"E_OVER", "W_HIGH"} <= _codes(answer))


@given(seq_len=st.integers(1, 10**6), window=st.integers(1, 10**6))
def test_attention_grows_from_window_over_causal_to_full(seq_len: int, window: int) -> None:
    shapes: dict[str, object] = {"n_layers": 2, "d_q": 64, "seq_len": seq_len}
    windowed = calculate("mfu", TRAINING | shapes | {"attention": "causal", "window": window})
    causal = calculate("mfu", TRAINING | shapes | {"attention": "causal"})
    full = calculate("mfu", TRAINING | shapes | {"attention": "full"})
    values = [_value(answer, "flop_per_token") for answer in (windowed, causal, full)]
    assert values[0] <= values[1] * (1 + 1e-12) <= values[2] * (1 + 1e-11)
