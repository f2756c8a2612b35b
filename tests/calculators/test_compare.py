"""The comparison: sides by case or by figures, one rule for both, when one may be called better, and its tables."""

from __future__ import annotations

import pytest

from peakwise.calculators.check import check_inputs
from peakwise.calculators.compare import resolve
from peakwise.calculators.compare_chart import CompareChart, draw_compare, list_overheads, list_versions
from peakwise.calculators.compare_fields import DECLARATION
from peakwise.calculators.compare_verdict import Verdict
from peakwise.core.calculation import Calculation
from peakwise.core.errors import InputError
from peakwise.core.units import S_PER_HOUR
from peakwise.facts.cases import load_cases
from peakwise.verbs.calc import calculate
from peakwise.verbs.look_up import look_up

BOTH = {"a_case": "mai-base-1-v5", "b_case": "deepseek-v3"}
# Two releases of the same benchmark, before and after its rule changed.
RELEASES = {
    "a_tflops": 1838,
    "a_tokens_per_s_per_device": 31737,
    "a_peak_tflops": 2500,
    "b_tflops": 1614,
    "b_tokens_per_s_per_device": 31357,
    "b_peak_tflops": 2500,
}
LLAMA = {"model": "llama-3.1-8b", "seq_len": 8192}


def _ask(given: dict, **more: object) -> Calculation:
    return calculate("compare", given | more)


def _codes(answer: Calculation) -> list[str]:
    return [warning.code for warning in answer.warnings]


def _chart(given: dict) -> CompareChart:
    rows, refused = look_up(DECLARATION, given, local=False)
    return draw_compare(resolve(check_inputs(DECLARATION, given, refused=refused), rows))


def _verdict(given: dict, **more: object) -> Verdict:
    return _chart(given | more).verdict


def _field(given: dict) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        calculate("compare", given)
    return caught.value.field, caught.value.code


@pytest.mark.parametrize(
    ("rule", "a", "b"),
    [
        ("published", 19.96, 38.94),
        ("exact", 19.95, 39.04),
        ("half", 19.89, 38.94),
        ("noncausal", 21.05, 43.73),
        ("none", 18.37, 34.16),
    ],
)
def test_a_rule_brings_both_published_runs_to_the_same_count(rule: str, a: float, b: float) -> None:
    answer = _ask(BOTH, rule=rule)
    assert answer.display["en"]["a_mfu"] == f"{a:.2f}%"  # pyright: ignore
    assert answer.display["en"]["b_mfu"] == f"{b:.2f}%"  # pyright: ignore


def test_the_shipped_runs_have_no_nearest_rule_and_no_finding_on_it() -> None:
    answer = _ask({"a_case": "llama-3-8b-nemo-25.07", "b_case": "llama-3-8b-nemo-25.09"})
    assert (answer.a_rule, answer.b_rule, answer.same_rule) == (None, None, None)
    assert _codes(answer) == []


def test_typed_figures_are_named_by_their_nearest_rule_and_the_finding_mends_it() -> None:
    answer = _ask(RELEASES | LLAMA)
    assert (answer.a_rule, answer.b_rule) == ("full", "causal")
    (finding,) = answer.warnings
    assert (finding.code, dict(finding.repair)) == ("W_RULE", {"rule": "exact"})
    again = _ask(RELEASES | LLAMA, rule="exact")
    assert again.a_flop_per_token == again.b_flop_per_token == 51471187968
    assert again.ratio_mfu == pytest.approx(31737 / 31357)


def test_without_a_model_or_a_length_no_rule_is_named_and_what_lacks_is() -> None:
    answer = _ask(RELEASES)
    assert answer.a_rule is None
    assert {lack.input for lack in answer.missing} == {"model", "seq_len"}


@pytest.mark.parametrize(
    ("tflops", "rule"), [(45.028, "6n"), (30.019, "4n"), (51.47, "causal"), (57.91, "full"), (54.6, None)]
)
def test_the_nearest_rule_is_within_one_percent_or_none(tflops: float, rule: str | None) -> None:
    given = {"a_tflops": tflops, "a_tokens_per_s_per_device": 1000, "a_peak_tflops": 100, "b_mfu_pct": 10}
    assert _ask(given | LLAMA).a_rule == rule


