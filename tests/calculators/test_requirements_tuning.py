"""The numbered requirements of fine-tuning, lengths and log intake, and public mistakes (B…) that they prevent."""

from __future__ import annotations

import pytest

from peakwise.calculators.table import find_calculator
from peakwise.core.calculation import Calculation
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

NBSP = "\N{NO-BREAK SPACE}"
RATE: dict[str, object] = {
    "accelerators": 8,
    "tokens_per_s_per_device": 2500,
    "efficiency_pct": 82,
    "tokens_per_example": 900,
}
RUN: dict[str, object] = {"examples": 50000, "epochs": 3, "tokens_per_example": 900, "tokens_per_s": 16400}


def _rate(**changes: object) -> Calculation:
    return calculate(
        "finetune-throughput", {key: value for key, value in (RATE | changes).items() if value != "absent"}
    )


def _time(**changes: object) -> Calculation:
    return calculate("finetune-duration", {key: value for key, value in (RUN | changes).items() if value != "absent"})


def _log(text: str) -> Calculation:
    return calculate("parse-log", {"text": text})


def _shown(answer: Calculation, key: str, locale: str = "es") -> str:
    texts = answer.display[locale]
    assert isinstance(texts, dict)
    return texts[key]


def _codes(answer: Calculation) -> list[str]:
    return [warning.code for warning in answer.warnings]


def _refused(name: str, given: dict[str, object]) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        calculate(name, given)
    return [(error.field, error.code) for error in caught.value.errors]


@pytest.mark.parametrize(
    "text",
    [
        " iteration 10/ 100 | elapsed time per iteration (ms): 20000.0 | throughput per GPU (TFLOP/s/GPU): 450.0 |",
        "throughput_per_gpu_tflops: 450.0",
        '{"throughput_per_gpu_tflops": 450.0}',
    ],
)
def test_requirement_48_megatrons_line_and_the_key_that_parsers_give_it_are_450_tflop_per_s(text: str) -> None:
    answer = _log(text)
    assert (answer.producer, answer.flop_per_s_per_device) == ("megatron-lm", 450e12)


@pytest.mark.parametrize("text", ["FLOPS per GPU: 450.0 TFLOPS", '{"FLOPS_per_gpu": 4.5e14}'])
def test_requirement_49_deepspeeds_line_and_its_autotuning_key_are_450_tflop_per_s(text: str) -> None:
    answer = _log(text)
    assert (answer.producer, answer.flop_per_s_per_device) == ("deepspeed", 450e12)


def test_requirement_50_a_count_by_hand_over_its_time_is_a_rate() -> None:
    answer = calculate("parse-log", {"total_flop": 9e15, "time_s": 20})
    assert answer.flop_per_s_per_device == 450e12
    assert _shown(answer, "flop_per_s_per_device") == "450,0"


def test_requirement_53_the_four_inputs_of_the_throughput_page_are_filled_with_the_example() -> None:
    answer = calculate("finetune-throughput", {}, absent="default")
    assert {key: answer.inputs[key].value for key in RATE} == RATE


def test_requirement_54_the_effective_rate_is_accelerators_times_rate_times_efficiency() -> None:
    assert _shown(_rate(), "tokens_per_s") == "16.400"


def test_requirement_55_examples_a_second_are_the_headline() -> None:
    assert find_calculator("finetune-throughput").declaration.hero == "examples_per_s"
    assert _shown(_rate(), "examples_per_s") == "18,22"


def test_requirement_56_examples_a_minute() -> None:
    assert _shown(_rate(), "examples_per_min") == "1.093,33"


def test_requirement_57_tokens_a_minute() -> None:
    assert _shown(_rate(), "tokens_per_min") == "984.000"


def test_requirement_58_an_empty_input_gives_no_number_and_outputs_without_a_rate_are_four_dashes() -> None:
    assert _refused("finetune-throughput", RATE | {"tokens_per_example": ""}) == [("tokens_per_example", "E_REQ")]
    points = {"batch": 99, "batch_lo": 4, "rate_lo": 2000, "batch_hi": 8, "rate_hi": 2600}
    answer = _rate(tokens_per_s_per_device="absent", **points)
    outputs = ("examples_per_s", "tokens_per_s", "examples_per_min", "tokens_per_min")
    assert [_shown(answer, key) for key in outputs] == ["—"] * 4


def test_requirement_59_longer_examples_leave_the_tokens_and_lower_the_examples() -> None:
    answer = _rate(tokens_per_example=1800)
    assert (_shown(answer, "tokens_per_s"), _shown(answer, "examples_per_s")) == ("16.400", "9,11")


