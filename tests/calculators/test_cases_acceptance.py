"""The published runs recomputed from first principles, and public mistakes that the calculators must not repeat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peakwise.calculators.check import check_inputs
from peakwise.calculators.compare import resolve
from peakwise.calculators.compare_chart import draw_compare
from peakwise.calculators.compare_fields import DECLARATION
from peakwise.core.calculation import Calculation
from peakwise.core.errors import ConfigError
from peakwise.facts.cases import load_cases
from peakwise.facts.models import CONFIGS
from peakwise.verbs.calc import calculate
from peakwise.verbs.count import count
from peakwise.verbs.look_up import look_up

BOTH = {"a_case": "mai-base-1-v5", "b_case": "deepseek-v3"}


def _codes(answer: Calculation) -> set[str]:
    return {warning.code for warning in answer.warnings}


def test_1_goodput_overhead_tokens_and_devices_give_19_96_percent() -> None:
    hours = load_cases()["mai-base-1-v5"].hours
    assert hours is not None
    assert (hours.tokens, hours.overhead_s, hours.goodput) == (30e12, 51 * 3600, 0.90)
    answer = calculate("compare", BOTH)
    assert answer.a_mfu == pytest.approx(0.1996, abs=0.0001)
    assert answer.a_flop_per_s_per_device == pytest.approx(499.0e12, abs=0.05e12)


def test_2_without_attention_it_is_18_37_and_over_the_fp8_peak_9_98() -> None:
    """18.44 % counts 6 FLOPs for each weight, the router in; the rule `none` leaves the router out: 18.37 %."""
    assert calculate("compare", BOTH | {"rule": "none"}).a_mfu == pytest.approx(0.1837, abs=0.00005)
    weights = count("mai-base-1", seq=16384).parameters.matmul
    rate = load_cases()["mai-base-1-v5"].tokens_per_s_per_device
    assert rate is not None
    assert 6 * weights * rate / 2500e12 == pytest.approx(0.1844, abs=0.00005)
    assert calculate("compare", BOTH | {"denominator": "fp8"}).a_mfu == pytest.approx(0.0998, abs=0.00005)


def test_3_both_figures_of_deepseek_v3_are_printed_side_by_side_by_default() -> None:
    answer = calculate("compare", BOTH)
    printed = {fact.label: round(fact.value, 2) for fact in answer.report.facts}
    assert printed["b: MFU"] == 38.94
    assert printed["b: MFU, every key"] == 43.73


def test_4_the_mtp_module_adds_10_18_gflop_a_token() -> None:
    off, on = calculate("compare", BOTH), calculate("compare", BOTH | {"mtp": True})
    assert on.b_flop_per_token - off.b_flop_per_token == pytest.approx(10.18e9, abs=0.005e9)
    assert on.b_mfu == pytest.approx(0.4053, abs=0.00005)
    assert on.a_mfu == off.a_mfu


def test_5_printed_widths_taken_for_inner_ones_do_not_give_the_stated_parameters(tmp_path: Path) -> None:
    config = json.loads((CONFIGS / "mai-base-1.json").read_text(encoding="utf-8"))
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config | {"intermediate_size": 13312, "moe_intermediate_size": 10240}))
    with pytest.raises(ConfigError, match=r"1,909\.5"):
        count(str(path), seq=8, expect_params=962e9)
    assert count("mai-base-1", seq=8, expect_params=962e9).parameters.matmul == 34_660_314_624


def test_6_every_mfu_of_the_page_has_its_band_under_each_denominator() -> None:
    rows, _ = look_up(DECLARATION, BOTH, local=False)
    chart = draw_compare(resolve(check_inputs(DECLARATION, BOTH), rows))
    assert {row.denominator for row in chart.rules} == {"bf16", "fp8"}
    assert all(row.a.band and row.b.band for row in chart.rules)
    bands = {row.denominator: row.b.band for row in chart.rules if row.rule == "published"}
    assert bands == {"bf16": "average", "fp8": "poor"}


def test_b01_a_fixed_peak_of_another_chip_is_an_error_state_and_no_chip_is_guessed() -> None:
    """104 % of 312 TFLOP/s, on a chip of 989."""
    wrong = calculate("compare", {"a_tflops": 1.04 * 312, "a_peak_tflops": 312, "b_mfu_pct": 32.8})
    assert "E_OVER" in _codes(wrong)
    assert any(cause.id == "peak" for cause in wrong.causes)
    right = calculate("compare", {"a_tflops": 1.04 * 312, "a_peak_tflops": 989, "b_mfu_pct": 32.8})
    assert right.a_mfu == pytest.approx(0.328, abs=0.0005)
    assert _codes(right) == set()
    assert calculate("compare", {"a_tflops": 1.04 * 312, "b_mfu_pct": 32.8}).a_mfu is None


def test_b02_a_dense_peak_is_never_halved_again() -> None:
    roofline = calculate("inference-roofline", {"params_b": 8, "bytes_per_param": 2, "chip": "a100-sxm-80"})
    assert roofline.inputs["peak_tflops"].value == 312
    run = {"workload": "training", "flop_per_token": 1e9, "tokens_per_s": 124800, "chip": "a100-sxm-80"}
    assert calculate("mfu", run).mfu == pytest.approx(0.40)


def test_b04_the_peak_that_is_printed_is_the_peak_that_divided() -> None:
    answer = calculate("compare", {"a_tflops": 415.4, "a_peak_tflops": 989, "b_mfu_pct": 21})
    assert answer.a_mfu == pytest.approx(0.42, abs=0.0005)
    printed = next(fact.value for fact in answer.report.facts if fact.label == "a: peak of a device")
    assert printed * 1e12 * answer.a_mfu == pytest.approx(answer.a_flop_per_s_per_device)
    narrow = calculate("compare", BOTH | {"denominator": "fp8"})
    peaks = [fact.value for fact in narrow.report.facts if fact.label.endswith("peak of a device")]
    assert peaks == [5000, 1979]


def test_b14_all_experts_in_a_dense_field_are_an_error_with_the_active_ones_as_hint() -> None:
    answer = calculate("mfu", {"workload": "training", "params_b": 671, "tokens_per_s": 1541.7, "peak_tflops": 989})
    assert answer.mfu == pytest.approx(6.276, abs=0.0005)
    assert {"E_OVER", "W_MOE"} <= _codes(answer)
    assert any("experts" in cause.text and cause.fix.startswith("--active-params") for cause in answer.causes)


def test_b16_two_releases_by_two_rules_are_no_regression() -> None:
    answer = calculate(
        "compare",
        {
            "a_tflops": 1838,
            "a_tokens_per_s_per_device": 31737,
            "b_tflops": 1614,
            "b_tokens_per_s_per_device": 31357,
            "model": "llama-3.1-8b",
            "seq_len": 8192,
        },
    )
    assert (answer.a_rule, answer.b_rule, answer.same_rule) == ("full", "causal", False)
    assert "W_RULE" in _codes(answer)
    assert 1 - answer.ratio_tokens == pytest.approx(0.012, abs=0.0005)
    assert 1 - answer.ratio_flop_per_s == pytest.approx(0.122, abs=0.0005)


def test_b19_a_measured_rate_past_the_hardware_is_an_error_state() -> None:
    given = {
        "workload": "training",
        "params_b": 13,
        "step_s": 0.68,
        "global_batch": 256,
        "seq_len": 2048,
        "accelerators": 16,
        "peak_tflops": 989,
    }
    answer = calculate("mfu", given)
    assert answer.tokens_per_s_total == pytest.approx(771012, abs=0.5)
    assert answer.flop_per_s_per_device == pytest.approx(3759e12, abs=0.5e12)
    assert answer.mfu == pytest.approx(3.80, abs=0.005)
    assert "E_OVER" in _codes(answer)
    decode = {"params_b": 13, "bytes_per_param": 2, "bandwidth_gb_s": 3350, "peak_tflops": 989, "accelerators": 16}
    measured = calculate("inference-roofline", decode | {"batch": 256, "tokens_per_s": 771012})
    assert "E_OVER" in _codes(measured)