@pytest.mark.parametrize(
    ("gflop", "rule"), [(250.46, "causal"), (260.65, "causal+mtp"), (281.2, "full"), (292.6, "full+mtp")]
)
def test_a_model_with_mtp_modules_adds_rules_that_count_them(gflop: float, rule: str) -> None:
    given = {"a_tflops": gflop, "a_tokens_per_s_per_device": 1000, "a_peak_tflops": 989, "b_mfu_pct": 10}
    assert _ask(given, model="deepseek-v3", seq_len=4096).a_rule == rule


def test_a_figure_alone_gives_what_it_can_and_names_the_rest() -> None:
    answer = _ask({"a_tflops": 400, "b_mfu_pct": 40, "b_peak_tflops": 989})
    assert (answer.a_mfu, answer.ratio_mfu, answer.time_ratio) == (None, None, None)
    assert answer.b_flop_per_s_per_device == pytest.approx(0.4 * 989e12)
    assert "a_peak_tflops" in {lack.input for lack in answer.missing}


def test_a_share_of_zero_has_no_ratio() -> None:
    answer = _ask({"a_mfu_pct": 40, "b_mfu_pct": 0})
    assert (answer.ratio_mfu, answer.time_ratio) == (None, None)


def test_a_typed_rate_or_peak_stands_in_place_of_a_runs_own() -> None:
    answer = _ask(BOTH, b_tokens_per_s_per_device=3083.4, b_peak_tflops=1978)
    assert answer.b_mfu == pytest.approx(_ask(BOTH).b_mfu)
    assert answer.b_flop_per_s_per_device == pytest.approx(2 * _ask(BOTH).b_flop_per_s_per_device)


def test_a_figure_above_the_peak_is_struck_with_causes_for_its_own_side() -> None:
    answer = _ask({"a_tflops": 324.48, "a_peak_tflops": 312, "b_mfu_pct": 104})
    assert _codes(answer) == ["E_OVER", "E_OVER"]
    assert {dict(cause.values)["side"] for cause in answer.causes} == {"a", "b"}
    assert _codes(_ask({"a_mfu_pct": 100, "b_mfu_pct": 99})) == []


def test_what_cannot_be_answered_of_a_run_is_a_field_error() -> None:
    assert _field({"a_case": "mai-base-1-v1", "b_case": "deepseek-v3"}) == ("a_case", "E_CHOICE")
    assert _field({"a_case": "mai-base-1-v6", "b_case": "deepseek-v3"}) == ("a_case", "E_CHOICE")
    assert _field(BOTH | {"a_case": "mai-base-1-v2", "rule": "exact"}) == ("rule", "E_CHOICE")
    assert _field(BOTH | {"a_case": "llama-3.1-405b-8192", "rule": "none"}) == ("rule", "E_CHOICE")
    assert _field(BOTH | {"a_case": "palm-540b", "denominator": "fp8"}) == ("denominator", "E_CHOICE")
    assert _field(BOTH | {"b_case": "palm-540b", "mtp": True}) == ("mtp", "E_CHOICE")
    assert _field({"a_case": "deepseek-v3", "a_tflops": 385, "b_case": "palm-540b"}) == ("a_tflops", "E_CONFLICT")


def test_a_run_whose_rate_was_not_published_stands_by_its_published_figure() -> None:
    answer = _ask({"a_case": "llama-3.1-405b-16384", "b_case": "mai-base-1-v2"})
    assert answer.a_mfu == pytest.approx(400 / 989)
    assert answer.b_flop_per_s_per_device == pytest.approx(550e12)
    assert answer.a_flop_per_token is None


def test_names_of_runs_are_read_as_people_write_them() -> None:
    answer = _ask({"a_case": "MAI_Base-1 v5", "b_case": "DeepSeek-V3"})
    assert answer.inputs["a_case"].value == "mai-base-1-v5"
    assert answer.ratio_mfu == _ask(BOTH).ratio_mfu