def test_requirement_60_a_rate_says_whether_it_was_measured_and_an_unknown_origin_is_refused() -> None:
    for source in ("measured", "preset", "estimated"):
        assert _rate(rate_source=source).inputs["rate_source"].value == source
    assert _refused("finetune-throughput", RATE | {"rate_source": "heard"}) == [("rate_source", "E_CHOICE")]


def test_requirement_61_the_efficiency_of_two_measurements_is_relative_to_ideal_scaling() -> None:
    answer = _rate(efficiency_pct="absent", rate_at_1=2500, devices_at_n=8, rate_at_n=16400)
    assert (answer.efficiency_used, _shown(answer, "scaling_c")) == (pytest.approx(0.82, rel=1e-12), "0,0732")
    larger = _rate(efficiency_pct="absent", rate_at_1=2500, devices_at_n=8, rate_at_n=16400, accelerators=32)
    assert _shown(larger, "efficiency_used") == f"73,2{NBSP}%"


def test_requirement_62_the_three_parts_of_an_example_add_up() -> None:
    answer = _rate(tokens_per_example="absent", input_tokens=600, output_tokens=250, other_tokens=50)
    assert (answer.tokens_per_example_used, answer.examples_per_s) == (900, _rate().examples_per_s)


def test_requirement_63_capacity_and_progress_have_units_of_their_own() -> None:
    units = {result.key: result.unit for result in find_calculator("finetune-throughput").declaration.results}
    assert (units["tokens_per_s"], units["examples_per_s"]) == ("token/s", "examples/s")


def test_requirement_64_the_rates_of_short_and_long_examples_stand_beside_the_mean() -> None:
    rates = [_shown(_rate(tokens_per_example=length), "examples_per_s") for length in (450, 900, 2100, 4096)]
    assert rates == ["36,44", "18,22", "7,81", "4,00"]
    answer = _rate(tokens_per_example="absent", lengths=[450] * 50 + [900] * 45 + [2100] * 5)
    assert any("p90 900 tokens: 18.22/s, p99 2,100 tokens: 7.81/s" in line for line in answer.report.rule)


def test_requirement_65_evaluation_that_the_rate_may_hold_is_not_added_without_a_warning() -> None:
    given = {"eval_every_steps": 200, "eval_s": 90}
    assert _codes(_time(**given)) == ["W_EVAL_TWICE"]
    assert _codes(_time(**given, rate_includes_eval="yes")) == ["W_EVAL_TWICE"]
    assert _codes(_time(**given, rate_includes_eval="no")) == []
    assert _codes(_time()) == []
    assert any("evaluation" in line for line in _rate().report.rule)


def test_requirement_66_padding_to_the_longest_leaves_42_86_percent() -> None:
    answer = calculate("lengths", {"lengths": [200, 400, 900, 2100], "batch": 4, "policy": "longest"})
    assert _shown(answer, "useful") == f"42,86{NBSP}%"


def test_requirement_67_a_batch_between_two_points_is_interpolated_and_one_outside_has_no_rate() -> None:
    points = {"tokens_per_s_per_device": "absent", "batch_lo": 4, "rate_lo": 2000, "batch_hi": 8, "rate_hi": 2600}
    assert _rate(**points, batch=6).tokens_per_s == pytest.approx(8 * 2300 * 0.82)
    for batch in (3, 9):
        outside = _rate(**points, batch=batch)
        assert (outside.examples_per_s, _codes(outside)) == (None, ["W_OUTSIDE"])


def test_requirement_68_two_models_keep_their_own_rates() -> None:
    fields = {field.key for field in find_calculator("compare").declaration.fields}
    assert {"a_tokens_per_s_per_device", "b_tokens_per_s_per_device"} <= fields
    assert "tokens_per_s_per_device" not in fields


def test_requirement_69_the_rate_travels_to_the_duration_of_50_000_examples() -> None:
    sends = find_calculator("finetune-throughput").declaration.sends
    sent = {send.field: _rate().results[send.result] for send in sends if send.to == "finetune-duration"}
    answer = _time(tokens_per_s=sent["tokens_per_s"], tokens_per_example=sent["tokens_per_example"])
    assert _shown(answer, "duration_seconds") == "8.231,7"
    assert _shown(answer, "duration_s") == f"2{NBSP}h 17{NBSP}min 12{NBSP}s"
    assert _shown(answer, "duration_s", "ru") == f"2{NBSP}ч 17{NBSP}мин 12{NBSP}с"


