"""Where published figures went wrong: each kind of mistake by its id, with the tests that would catch it here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import peakwise as pw
from peakwise.core.calculation import Calculation
from peakwise.core.units import from_tera
from peakwise.facts.chips import chip_by_id
from peakwise.verbs.calc import calculate

HERE = Path(__file__).parent
CASES = "calculators/test_cases_acceptance.py"
TUNING = "calculators/test_requirements_tuning.py"
PAGE = "web/test_requirements_page.py"
LANGUAGES = "web/test_requirements_languages.py"

# Each mistake by its id, and the tests that hold the right figure or the warning; without a path they stand here.
COVERED: dict[str, tuple[str, ...]] = {
    "B01": (  # the peak of another chip, fixed in the code
        f"{CASES}::test_b01_a_fixed_peak_of_another_chip_is_an_error_state_and_no_chip_is_guessed",
        "test_bugs.py::test_an_unknown_device_is_refused_and_not_an_a100",
    ),
    "B02": (f"{CASES}::test_b02_a_dense_peak_is_never_halved_again",),
    "B04": (  # a peak that was given, and another that divided
        f"{CASES}::test_b04_the_peak_that_is_printed_is_the_peak_that_divided",
        "test_b04_every_face_of_the_mfu_names_the_peak_that_it_divided_by",
    ),
    "B05": (
        f"{TUNING}::test_b05_tokens_of_16_devices_are_never_divided_by_one_and_their_time_asks_for_evaluation",
        "test_bugs.py::test_all_devices_tokens_over_one_devices_peak_is_16_times_too_much",
    ),
    "B07": (
        f"{TUNING}::test_b07_tokens_a_second_times_flops_of_a_token_are_the_flops_of_the_mfu",
        "test_b07_the_rate_shown_times_the_work_shown_is_the_flops_shown",
    ),
    "B09": (
        f"{TUNING}::test_b09_more_accelerators_at_one_efficiency_leave_the_mfu_and_never_divide_it",
        "test_b09_a_batch_of_one_accelerator_over_all_of_them_is_found",
    ),
    "B10": (f"{TUNING}::test_b10_short_samples_are_not_billed_by_the_context",),
    "B11": ("test_b11_adapters_are_not_counted_as_full_training",),
    "B12": (
        f"{TUNING}::test_b12_frozen_weights_save_a_third_and_not_95_percent",
        "test_b12_a_plan_with_five_percent_of_the_work_is_thirteen_times_too_short",
    ),
    "B14": (
        f"{CASES}::test_b14_all_experts_in_a_dense_field_are_an_error_with_the_active_ones_as_hint",
        "test_bugs.py::test_a_token_meets_only_its_experts",
    ),
    "B15": (
        "test_b15_the_stated_width_of_a_feed_forward_is_the_one_that_is_counted",
        "test_b15_dense_layers_between_layers_of_experts_keep_their_work",
    ),
    "B16": (f"{CASES}::test_b16_two_releases_by_two_rules_are_no_regression",),
    "B19": (
        f"{CASES}::test_b19_a_measured_rate_past_the_hardware_is_an_error_state",
        f"{PAGE}::test_requirement_24_above_the_peak_is_an_error_and_no_result",
        "test_b19_the_rate_of_the_report_is_380_percent_and_never_a_plain_number",
    ),
    "B21": (f"{TUNING}::test_b21_steps_follow_from_sequences_packed_or_not",),
    "B22": (
        "test_b22_a_separator_of_another_region_never_moves_the_decimal_point_unasked",
        f"{LANGUAGES}::test_requirement_92_every_cell_of_the_table_of_typed_numbers_reads_as_it_says",
    ),
}
# The cases; numbers that lack are those of reports which were set aside.
ROWS = ("B01", "B02", "B04", "B05", "B07", "B09", "B10", "B11", "B12", "B14", "B15", "B16", "B19", "B21", "B22")

LLAMA_3 = {"n_layers": 32, "d_model": 4096, "d_q": 4096, "d_kv": 1024, "d_ff": 14336, "vocab_size": 128256}
LLAMA_2 = {"n_layers": 32, "d_model": 4096, "d_q": 4096, "d_kv": 4096, "d_ff": 11008, "vocab_size": 32000}


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def _codes(answer: Calculation) -> list[str]:
    return [warning.code for warning in answer.warnings]


def test_b04_every_face_of_the_mfu_names_the_peak_that_it_divided_by() -> None:
    """989 against 1,979: the same run is 42 or 21 %, and the figure printed is the one that divided."""
    for peak, mfu in ((989, 0.42), (1979, 0.2099)):
        run = {"workload": "training", "flop_per_token": 1e9, "tokens_per_s": 415380, "peak_tflops": peak}
        answer = calculate("mfu", run)
        assert answer.mfu == pytest.approx(mfu, abs=5e-5)
        assert _value(answer, "mfu") * _value(answer, "peak_flop_per_s") == pytest.approx(answer.flop_per_s)
        assert answer.report.headline == f"415.4 of {peak:,} TFLOP/s"
        assert answer.inputs["peak_tflops"].value == peak


def test_b07_the_rate_shown_times_the_work_shown_is_the_flops_shown() -> None:
    """A step of 8 micro-batches: the tokens of all of them over the time of all of them."""
    step = {"workload": "training", "params_b": 8, "step_s": 4.0, "seq_len": 4096, "peak_tflops": 989}
    answer = calculate("mfu", step | {"global_batch": 8})
    assert _value(answer, "tokens_per_s_total") == 8 * 4096 / 4.0
    assert _value(answer, "tokens_per_s_total") * _value(answer, "flop_per_token") == answer.flop_per_s


def test_b09_a_batch_of_one_accelerator_over_all_of_them_is_found() -> None:
    """8 accelerators: a true 40 % shown as 5 %, which is exactly its eighth."""
    step = {"workload": "training", "params_b": 8, "step_s": 8.0, "seq_len": 8192, "peak_tflops": 989}
    right = calculate("mfu", step | {"global_batch": 64, "accelerators": 8})
    assert (right.mfu, _codes(right)) == (pytest.approx(0.3976, abs=5e-5), [])
    wrong = calculate("mfu", step | {"global_batch": 8, "accelerators": 8})
    assert _value(wrong, "mfu") == pytest.approx(_value(right, "mfu") / 8)
    assert _codes(wrong) == ["W_BASIS"]


def test_b11_adapters_are_not_counted_as_full_training() -> None:
    """Llama-3.1-8B at 2,048: 46.6 GFLOP a token in full, 31.8 with adapters, so an MFU 1.46 times too high."""
    shapes = LLAMA_3 | {"seq_len": 2048}
    full = calculate("method-flops", shapes | {"method": "full"})
    adapters = calculate("method-flops", shapes | {"method": "lora", "lora_rank": 16})
    works = [_value(answer, "flop_per_token") for answer in (full, adapters)]
    assert works == [pytest.approx(46.64e9, abs=0.005e9), pytest.approx(31.83e9, abs=0.005e9)]
    assert works[0] / works[1] == pytest.approx(1.465, abs=0.005)
    run = {"workload": "training", "tokens_per_s": 8000, "peak_tflops": 989}
    over, right = (calculate("mfu", run | {"flop_per_token": work}) for work in works)
    assert _value(over, "mfu") / _value(right, "mfu") == pytest.approx(1.465, abs=0.005)
    tied, untied = (calculate("flops-per-token", shapes | {"tied": tied}) for tied in (True, False))
    assert tied.training_flop_per_token == untied.training_flop_per_token  # the head is 2hV a token in both
    peaks = [chip_by_id(chip).peak_flop_per_s("bf16") for chip in ("rtx-4090", "h100-pcie", "h100-sxm")]
    assert peaks == [from_tera(165.2), from_tera(756.4), from_tera(989.4)]


def test_b12_a_plan_with_five_percent_of_the_work_is_thirteen_times_too_short() -> None:
    """Frozen weights keep 4N of 6N; 0.05 × 6N is a thirteenth of that."""
    full, frozen = (calculate("method-flops", {"method": method, "params_b": 7}) for method in ("full", "lora"))
    work = _value(frozen, "flop_per_token")
    assert work == 4 * 7e9
    assert work / _value(full, "flop_per_token") == pytest.approx(2 / 3)
    assert work / (0.05 * 6 * 7e9) == pytest.approx(13.3, abs=0.05)


def test_b15_the_stated_width_of_a_feed_forward_is_the_one_that_is_counted() -> None:
    """Llama-2-7B's shapes, 10¹² tokens: 2.60e22 in the feed-forward layers, 4.61e22 full, 4.29e22 causal."""
    shapes = LLAMA_2 | {"seq_len": 4096}
    causal, full = (calculate("flops-per-token", shapes | {"attention": rule}) for rule in ("causal", "full"))
    assert 3 * _value(full, "part_ffn") * 1e12 == pytest.approx(2.60e22, abs=0.005e22)
    totals = [_value(answer, "training_flop_per_token") * 1e12 for answer in (full, causal)]
    assert totals == [pytest.approx(4.61e22, abs=0.005e22), pytest.approx(4.29e22, abs=0.005e22)]
    assert _value(full, "backward_flop_per_token") == 2 * _value(full, "forward_flop_per_token")  # the head's too
    default = calculate("method-flops", shapes | {"method": "full", "attention": "full"})
    assert _value(default, "flop_per_token") == _value(full, "training_flop_per_token")  # no recompute


