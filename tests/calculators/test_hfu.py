"""MFU and HFU: what recompute adds, by the rule and by shapes, the pipeline's bubble, and what cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.calculators.hfu_losses import LOSSES
from peakwise.calculators.hfu_work import without_loss
from peakwise.core.calculation import Calculation
from peakwise.core.chart import BarChart, LineChart
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate
from peakwise.verbs.count import count

LLAMA: dict[str, object] = {
    "n_layers": 32,
    "d_model": 4096,
    "d_q": 4096,
    "d_kv": 1024,
    "d_ff": 14336,
    "vocab_size": 128256,
    "seq_len": 2048,
}


def _hfu(**inputs: object) -> Calculation:
    return calculate("hfu", inputs)


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def _codes(answer: Calculation) -> list[str]:
    return [warning.code for warning in answer.warnings]


@pytest.mark.parametrize(
    ("flags", "inputs"),
    [
        ({"recompute": "full"}, {"recompute": "full"}),
        ({"recompute": "full", "early_stop": True}, {"recompute": "full", "early_stop": True}),
        ({"recompute": "selective"}, {"recompute": "selective"}),
        ({"recompute": "none", "flash_backward": True}, {"recompute": "none", "flash_backward": True}),
        ({"recompute": "full", "flash_backward": True}, {"recompute": "full", "flash_backward": True}),
        ({"recompute": "every:2"}, {"recompute": "fraction", "recompute_fraction": 0.5}),
    ],
)
def test_hardware_by_model_flops_is_what_count_gives(flags: dict[str, object], inputs: dict[str, object]) -> None:
    ledger = count("llama-3.1-8b", seq=2048, **flags).ledger  # pyright: ignore[reportArgumentType]
    for answer in (_hfu(mfu_pct=40, **LLAMA, **inputs), _hfu(mfu_pct=40, model="llama-3.1-8b", seq_len=2048, **inputs)):
        assert _value(answer, "hfu_over_mfu") == pytest.approx(ledger.hardware / ledger.model, rel=1e-12)
        assert _value(answer, "hfu") == pytest.approx(0.4 * ledger.hardware / ledger.model, rel=1e-12)


@pytest.mark.parametrize(
    ("inputs", "ratio"),
    [
        ({"recompute": "full"}, 1.311),
        ({"recompute": "full", "seq_len": 8192}, 1.313),
        ({"recompute": "full", "attention": "none", "seq_len": None}, 1.310),
        ({"recompute": "full", "early_stop": True}, 1.230),
    ],
)
def test_the_published_ratios_with_the_head_outside(inputs: dict[str, object], ratio: float) -> None:
    assert round(_value(_hfu(mfu_pct=40, **LLAMA | inputs), "hfu_over_mfu"), 3) == ratio


@pytest.mark.parametrize(
    "inputs",
    [
        {"recompute": "selective"},
        {"recompute": "full", "early_stop": True},
        {"recompute": "none", "flash_backward": True},
        {"recompute": "fraction", "recompute_fraction": 0.5, "flash_backward": True},
    ],
)
def test_what_hangs_on_shapes_is_missing_without_them(inputs: dict[str, object]) -> None:
    answer = _hfu(mfu_pct=40, **inputs)
    assert (answer.mfu, answer.hfu, answer.recompute_cost) == (0.4, None, None)
    assert [lack.input for lack in answer.missing] == ["n_layers"]


def test_shapes_without_a_length_lack_it_unless_nothing_runs_again() -> None:
    shapes = LLAMA | {"seq_len": None}
    assert [lack.input for lack in _hfu(mfu_pct=40, **shapes, recompute="full").missing] == ["seq_len"]
    assert _hfu(mfu_pct=40, **shapes, recompute="none").hfu == 0.4


def test_recompute_that_is_not_stated_gives_no_hfu_and_no_mfu_of_hardware_flops() -> None:
    model = _hfu(achieved_tflops=450, peak_tflops=989)
    assert (round(_value(model, "mfu"), 3), model.hfu) == (0.455, None)
    hardware = _hfu(achieved_tflops=450, peak_tflops=989, flops_kind="hardware")
    assert (hardware.mfu, hardware.hfu, hardware.band, hardware.mfu_without_bubble) == (None, None, None, None)
    assert [lack.input for lack in hardware.missing] == ["recompute"]


def test_a_fraction_alone_states_recompute() -> None:
    assert _hfu(mfu_pct=30, recompute_fraction=0.5).hfu == pytest.approx(0.35)


@pytest.mark.parametrize(
    ("inputs", "errors"),
    [
        ({}, [("mfu_pct", "E_REQ")]),
        ({"mfu_pct": 40, "recompute": "fraction"}, [("recompute_fraction", "E_REQ")]),
        ({"mfu_pct": 40, "achieved_tflops": 400, "peak_tflops": 989}, [("achieved_tflops", "E_CONFLICT")]),
        ({"achieved_tflops": 400, "peak_tflops": 0}, [("peak_tflops", "E_ZERO_PEAK")]),
        ({"mfu_pct": 40, "d_model": 64, "d_q": 64, "d_kv": 64, "d_ff": 9, "vocab_size": 9}, [("n_layers", "E_REQ")]),
        ({"mfu_pct": 40, "pp": 0}, [("pp", "E_RANGE")]),
    ],
)
def test_a_bad_input_is_named(inputs: dict[str, object], errors: list[tuple[str, str]]) -> None:
    with pytest.raises(InputError) as caught:
        _hfu(**inputs)
    assert [(error.field, error.code) for error in caught.value.errors] == errors


def test_an_hfu_above_the_peak_names_recompute_first_with_what_the_repair_gives() -> None:
    answer = _hfu(mfu_pct=80, recompute="full")
    assert _codes(answer) == ["E_OVER"]
    assert [cause.id for cause in answer.causes] == ["recompute", "hardware_flops", "peak"]
    for cause in answer.causes[:2]:
        repaired = _hfu(**{"mfu_pct": 80, "recompute": "full"} | dict(cause.repair))
        assert repaired.mfu == pytest.approx(cause.value)
        assert _codes(repaired) == (["W_HIGH"] if cause.id == "recompute" else [])


def test_a_rate_above_the_peak_may_be_that_of_several_accelerators_or_hardware_flops() -> None:
    answer = _hfu(achieved_tflops=1200, peak_tflops=989, recompute="full")
    assert [cause.id for cause in answer.causes] == ["achieved_of_several", "hardware_flops", "peak"]
    repaired = _hfu(achieved_tflops=1200, peak_tflops=989, recompute="full", flops_kind="hardware")
    assert repaired.mfu == pytest.approx(answer.causes[1].value)
    assert [cause.id for cause in repaired.causes] == ["achieved_of_several", "peak"]


@pytest.mark.parametrize(("percent", "codes"), [(65, []), (65.1, ["W_HIGH"]), (100, ["W_HIGH"]), (100.1, ["E_OVER"])])
def test_what_trainings_rarely_reach_is_found(percent: float, codes: list[str]) -> None:
    assert _codes(_hfu(mfu_pct=percent, recompute="none")) == codes


def test_modules_left_out_are_named_and_a_mixture_has_no_band() -> None:
    answer = _hfu(mfu_pct=40, model="deepseek-v3", recompute="full", seq_len=4096)
    assert _codes(answer) == ["W_MTP"]
    assert "mixture" in answer.report.band_note


@given(stages=st.integers(1, 100), microbatches=st.integers(1, 1000), virtual=st.integers(1, 16))
def test_more_microbatches_or_virtual_stages_never_lengthen_the_bubble(
    stages: int, microbatches: int, virtual: int
) -> None:
    bubble = _value(_hfu(mfu_pct=40, pp=stages, n_microbatches=microbatches, virtual_stages=virtual), "bubble")
    more = _value(_hfu(mfu_pct=40, pp=stages, n_microbatches=microbatches + 1, virtual_stages=virtual), "bubble")
    deeper = _value(_hfu(mfu_pct=40, pp=stages, n_microbatches=microbatches, virtual_stages=virtual + 1), "bubble")
    assert 0 <= more <= bubble < 1
    assert deeper <= bubble


def test_losses_multiply() -> None:
    assert without_loss(without_loss(0.3, 0.2), 0.25) == pytest.approx(0.3 / (0.8 * 0.75))


def test_every_loss_has_its_own_id_and_a_measurement() -> None:
    assert len({loss.id for loss in LOSSES}) == len(LOSSES) == 11
    assert all(loss.measure for loss in LOSSES)


def test_the_charts_are_mfu_and_hfu_by_recomputed_blocks_and_the_way_from_the_peak() -> None:
    charts = _hfu(mfu_pct=45, recompute="fraction", recompute_fraction=0.6, pp=8, n_microbatches=32).charts
    assert charts is not None
    line, waterfall = charts()
    assert isinstance(line, LineChart)
    assert isinstance(waterfall, BarChart)
    hfu, mfu = (dict(one.points) for one in line.lines)
    assert (hfu[0], hfu[1], set(mfu.values())) == (0.45, pytest.approx(0.6), {0.45})
    assert (line.marks[0].x, line.marks[0].y) == (pytest.approx(0.6), pytest.approx(0.54))
    peak, *losses, left = waterfall.bars
    assert (peak.value, left.key, left.value) == (1, "mfu", 0.45)
    assert sum(bar.value or 0 for bar in (*losses, left)) == pytest.approx(1)
    right = 1.0
    for bar in losses[:1]:
        assert bar.start + (bar.value or 0) == pytest.approx(right)
    recompute = next(bar for bar in losses if bar.key == "recompute")
    assert (recompute.start, recompute.value) == (0.45, pytest.approx(0.09))


def test_losses_that_pass_the_peak_leave_nothing_to_attribute() -> None:
    charts = _hfu(mfu_pct=60, recompute="full", pp=8, n_microbatches=8).charts
    assert charts is not None
    other = next(bar for bar in charts()[1].bars if bar.key == "not_attributed")  # pyright: ignore
    assert other.value is None


def test_without_an_mfu_nothing_is_drawn_and_without_a_length_only_the_way_from_the_peak() -> None:
    none = _hfu(achieved_tflops=450, peak_tflops=989, flops_kind="hardware").charts
    short = _hfu(mfu_pct=40, **LLAMA | {"seq_len": None}).charts
    assert none is not None
    assert short is not None
    assert (none(), [chart.name for chart in short()]) == ((), ["waterfall"])