def test_requirement_72_a_fraction_is_kept_and_a_hundredfold_offered_unless_a_percent_sign_stands() -> None:
    said = calculate("finetune-throughput", RATE | {"efficiency_pct": "82 %"}, locale="es")
    assert (said.efficiency_used, said.warnings) == (0.82, ())
    fraction = calculate("finetune-throughput", RATE | {"efficiency_pct": "0,82"}, locale="es")
    assert fraction.efficiency_used == pytest.approx(0.0082)
    assert [(note.code, note.repair) for note in fraction.warnings] == [("W_FRACTION", (("efficiency_pct", 82),))]
    percent = calculate("finetune-throughput", RATE | {"efficiency_pct": "0,82 %"}, locale="es")
    assert percent.efficiency_used == pytest.approx(0.0082)
    assert "W_FRACTION" not in _codes(percent)


@pytest.mark.parametrize(
    "text",
    [
        "| NVIDIA-SMI 550.54   Driver Version: 550.54 |\n| N/A 60C P0 650W / 700W | 98% Default |",
        "utilization.gpu [%], memory.used [MiB]\n98 %, 70000 MiB",
        "GPU use (%): 99 99 99 99",
    ],
)
def test_requirement_74_a_busy_gpu_is_no_mfu(text: str) -> None:
    assert _refused("parse-log", {"text": text}) == [("text", "E_FORMAT")]


def test_b05_tokens_of_16_devices_are_never_divided_by_one_and_their_time_asks_for_evaluation() -> None:
    given = {key: value for key, value in RATE.items() if key != "accelerators"}
    assert _refused("finetune-throughput", given) == [("accelerators", "E_REQ")]
    tokens, seconds = 2048 * 16 * 500, 13.5 * 3600
    answer = _rate(
        accelerators=16,
        tokens_per_s_per_device=tokens / seconds / 16,
        efficiency_pct=100,
        params_b=70,
        peak_tflops=312,
    )
    assert answer.mfu == pytest.approx(0.0284, abs=5e-5)
    assert _time(eval_every_steps=100, eval_s=60).warnings[0].repair == (("rate_includes_eval", "no"),)


def test_b07_tokens_a_second_times_flops_of_a_token_are_the_flops_of_the_mfu() -> None:
    answer = _rate(params_b=8, peak_tflops=989)
    rate, mfu = answer.tokens_per_s, answer.mfu
    assert isinstance(rate, float)
    assert isinstance(mfu, float)
    assert rate * 6 * 8e9 == pytest.approx(mfu * 8 * 989e12, rel=1e-12)


def test_b09_more_accelerators_at_one_efficiency_leave_the_mfu_and_never_divide_it() -> None:
    values = {_rate(params_b=8, peak_tflops=989, accelerators=number).mfu for number in (1, 8, 64)}
    assert max(values) == pytest.approx(min(values), rel=1e-12)  # pyright: ignore


def test_b10_short_samples_are_not_billed_by_the_context() -> None:
    """128 of 2,048 tokens: a rate of slots holds 16 times the tokens that the samples have."""
    padded = {"lengths": [128] * 8, "policy": "max", "seq_len": 2048, "slot_tokens_per_s": 16000}
    answer = calculate("lengths", padded)
    assert (answer.useful, answer.real_tokens_per_s) == (1 / 16, 1000)
    over = _rate(tokens_per_s_per_device=40000, params_b=7, peak_tflops=989, accelerators=1, efficiency_pct=100)
    assert over.mfu == pytest.approx(1.699, abs=1e-3)
    assert _codes(over) == ["E_OVER"]


def test_b12_frozen_weights_save_a_third_and_not_95_percent() -> None:
    over = _rate(tokens_per_s_per_device=28000, params_b=7, peak_tflops=989, accelerators=1, efficiency_pct=100)
    frozen = next(cause for cause in over.causes if cause.id == "frozen")
    assert frozen.repair == (("flop_per_token", 4 * 7e9),)
    assert frozen.value == pytest.approx(over.mfu * 2 / 3)  # pyright: ignore
    again = _rate(
        tokens_per_s_per_device=28000,
        flop_per_token=4 * 7e9,
        peak_tflops=989,
        accelerators=1,
        efficiency_pct=100,
    )
    assert again.mfu == pytest.approx(frozen.value)


def test_b21_steps_follow_from_sequences_packed_or_not() -> None:
    run = {"examples": 8861, "global_batch": 16}
    assert (_time(**run).results["steps"], _time(**run, packed_sequences=2608).results["steps"]) == (1662, 489)
    packed = _time(**run, packing=True, seq_len=3200, pack_efficiency_pct=95.55)
    assert (packed.results["sequences_per_epoch"], packed.results["steps"]) == (2609, 492)
