"""The product's requirements on cases, comparison and the roofline, one test a requirement, by its number."""

from __future__ import annotations

import pytest

from peakwise.calculators.check import check_inputs
from peakwise.calculators.compare import resolve
from peakwise.calculators.compare_chart import CompareChart, VersionRow, draw_compare, list_versions
from peakwise.calculators.compare_fields import DECLARATION
from peakwise.calculators.table import find_calculator
from peakwise.core.errors import PeakwiseError
from peakwise.facts.cases import load_cases
from peakwise.facts.chips import chip_by_id
from peakwise.readers.pasted import read_pasted
from peakwise.verbs.calc import calculate
from peakwise.verbs.look_up import look_up

BOTH = {"a_case": "mai-base-1-v5", "b_case": "deepseek-v3"}
PALM = {
    "workload": "training",
    "params_b": 540.35,
    "tokens_per_s": 238300,
    "peak_tflops": 275,
    "accelerators": 6144,
    "n_layers": 118,
    "d_q": 12288,
    "seq_len": 2048,
}


def _shown(name: str, key: str, given: dict) -> str:
    return calculate(name, given).display["en"][key]  # pyright: ignore


def _mfus(**more: object) -> tuple[str, str]:
    return _shown("compare", "a_mfu", BOTH | more), _shown("compare", "b_mfu", BOTH | more)


def _chart(given: dict) -> CompareChart:
    rows, _ = look_up(DECLARATION, given, local=False)
    return draw_compare(resolve(check_inputs(DECLARATION, given), rows))


def _version(name: str) -> VersionRow:
    return next(row for row in list_versions(load_cases(), "mai-base-1") if row.version == name)