def test_one_is_better_only_on_the_same_work_hardware_and_rule() -> None:
    releases = {"a_case": "llama-3-8b-nemo-25.07", "b_case": "llama-3-8b-nemo-25.09"}
    assert _verdict(releases) == Verdict(("rule",), (), None)
    assert _verdict(releases, rule="exact") == Verdict((), (), "a")
    assert _verdict(BOTH, rule="exact") == Verdict(("workload", "hardware"), (), None)
    assert _verdict(RELEASES | LLAMA).better is None
    assert _verdict(RELEASES | LLAMA, rule="exact").better == "a"
    assert _verdict(RELEASES | LLAMA, rule="exact", b_peak_tflops=2250).differs == ("hardware",)
    assert _verdict({"a_mfu_pct": 40, "b_mfu_pct": 10}).unknown == ("workload", "hardware", "rule")
    assert _verdict({"a_mfu_pct": 40, "b_mfu_pct": 10}).better is None


def test_the_report_never_calls_a_run_better_that_may_not_be() -> None:
    assert "Neither" in _ask(BOTH).report.headline
    assert "Neither" in _ask({"a_mfu_pct": 40, "b_mfu_pct": 10}).report.headline
    assert _ask(RELEASES | LLAMA, rule="exact").report.headline.startswith("a uses more")


@pytest.mark.parametrize(
    ("key", "a", "b", "ratio"),
    [
        ("mfu_published", 0.1996, 0.3894, 0.51),
        ("mfu_exact", 0.1995, 0.3904, 0.51),
        ("mfu_fp8", 0.0998, 0.1946, 0.51),
        ("flop_per_s", 499e12, 385e12, 1.30),
        ("tokens_per_s", 2216, 1542, 1.44),
        ("device_hours_per_tera_token", 125e3, 180e3, 0.70),
        ("flop_per_token", 225e9, 250e9, 0.90),
        ("peak", 2500e12, 989e12, 2.53),
        ("matmul_params", 34.66e9, 36.52e9, 0.95),
    ],
)
def test_the_table_side_by_side_has_every_line_and_its_ratio(key: str, a: float, b: float, ratio: float) -> None:
    row = next(row for row in _chart(BOTH).side_by_side if row.key == key)
    assert row.a == pytest.approx(a, rel=3e-3)
    assert row.b == pytest.approx(b, rel=3e-3)
    assert row.ratio == pytest.approx(ratio, abs=0.005)


def test_the_table_of_rules_has_every_rule_over_both_peaks_with_bands() -> None:
    rows = _chart(BOTH).rules
    assert len(rows) == 10
    causal = next(row for row in rows if (row.rule, row.denominator) == ("noncausal", "bf16"))
    assert (causal.a.band, causal.b.band) == ("poor", "good")
    assert (rows[0].a_router, rows[0].b_router) == (True, False)
    narrow = next(row for row in rows if (row.rule, row.denominator) == ("noncausal", "fp8"))
    assert narrow.b.band == "poor"


def test_typed_figures_have_no_tables_of_published_runs() -> None:
    chart = _chart({"a_mfu_pct": 40, "b_case": "deepseek-v3"})
    assert (chart.rules, chart.factors) == ((), ())


def test_a_steps_speed_ups_multiply_to_the_gain_of_a_version() -> None:
    second = next(row for row in list_versions(load_cases(), "mai-base-1") if row.version == "v2")
    product = 1.0
    for move in second.moves:
        assert move.speed_up is not None
        product *= move.speed_up
    assert product == pytest.approx(1.237, abs=0.0005)
    assert second.mfu is not None
    assert second.first_mfu is not None
    assert second.mfu / second.first_mfu == pytest.approx(1.222, abs=0.0005)


def test_the_parts_of_an_overhead_stand_beside_the_shares_that_were_printed() -> None:
    rows = {row.id: row for row in list_overheads(load_cases()["mai-base-1-v5"])}
    assert rows["recompute"].share == pytest.approx(0.127, abs=0.0005)
    assert rows["recompute"].printed_share == 0.15
    assert rows["unnamed"].seconds == 12.5 * S_PER_HOUR
    assert sum(row.share for row in rows.values()) == pytest.approx(1)


def test_a_trained_adapter_is_counted_as_what_trained() -> None:
    answer = _ask({"a_case": "llama-3-70b-lora-h100", "b_case": "llama-3-70b-sft-gb200"}, rule="none")
    assert answer.a_flop_per_token / answer.b_flop_per_token == pytest.approx(4 / 6, rel=0.01)
