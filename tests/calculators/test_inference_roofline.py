"""The roofline: its ceilings, what a chip fills, reads of experts, findings with their repair, and its charts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peakwise.calculators.check import check_inputs
from peakwise.calculators.inference_roofline import resolve
from peakwise.calculators.inference_roofline_chart import RooflineChart, draw_roofline
from peakwise.calculators.inference_roofline_fields import DECLARATION
from peakwise.core.calculation import Calculation
from peakwise.core.catalogue import Catalogue
from peakwise.core.errors import InputError
from peakwise.facts.chips import chip_by_id
from peakwise.verbs.calc import calculate

PLAIN = {"params_b": 70, "bytes_per_param": 2, "bandwidth_gb_s": 3350, "peak_tflops": 989}
MIXTURE = PLAIN | {"params_b": 671, "bytes_per_param": 1, "accelerators": 8, "active_params_b": 37}
EXPERTS = {"n_experts": 256, "top_k": 8, "expert_params_b": 654}


def _ask(**given: object) -> Calculation:
    return calculate("inference-roofline", PLAIN | given)


def _codes(answer: Calculation) -> set[str]:
    return {warning.code for warning in answer.warnings}


def _chart(**given: object) -> RooflineChart:
    return draw_roofline(resolve(check_inputs(DECLARATION, PLAIN | given), Catalogue()))


def test_the_ceiling_is_the_lower_of_what_bandwidth_and_peak_allow() -> None:
    assert _ask(batch=84).tokens_per_s_ceiling == pytest.approx(84 * 3350 / 140)
    above = _ask(batch=400)
    assert above.tokens_per_s_ceiling == pytest.approx(989e12 / 140e9)
    assert above.bound == "compute"


def test_a_share_of_the_bandwidth_lowers_the_roof_and_moves_the_ridge() -> None:
    answer = _ask(bandwidth_pct=80)
    assert answer.single_stream_tokens_per_s == pytest.approx(0.8 * 3350 / 140)
    assert answer.ridge_flop_per_byte == pytest.approx(989 / 3.350 / 0.8)
    assert answer.mbu == pytest.approx(0.8)


def test_a_chip_fills_bandwidth_peak_and_memory_and_a_typed_value_wins() -> None:
    answer = calculate("inference-roofline", {"params_b": 8, "bytes_per_param": 2, "chip": "H100 SXM"})
    used = {key: answer.inputs[key].value for key in ("bandwidth_gb_s", "peak_tflops", "memory_gb", "chip")}
    assert used == {"bandwidth_gb_s": 3350, "peak_tflops": 989.4, "memory_gb": 80, "chip": "h100-sxm"}
    typed = calculate(
        "inference-roofline", {"params_b": 8, "bytes_per_param": 2, "chip": "h100-sxm", "bandwidth_gb_s": 3000}
    )
    assert typed.inputs["bandwidth_gb_s"].value == 3000
    assert typed.inputs["bandwidth_gb_s"].source == "bandwidth_gb_s"


def test_weights_of_four_bytes_take_the_chips_own_32_bit_peak() -> None:
    answer = calculate("inference-roofline", {"params_b": 8, "bytes_per_param": 4, "chip": "h100-sxm"})
    assert answer.inputs["peak_tflops"].value == 66.9


def test_a_chip_without_bandwidth_is_asked_for_it() -> None:
    known = chip_by_id("h100-sxm")
    assert known is not None
    chip = replace(known, package_bandwidth_byte_per_s=None)
    checked = check_inputs(DECLARATION, {"params_b": 8, "bytes_per_param": 2, "chip": chip.id})
    with pytest.raises(InputError) as caught:
        resolve(checked, Catalogue(chip=chip))
    assert [(error.field, error.code) for error in caught.value.errors] == [("bandwidth_gb_s", "E_REQ")]


def test_experts_stated_in_full_give_the_expected_reads_of_a_batch() -> None:
    answer = calculate("inference-roofline", MIXTURE | EXPERTS | {"batch": 8})
    assert answer.weight_bytes == pytest.approx(17e9 + 654e9 * (1 - (1 - 8 / 256) ** 8))
    assert "W_MOE_READ" not in _codes(answer)
    assert answer.ridge_batch is None


def test_active_parameters_follow_from_experts_where_they_were_not_typed() -> None:
    given = {key: value for key, value in (MIXTURE | EXPERTS).items() if key != "active_params_b"}
    answer = calculate("inference-roofline", given)
    active = 671e9 - 654e9 * (1 - 8 / 256)
    assert answer.mfu == pytest.approx(answer.tokens_per_s_ceiling * 2 * active / (8 * 989e12))


def test_active_parameters_alone_bound_the_reads_and_say_so() -> None:
    one, many = calculate("inference-roofline", MIXTURE), calculate("inference-roofline", MIXTURE | {"batch": 30})
    assert one.weight_bytes == 37e9
    assert "W_MOE_READ" not in _codes(one)
    assert many.weight_bytes == 671e9
    assert "W_MOE_READ" in _codes(many)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"active_params_b": 71}, "active_params_b"),
        ({"expert_params_b": 71, "n_experts": 8, "top_k": 2}, "expert_params_b"),
        ({"expert_params_b": 60, "n_experts": 8, "top_k": 9}, "top_k"),
    ],
)
def test_a_part_larger_than_its_whole_is_refused(given: dict, field: str) -> None:
    with pytest.raises(InputError) as caught:
        _ask(**given)
    assert (caught.value.field, caught.value.code) == (field, "E_RANGE")


def test_parameters_of_experts_ask_for_their_number() -> None:
    with pytest.raises(InputError) as caught:
        _ask(expert_params_b=60)
    assert {(error.field, error.code) for error in caught.value.errors} == {("n_experts", "E_REQ"), ("top_k", "E_REQ")}


def test_the_cache_bounds_the_batch_and_keeps_the_ridge_out_of_reach() -> None:
    answer = _ask(accelerators=2, memory_gb=80, context=8192, kv_bytes_per_token=327680)
    assert answer.max_batch == 7
    assert answer.ridge_batch is None
    assert _ask(memory_gb=80, context=8192, kv_bytes_per_token=327680).max_batch == 0


@pytest.mark.parametrize(("target", "streams"), [(23, 1), (24, 2), (2000, 84), (7064, 296), (7065, None), (0, 0)])
def test_a_wanted_rate_names_its_streams_or_none(target: float, streams: int | None) -> None:
    assert _ask(target_tokens_per_s=target).streams_needed == streams


def test_more_cache_than_bandwidth_puts_a_rate_out_of_reach() -> None:
    """At 8,192 tokens of 327,680 bytes each sequence moves 2.68 GB a token: 1,248 token/s and no more."""
    cache = {"context": 8192, "kv_bytes_per_token": 327680}
    assert _ask(**cache, target_tokens_per_s=1249).streams_needed is None
    assert isinstance(_ask(**cache, target_tokens_per_s=1200).streams_needed, int)


def test_a_measured_rate_above_the_roof_is_struck_with_causes_that_mend_it() -> None:
    answer = _ask(tokens_per_s=600)
    assert "E_OVER" in _codes(answer)
    assert answer.mbu == pytest.approx(600 * 140 / 3350)
    repairs = {cause.id: dict(cause.repair) for cause in answer.causes if cause.repair}
    assert repairs == {"batch": {"batch": 26}, "devices": {"accelerators": 32}}
    for repair in repairs.values():
        assert "E_OVER" not in _codes(_ask(tokens_per_s=600, **repair))


def test_narrower_weights_are_named_where_they_explain_a_rate() -> None:
    causes = {cause.id: cause for cause in _ask(tokens_per_s=40).causes}
    assert dict(causes["bytes"].repair) == {"bytes_per_param": 1}
    assert "E_OVER" not in _codes(_ask(tokens_per_s=40, bytes_per_param=1))


def test_a_rate_at_the_ceiling_is_no_fault() -> None:
    for batch in range(60, 90):
        ceiling = _ask(batch=batch).tokens_per_s_ceiling
        assert "E_OVER" not in _codes(_ask(batch=batch, tokens_per_s=ceiling))


def test_weights_that_do_not_fit_name_the_devices_that_hold_them() -> None:
    answer = _ask(memory_gb=80)
    (finding,) = answer.warnings
    assert finding.code == "W_FIT"
    assert dict(finding.repair) == {"accelerators": 2}
    assert _codes(_ask(memory_gb=80, accelerators=2)) == set()


def test_what_lacks_is_named_for_every_null_result() -> None:
    answer = _ask()
    assert {lack.input for lack in answer.missing} == {
        "memory_gb",
        "context",
        "kv_bytes_per_token",
        "target_tokens_per_s",
    }


def test_the_chart_has_its_points_on_the_roofs() -> None:
    chart = _chart(batch=64)
    points = {point.id: point for point in chart.points}
    assert set(points) == {"one", "yours", "ridge"}
    for point in chart.points:
        roof = min(point.intensity * chart.roof.bandwidth, chart.roof.peak)
        assert point.flop_per_s == pytest.approx(roof, rel=1e-12)
    assert points["ridge"].intensity == pytest.approx(chart.roof.ridge)
    assert points["one"].tokens_per_s == pytest.approx(3350 / 140)


def test_throughput_never_falls_with_the_batch_and_turns_at_the_ridge() -> None:
    curve = _chart(batch=300).curve
    rates = [reached.tokens_per_s for reached in curve]
    assert rates == sorted(rates)
    assert 300 in [reached.batch for reached in curve]
    assert {reached.bound for reached in curve if reached.batch <= 295} == {"memory"}
    assert {reached.bound for reached in curve if reached.batch >= 296} == {"compute"}


def test_experts_that_were_not_stated_in_full_are_said_to_lack() -> None:
    assert "expert_params_b" in {lack.input for lack in _ask(n_experts=8, top_k=2).missing}


def test_no_cause_names_a_repair_that_its_field_would_refuse() -> None:
    answer = calculate("inference-roofline", PLAIN | {"bandwidth_gb_s": 0.1, "tokens_per_s": 1e10})
    assert {cause.id for cause in answer.causes} == {"mixture", "prompt"}