def _factor(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    row = next(row for row in _chart(BOTH).factors if row.factor == name)
    return row.a, row.b


def test_requirement_18_ten_and_forty_percent_are_a_ratio_of_four() -> None:
    assert calculate("compare", {"a_mfu_pct": 40, "b_mfu_pct": 10}).ratio_mfu == 4.0


def test_requirement_20_palm_is_46_2_percent_and_45_7_without_attention() -> None:
    assert _shown("mfu", "mfu", PALM | {"attention": "full"}) == "46.2%"
    assert _shown("mfu", "mfu", PALM) == "45.7%"
    assert _shown("compare", "a_mfu", {"a_case": "palm-540b", "b_case": "deepseek-v3"}) == "46.23%"
    none = {"a_case": "palm-540b", "b_case": "deepseek-v3", "rule": "none"}
    assert _shown("compare", "a_mfu", none) == "45.73%"


def test_requirement_21_decoding_is_bound_by_memory_and_the_roofline_leads_to_the_mfu() -> None:
    roofline = find_calculator("inference-roofline").declaration
    given = {"params_b": 70, "bytes_per_param": 2, "bandwidth_gb_s": 3350, "peak_tflops": 989}
    answer = calculate("inference-roofline", given)
    assert answer.bound == "memory"
    assert answer.mfu < 0.01
    assert ("mfu", "tokens_per_s") in {(send.to, send.field) for send in roofline.sends}
    rate = {"workload": "inference", "params_b": 70, "tokens_per_s": answer.tokens_per_s_ceiling, "peak_tflops": 989}
    assert calculate("mfu", rate).band_applies is False
    assert calculate("mfu", rate).mfu == pytest.approx(answer.mfu)


@pytest.mark.parametrize(
    ("given", "differs"),
    [
        ({"a_case": "llama-3-8b-nemo-25.07", "b_case": "llama-3-8b-nemo-25.09"}, "rule"),
        ({"a_case": "llama-3-70b-sft-gb300", "b_case": "llama-3-70b-sft-gb200"}, "hardware"),
        ({"a_case": "deepseek-v3-gb200", "b_case": "llama-3-8b-nemo-25.09", "rule": "exact"}, "workload"),
    ],
)
def test_requirement_22_no_run_is_better_where_workload_hardware_or_rule_differ(given: dict, differs: str) -> None:
    verdict = _chart(given).verdict
    assert differs in verdict.differs
    assert verdict.better is None
    assert not verdict.comparable
    same = _chart({"a_case": "llama-3-8b-nemo-25.07", "b_case": "llama-3-8b-nemo-25.09", "rule": "exact"}).verdict
    assert (same.comparable, same.better) == (True, "a")


@pytest.mark.parametrize(("size", "rate"), [(2, "23.93"), (1, "47.86"), (0.5, "95.71")])
def test_requirement_30_one_stream_of_70_billion_weights_has_a_ceiling_by_their_width(size: float, rate: str) -> None:
    given = {"params_b": 70, "bytes_per_param": size, "bandwidth_gb_s": 3350, "peak_tflops": 989}
    assert _shown("inference-roofline", "single_stream_tokens_per_s", given) == rate


def test_requirement_73_an_mfu_is_told_as_so_many_of_a_hundred() -> None:
    given = {"workload": "training", "flop_per_token": 1e9, "tokens_per_s": 20000, "peak_tflops": 100}
    answer = calculate("mfu", given)
    assert answer.report.headline == "20.0 of 100 TFLOP/s"
    assert answer.mfu == 0.2
    assert answer.peak_flop_per_s - answer.flop_per_s == pytest.approx(80e12)


def test_requirement_74_a_busy_figure_of_the_driver_is_no_log_of_an_mfu() -> None:
    table = "| GPU  Name | Memory-Usage | GPU-Util |\n| 0  NVIDIA H100 | 71234MiB / 81559MiB | 98% Default |\n"
    with pytest.raises(PeakwiseError):
        read_pasted(table, "")


def test_requirement_75_mai_base_1_is_19_96_percent_from_its_goodput_alone() -> None:
    answer = calculate("compare", BOTH)
    assert answer.a_mfu == pytest.approx(0.1996, abs=0.00005)
    assert answer.a_flop_per_s_per_device == pytest.approx(499.0e12, abs=0.05e12)
    assert load_cases()["mai-base-1-v5"].tokens_per_s_per_device == pytest.approx(2216, abs=0.5)


def test_requirement_76_deepseek_v3_is_38_94_causal_and_43_73_non_causal_by_its_own_rule() -> None:
    assert _mfus()[1] == "38.94%"
    assert _mfus(rule="noncausal")[1] == "43.73%"
    assert _mfus(rule="exact")[1] == "39.04%"
    full = {
        "workload": "training",
        "flop_per_token": 281.156e9,
        "tokens_per_s": 1541.7,
        "peak_tflops": 989,
    }  # every key, router in, as `count` gives it
    assert _shown("mfu", "mfu", full) == "43.8%"


def test_requirement_77_the_second_version_went_from_18_to_22_percent_on_4096_devices() -> None:
    row = _version("v2")
    assert (row.first_mfu, row.mfu, row.devices) == (0.18, 0.22, 4096)
    assert row.first_flop_per_s == pytest.approx(450e12)
    assert row.flop_per_s == pytest.approx(550e12)


def test_requirement_78_the_third_version_changed_its_routing_and_held_22_percent() -> None:
    assert (_version("v3").mfu, _version("v3").routing) == (0.22, "dropless")
    assert _version("v2").routing != _version("v3").routing
    assert [move.id for move in _version("v3").moves] == ["dropless"]


def test_requirement_79_the_fourth_version_has_512_experts_of_which_fewer_work() -> None:
    before, row = _version("v3"), _version("v4")
    assert (before.experts, before.top_k, row.experts, row.top_k) == (192, 4, 512, 8)
    assert (row.devices, row.first_mfu, row.mfu) == (8192, 0.16, 0.20)
    assert before.experts_in_use == pytest.approx(0.0208, abs=0.00005)
    assert row.experts_in_use == pytest.approx(0.0156, abs=0.00005)


def test_requirement_80_the_fifth_version_has_962_billion_parameters_and_returned_to_zero_2() -> None:
    row = _version("v5")
    assert (row.params, row.active_params, row.mfu) == (962e9, 34.7e9, 0.20)
    assert "ZeRO-2" in load_cases()["mai-base-1-v5"].parallelism
    assert "ZeRO-3" in " ".join(move.text for move in row.moves)
    assert "offload" in [move.id for move in row.moves]


def test_requirement_81_the_versions_dip_and_recover_and_the_first_was_not_published() -> None:
    rows = list_versions(load_cases(), "mai-base-1")
    assert [row.version for row in rows] == ["v1", "v2", "v3", "v4", "v5"]
    assert [row.published for row in rows] == [False, True, True, True, True]
    assert (rows[0].first_mfu, rows[0].mfu) == (None, None)
    dips = [(row.first_mfu, row.mfu) for row in rows if row.first_mfu is not None]
    assert dips == [(0.18, 0.22), (0.16, 0.20)]


def test_requirement_82_the_two_chips_have_989_and_2500_dense_tflops() -> None:
    h800, gb200 = chip_by_id("h800-sxm"), chip_by_id("gb200")
    assert h800 is not None
    assert gb200 is not None
    assert round((h800.dense16_flop_per_s or 0) / 1e12) == 989
    assert (gb200.dense16_flop_per_s or 0) == 2500e12
    peak = next(row for row in _chart(BOTH).side_by_side if row.key == "peak")
    assert (peak.a, peak.b) == (2500e12, 989e12)


def test_requirement_83_five_factors_are_compared_each_with_both_runs() -> None:
    factors = _chart(BOTH).factors
    assert [row.factor for row in factors] == ["shape", "devices", "parallelism", "precision", "software"]
    assert all(row.a and row.b for row in factors)


def test_requirement_84_the_row_of_parallelism_names_both_networks() -> None:
    a, b = _factor("parallelism")
    assert "NVL64" in a
    assert "InfiniBand" in b


def test_requirement_85_the_denominator_of_the_narrow_type_halves_both_figures() -> None:
    assert _mfus(denominator="bf16") == ("19.96%", "38.94%")
    assert _mfus(denominator="fp8") == ("9.98%", "19.46%")
    rate = {"workload": "training", "flop_per_token": 225137562624, "tokens_per_s": 2216.2366, "precision": "fp8"}
    answer = calculate("mfu", rate | {"chip": "gb200"})
    assert answer.mfu == pytest.approx(0.1996, abs=0.00005)
    assert answer.mfu_math_peak == pytest.approx(0.0998, abs=0.00005)


def test_requirement_86_the_row_of_software_names_flash_attention_and_triton() -> None:
    words = " ".join(_factor("software")[0])
    assert "FlashAttention" in words
    assert "Triton" in words


def test_requirement_87_a_rise_from_20_to_25_percent_takes_four_fifths_of_time_and_cost() -> None:
    answer = calculate("compare", {"a_mfu_pct": 20, "b_mfu_pct": 25})
    assert answer.time_ratio == pytest.approx(0.80)
    hours = [
        calculate(
            "mfu", {"workload": "training", "params_b": 8, "tokens_per_s": 1000, "peak_tflops": 989}
        ).tokens_per_s_at_peak
        * share
        for share in (0.20, 0.25)
    ]
    assert hours[0] / hours[1] == pytest.approx(answer.time_ratio)


def test_requirement_88_the_gain_came_with_as_many_active_parameters() -> None:
    assert _version("v4").active_params == _version("v2").active_params
    assert (_version("v2").efficiency_gain, _version("v4").efficiency_gain) == (1.0, 1.69)
    assert _version("v4").mfu < _version("v2").mfu  # pyright: ignore[reportOperatorIssue]  both were published
