"""The numbered requirements that FLOPs per token, MFU/HFU and method FLOPs carry, each to its digit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.calculators.hfu_losses import LOSSES
from peakwise.calculators.table import find_calculator
from peakwise.core.bands import EDGES
from peakwise.core.calculation import Calculation
from peakwise.core.rounding import format_fixed
from peakwise.verbs.calc import calculate

LLAMA: dict[str, object] = {
    "n_layers": 32,
    "d_model": 4096,
    "d_q": 4096,
    "d_kv": 1024,
    "d_ff": 14336,
    "vocab_size": 128256,
}


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def _shown(answer: Calculation, key: str, locale: str) -> str:
    texts = answer.display[locale]
    assert isinstance(texts, dict)
    return texts[key]  # pyright: ignore[reportUnknownVariableType]


def test_requirement_11_a_forward_pass_is_a_multiply_and_an_add_of_every_parameter() -> None:
    answer = calculate("flops-per-token", {"params_b": 70})
    assert answer.forward_flop_per_token == 140e9 == 2 * _value(answer, "n_params")
    inference = calculate("mfu", {"workload": "inference", "params_b": 70, "tokens_per_s": 1, "peak_tflops": 989})
    assert inference.flop_per_token == answer.forward_flop_per_token


def test_requirement_12_training_is_the_forward_pass_and_twice_it_backward() -> None:
    answer = calculate("flops-per-token", {"params_b": 70})
    assert (answer.training_flop_per_token, answer.backward_flop_per_token) == (420e9, 280e9)
    shaped = calculate("flops-per-token", LLAMA | {"seq_len": 2048})
    assert shaped.backward_flop_per_token == 2 * _value(shaped, "forward_flop_per_token")
    training = calculate("mfu", {"workload": "training", "params_b": 70, "tokens_per_s": 1, "peak_tflops": 989})
    assert training.flop_per_token == answer.training_flop_per_token


def test_requirement_25_first_order_counts_skip_attention_and_the_toggle_shows_how_much() -> None:
    with_it, without = (
        _value(calculate("flops-per-token", LLAMA | {"seq_len": 8192, "attention": word}), "training_flop_per_token")
        for word in ("causal", "none")
    )
    assert format_fixed((with_it - without) / 1e9, 2) == "6.44"


def test_requirement_29_parameters_give_2n_and_6n_and_the_6n_goes_into_the_mfu() -> None:
    answer = calculate("flops-per-token", {"params_b": "70B"}, locale="en")
    assert (_shown(answer, "forward_flop_per_token", "en"), _shown(answer, "training_flop_per_token", "en")) == (
        "140.00",
        "420.00",
    )
    declaration = find_calculator("flops-per-token").declaration
    sent = next(send for send in declaration.sends if send.to == "mfu")
    assert find_calculator("mfu").declaration.field(sent.field)  # the field that takes it
    value = answer.results[sent.result]
    assert value == 420e9
    taken = calculate("mfu", {"workload": "training", sent.field: value, "tokens_per_s": 2000, "peak_tflops": 989})
    assert taken.flop_per_s == 840e12


def test_requirement_34_mfu_is_model_flops_by_the_theoretical_peak() -> None:
    answer = calculate("hfu", {"achieved_tflops": 450, "peak_tflops": 989})
    assert answer.mfu == 450 / 989
    assert (_shown(answer, "mfu_fraction", "ru"), _shown(answer, "mfu", "ru")) == ("0,455", "45,5\u00a0%")


@given(fraction=st.floats(0, 1), percent=st.floats(0, 100))
def test_requirement_35_mfu_counts_forward_and_backward_alone_whatever_runs_again(
    fraction: float, percent: float
) -> None:
    plain = calculate("hfu", {"mfu_pct": percent, "recompute": "none"})
    again = calculate("hfu", {"mfu_pct": percent, "recompute": "fraction", "recompute_fraction": fraction})
    assert again.mfu == plain.mfu
    assert again.band == plain.band


def test_requirement_36_hfu_counts_what_ran() -> None:
    answer = calculate("hfu", {"mfu_pct": 45, "recompute": "full"})
    assert _value(answer, "hfu") == pytest.approx(4 / 3 * 0.45, rel=1e-12)
    assert _shown(answer, "hfu", "ru") == "60,0\u00a0%"
    shaped = calculate("hfu", LLAMA | {"mfu_pct": 45, "recompute": "full", "seq_len": 2048})
    assert _shown(shaped, "hfu_over_mfu", "es") == "1,311"


@given(fraction=st.floats(0, 1), percent=st.floats(0.01, 100), shaped=st.booleans())
def test_requirement_37_hfu_is_above_mfu_where_something_runs_again(
    *, fraction: float, percent: float, shaped: bool
) -> None:
    shapes = LLAMA | {"seq_len": 512} if shaped else {}
    inputs: dict[str, object] = {"mfu_pct": percent, "recompute": "fraction", "recompute_fraction": fraction}
    answer = calculate("hfu", inputs | shapes)
    mfu, hfu = _value(answer, "mfu"), _value(answer, "hfu")
    assert hfu >= mfu
    assert (hfu > mfu) or fraction < 1e-12
    assert calculate("hfu", inputs | shapes | {"recompute_fraction": 0}).hfu == mfu
    assert calculate("hfu", {"mfu_pct": percent} | shapes).hfu is None


def test_requirement_40_a_measured_rate_is_an_input_with_what_its_flops_count() -> None:
    field = find_calculator("hfu").declaration.field("flops_kind")
    assert (field.words, field.default) == (("model", "hardware"), "model")
    given_rate = {"achieved_tflops": 450, "peak_tflops": 989, "recompute": "full"}
    model, hardware = (calculate("hfu", given_rate | {"flops_kind": kind}) for kind in field.words)
    assert (model.mfu, hardware.hfu) == (450 / 989, 450 / 989)
    assert _value(hardware, "mfu") == pytest.approx(450 / 989 * 6 / 8, rel=1e-12)
    assert _value(model, "hfu") == pytest.approx(450 / 989 * 8 / 6, rel=1e-12)


def test_requirement_42_the_rate_is_flops_by_seconds_by_ten_to_the_twelfth() -> None:
    typed = calculate("hfu", {"achieved_tflops": f"{4.5e14 / 1:.0f} FLOP/s", "peak_tflops": 989}, locale="en")
    assert typed.inputs["achieved_tflops"].value == 450
    assert typed.mfu == 450 / 989


@pytest.mark.parametrize(
    ("percent", "band"),
    [(55.1, "excellent"), (55, "good"), (40, "good"), (39.9, "average"), (25, "average"), (24.9, "poor")],
)
def test_requirement_43_every_value_lands_in_one_band(percent: float, band: str) -> None:
    assert calculate("hfu", {"mfu_pct": percent}).band == band


def test_requirement_44_the_bands_have_four_names() -> None:
    names = {calculate("hfu", {"mfu_pct": percent}).band for percent in range(101)}
    assert names == {"poor", *(name for _, name in EDGES)} == {"poor", "average", "good", "excellent"}
    for locale, good in (("en", "good"), ("es", "buena"), ("it", "buona"), ("ru", "хорошо")):
        words = {_shown(calculate("hfu", {"mfu_pct": percent}), "band", locale) for percent in (10, 30, 45, 60)}
        assert len(words) == 4
        assert _shown(calculate("hfu", {"mfu_pct": 45}), "band", locale) == good


def test_requirement_45_fifty_percent_is_good() -> None:
    assert calculate("hfu", {"mfu_pct": 50}).band == "good"


def test_requirement_46_six_causes_each_with_a_measurement_and_the_bubble_of_eight_stages() -> None:
    named = ("collectives", "bubble", "input_pipeline", "recompute", "checkpoints", "tensor_parallel")
    found = {loss.id: loss.measure for loss in LOSSES}
    assert tuple(found)[:6] == named
    assert all(found[cause] for cause in named)
    answer = calculate("hfu", {"mfu_pct": 40, "pp": 8, "n_microbatches": 32})
    assert _shown(answer, "bubble", "ru") == "17,9\u00a0%"
    assert _value(answer, "mfu_without_bubble") == pytest.approx(0.4 / (1 - 7 / 39), rel=1e-12)
    interleaved = calculate("hfu", {"mfu_pct": 40, "pp": 8, "n_microbatches": 32, "virtual_stages": 4})
    assert _shown(interleaved, "bubble", "en") == "5.2%"


def test_requirement_47_what_recompute_costs_stands_beside_what_it_leaves() -> None:
    answer = calculate("hfu", {"mfu_pct": 45, "recompute": "full"})
    assert _value(answer, "recompute_cost") == pytest.approx(_value(answer, "hfu") - _value(answer, "mfu"))
    assert (_shown(answer, "recompute_cost", "en"), _shown(answer, "mfu", "en")) == ("15.0%", "45.0%")


def test_requirement_73_twenty_of_a_hundred_is_twenty_percent() -> None:
    answer = calculate("hfu", {"achieved_tflops": 20, "peak_tflops": 100})
    assert (answer.mfu, 1 - _value(answer, "mfu")) == (0.2, 0.8)