def test_b15_dense_layers_between_layers_of_experts_keep_their_work() -> None:
    """Two experts for a token in every second layer: 1.5 times the dense feed-forward work, not 1.0."""
    dense = calculate("flops-per-token", LLAMA_2 | {"seq_len": 4096})
    experts = {"n_experts": 8, "top_k": 2, "d_expert": 11008, "n_moe_layers": 16}
    mixed = calculate("flops-per-token", LLAMA_2 | {"seq_len": 4096} | experts)
    assert _value(mixed, "part_ffn") == 1.5 * _value(dense, "part_ffn")


def test_b19_the_rate_of_the_report_is_380_percent_and_never_a_plain_number() -> None:
    run = {"workload": "training", "params_b": 13, "peak_tflops": 989, "accelerators": 16}
    typed = calculate("mfu", run | {"tokens_per_s": 771012})
    timed = calculate("mfu", run | {"step_s": 0.68, "global_batch": 256, "seq_len": 2048})
    for answer in (typed, timed):
        assert (answer.mfu, _codes(answer)[0]) == (pytest.approx(3.80, abs=0.005), "E_OVER")
        assert answer.causes


@pytest.mark.parametrize(
    ("typed", "locale", "wrong", "value", "noted"),
    [
        ("1.000", "de", 1, 1000, False),
        ("1,23", "en-GB", 123, 1.23, True),
        ("0,5", "en", 5, 0.5, True),
        ("0.283", "es", 283, 0.283, True),
        ("2.5", "es", 25, 2.5, True),
        ("2.000", "ru", 2000, 2, True),
        ("1.000", "es", 1, 1000, False),
        ("1,000", "it", 1000, 1, True),
    ],
)
def test_b22_a_separator_of_another_region_never_moves_the_decimal_point_unasked(
    typed: str, locale: str, wrong: float, value: float, *, noted: bool
) -> None:
    run = {"workload": "training", "params_b": 8, "tokens_per_s": typed, "peak_tflops": 989}
    answer = calculate("mfu", run, locale=locale)
    assert (answer.tokens_per_s_total, "W_AMBIG" in _codes(answer)) == (value, noted)
    assert answer.tokens_per_s_total != wrong


def test_a_wrong_figure_of_every_face_is_the_same_right_one() -> None:
    """The public functions give what the calculators give: B05's 16 devices."""
    run = {"workload": "training", "params_b": 70, "tokens_per_s": 16_384_000 / 48_600, "peak_tflops": 312}
    assert pw.calc.mfu(**run, accelerators=16).mfu == pytest.approx(0.0284, abs=5e-5)
    assert pw.calc.mfu(**run, accelerators=16).flop_per_s_per_device == pytest.approx(8.85e12, abs=0.005e12)


def _tests_of(path: str) -> set[str]:
    tree = ast.parse((HERE / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_case_has_a_test() -> None:
    assert tuple(COVERED) == ROWS
    for case, names in COVERED.items():
        for name in names:
            path, _, function = name.rpartition("::")
            assert function in _tests_of(path or "test_wrong_numbers.py"), f"{case}: {name} is gone"
