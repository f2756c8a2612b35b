"""Training methods by their work: closed forms, what lacks, and the step of reinforcement learning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.calculation import Calculation
from peakwise.core.chart import BarChart, DotChart
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
D, KV, F, V, L, S = 4096, 1024, 14336, 128256, 32, 2048
BLOCK = 2 * D * D + 2 * D * KV + 3 * D * F  # weights of one block: q and o, k and v, three of the feed-forward
HEAD = D * V
FORWARD = 2 * (L * BLOCK + HEAD)
ATTENTION = 4 * D * (S + 1) / 2  # of one layer, forward
LINEARS = ((D, D), (D, KV), (D, KV), (D, D), (D, F), (D, F), (F, D))
STEP: dict[str, object] = {"prompts": 64, "group": 8, "prompt_tokens": 256, "response_tokens": 1024}


def _work(method: str, **inputs: object) -> Calculation:
    return calculate("method-flops", {"method": method} | inputs)


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def _errors(method: str, **inputs: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        _work(method, **inputs)
    return [(error.field, error.code) for error in caught.value.errors]


def _adapter(rank: int) -> int:
    """Weights of the adapters of one block, on all its linears."""
    return sum(rank * (d_in + d_out) for d_in, d_out in LINEARS)


@pytest.mark.parametrize("rank", [1, 16, 64])
def test_adapters_on_all_linears_cost_four_of_a_frozen_weight_and_six_of_their_own(rank: int) -> None:
    """4N + 6A + 3a, less the first block's q, k and v input gradients, frozen and adapters'."""
    first = 2 * (D * D + 2 * D * KV) + 2 * rank * 3 * D
    expected = 2 * FORWARD + L * (6 * _adapter(rank) + 3 * ATTENTION) - first
    answer = _work("lora", **LLAMA, lora_rank=rank)
    assert answer.flop_per_token == expected
    assert answer.flop_per_token == count("llama-3.1-8b", seq=S, train=f"lora:r={rank},targets=all").flop_per_token


def test_recomputed_adapters_run_their_blocks_and_themselves_again() -> None:
    answer = _work("lora", **LLAMA, recompute="full")
    again = _value(answer, "hardware_flop_per_token") - _value(answer, "flop_per_token")
    assert again == L * (2 * BLOCK + 2 * _adapter(16) + ATTENTION)


@pytest.mark.parametrize("layers", [1, 8, 31])
def test_adapters_in_the_last_layers_stop_the_backward_pass_there(layers: int) -> None:
    first = 2 * (D * D + 2 * D * KV) + 2 * 16 * 3 * D
    each = 2 * BLOCK + 2 * ATTENTION + 6 * _adapter(16)
    expected = FORWARD + L * ATTENTION + 2 * HEAD + layers * each - first
    answer = _work("adapters-top", **LLAMA, trained_layers=layers, recompute="full")
    assert answer.flop_per_token == expected
    again = layers * (2 * BLOCK + ATTENTION + 2 * _adapter(16))
    assert answer.hardware_flop_per_token == expected + again


@pytest.mark.parametrize("head", [True, False])
@pytest.mark.parametrize("layers", [0, 1, 8, 32])
def test_training_the_last_layers_costs_their_gradients_and_the_heads(layers: int, *, head: bool) -> None:
    expected = FORWARD + L * ATTENTION + (4 if head else 2) * HEAD + layers * (4 * BLOCK + 2 * ATTENTION)
    answer = _work("top-only", **LLAMA, trained_layers=layers, head_trained=head, recompute="full")
    assert answer.flop_per_token == expected
    assert answer.hardware_flop_per_token == expected + layers * (2 * BLOCK + ATTENTION)


def test_methods_are_sums_of_full_training_adapters_and_forward_passes() -> None:
    full, lora, forward = (_value(_work(m, **LLAMA), "flop_per_token") for m in ("full", "lora", "forward"))
    sums = {
        "dpo": full + forward,
        "dpo-cached": full,
        "dpo-lora": lora + forward,
        "reward": full,
        "qlora": lora,
    }
    for method, expected in sums.items():
        assert _work(method, **LLAMA).flop_per_token == expected, method
    taught = _work("distillation", **LLAMA, teacher_params_b=70)
    assert taught.flop_per_token == full + 2 * 70e9
    assert taught.ratio_to_full == pytest.approx(1 + 2 * 70e9 / full)


@pytest.mark.parametrize(
    ("method", "multiplier", "hardware"),
    [
        ("forward", 2, 2),
        ("full", 6, 8),
        ("lora", 4, 6),
        ("qlora", 4, 6),
        ("dpo", 8, 10),
        ("dpo-cached", 6, 8),
        ("dpo-lora", 6, 8),
        ("reward", 6, 8),
    ],
)
def test_parameters_alone_give_the_factors_of_the_table(method: str, multiplier: int, hardware: int) -> None:
    answer = _work(method, params_b=8.03, recompute="full")
    assert answer.multiplier == pytest.approx(multiplier)
    assert answer.hardware_flop_per_token == pytest.approx(hardware * 8.03e9)
    assert answer.missing == ()


@pytest.mark.parametrize("method", ["adapters-top", "top-only"])
def test_some_layers_of_parameters_alone_are_not_known(method: str) -> None:
    answer = _work(method, params_b=8, trained_layers=2)
    assert (answer.flop_per_token, [lack.input for lack in answer.missing]) == (None, ["n_layers"])


@pytest.mark.parametrize(
    ("inputs", "lacks"),
    [
        ({"params_b": 8, "recompute": "selective"}, ["n_layers"]),
        ({"params_b": 8, "recompute": "full", "early_stop": True}, ["n_layers"]),
        ({"params_b": 8, "recompute": "fraction"}, ["recompute"]),
        (LLAMA | {"recompute": "fraction"}, ["recompute"]),
    ],
)
def test_recompute_that_is_not_known_leaves_hardware_flops_out(inputs: dict[str, object], lacks: list[str]) -> None:
    answer = _work("full", **inputs)
    assert answer.hardware_flop_per_token is None
    assert answer.flop_per_token is not None
    assert [lack.input for lack in answer.missing] == lacks


def test_a_method_of_shapes_without_a_length_lacks_it() -> None:
    answer = _work("lora", **LLAMA | {"seq_len": None})
    assert (answer.flop_per_token, [lack.input for lack in answer.missing]) == (None, ["seq_len"])


@pytest.mark.parametrize(
    ("method", "inputs", "errors"),
    [
        ("top-only", {}, [("trained_layers", "E_REQ")]),
        ("top-only", {"trained_layers": 33}, [("trained_layers", "E_RANGE")]),
        ("distillation", {}, [("teacher_params_b", "E_REQ")]),
        ("lora", {"params_b": 70}, [("params_b", "E_SHAPE")]),
        ("lora", {"mtp": True}, [("mtp", "E_CONFLICT")]),
        ("ppo", STEP, [("reward_params_b", "E_REQ"), ("critic_params_b", "E_REQ")]),
        ("grpo", {"prompts": 64}, [("group", "E_REQ"), ("prompt_tokens", "E_REQ"), ("response_tokens", "E_REQ")]),
    ],
)
def test_a_bad_input_is_named(method: str, inputs: dict[str, object], errors: list[tuple[str, str]]) -> None:
    assert _errors(method, **LLAMA | inputs) == errors


def test_adapters_on_linears_that_a_model_lacks_name_them() -> None:
    assert _errors("lora", model="deepseek-v3", lora_targets="qv", seq_len=64) == [("lora_targets", "E_CHOICE")]


def test_adapters_on_q_and_v_are_fewer_than_on_q_k_v_and_o_and_those_than_on_all() -> None:
    few, more, most = (
        _value(_work("lora", **LLAMA, lora_targets=word), "flop_per_token") for word in ("qv", "qkvo", "all")
    )
    assert few < more < most
    assert few == count("llama-3.1-8b", seq=S, train="lora:r=16,targets=qv").flop_per_token


def test_modules_left_out_are_named() -> None:
    answer = _work("full", model="deepseek-v3", seq_len=4096)
    assert [warning.code for warning in answer.warnings] == ["W_MTP"]


def test_a_step_of_grpo_has_the_published_figures() -> None:
    """6.131e16 FLOP; 13.7, 0.4, 17.2, 17.2 and 51.5 %; 52.2 s, of which decoding 68 %; MFU 14.9 %."""
    answer = _work("grpo", params_b=8.03, **STEP)
    assert f"{_value(answer, 'step_flop'):.3e}" == "6.131e+16"
    phases = ("decode", "prefill", "old", "reference", "train")
    assert [round(100 * _value(answer, f"share_{phase}"), 1) for phase in phases] == [13.7, 0.4, 17.2, 17.2, 51.5]
    assert round(_value(answer, "step_s"), 1) == 52.2
    assert round(_value(answer, "time_share_decode"), 2) == 0.68
    assert round(100 * _value(answer, "mfu"), 1) == 14.9
    assert (answer.flop_per_token, answer.hardware_flop_per_token, answer.missing) == (None, None, ())


def test_a_step_by_shapes_counts_attention_of_prompt_and_response() -> None:
    answer = _work("grpo", **LLAMA | {"seq_len": None}, **STEP)
    works = [count("llama-3.1-8b", seq=n).ledger for n in (256, 1280)]
    decode, prefill = 512 * (works[1].forward - works[0].forward), 64 * works[0].forward
    assert _value(answer, "step_flop") == decode + prefill + 512 * (2 * works[1].forward + works[1].model)


def test_a_mean_length_between_two_whole_ones_lies_between_their_steps() -> None:
    lengths = (1024, 1024.25, 1025)
    low, middle, high = (_value(_work("grpo", **LLAMA, **STEP | {"response_tokens": n}), "step_flop") for n in lengths)
    assert middle == pytest.approx(low + (high - low) / 4, rel=1e-12)


def test_without_a_prompt_nothing_is_prefilled() -> None:
    assert _work("grpo", **LLAMA, **STEP | {"prompt_tokens": 0}).share_prefill == 0


def test_ppo_adds_reward_value_and_the_critics_training() -> None:
    rollouts = {"prompts": 64, "prompt_tokens": 256, "response_tokens": 1024, "updates": 2}
    beside = {"reward_params_b": 7, "critic_params_b": 3}
    ppo, bare = _work("ppo", params_b=8, **rollouts, **beside), _work("grpo", params_b=8, **rollouts, group=1)
    tokens = 64 * 1280
    more = tokens * (2 * 7e9 + 2 * 3e9 + 2 * 6 * 3e9)
    assert _value(ppo, "step_flop") == pytest.approx(_value(bare, "step_flop") + more)
    assert _value(ppo, "share_reward") == pytest.approx(tokens * 2 * 7e9 / _value(ppo, "step_flop"))
    assert _value(ppo, "share_value") == pytest.approx(tokens * 2 * 3e9 / _value(ppo, "step_flop"))


@given(
    decode=st.floats(0.01, 100), prefill=st.floats(0.01, 100), other=st.floats(0.01, 100), devices=st.integers(1, 10**6)
)
def test_the_mfu_of_a_step_lies_between_the_utilizations_of_its_phases(
    decode: float, prefill: float, other: float, devices: int
) -> None:
    answer = _work(
        "grpo", params_b=8, **STEP, decode_pct=decode, prefill_pct=prefill, other_pct=other, accelerators=devices
    )
    low, high = min(decode, prefill, other) / 100, max(decode, prefill, other) / 100
    assert low * (1 - 1e-9) <= _value(answer, "mfu") <= high * (1 + 1e-9)


def test_the_chart_of_a_step_has_two_shares_that_sum_to_one() -> None:
    charts = _work("grpo", params_b=8.03, **STEP).charts
    assert charts is not None
    (chart,) = charts()
    assert isinstance(chart, DotChart)
    assert [row.key for row in chart.rows] == ["decode", "prefill", "old", "reference", "train"]
    assert sum(row.a or 0 for row in chart.rows) == pytest.approx(1)
    assert sum(row.b or 0 for row in chart.rows) == pytest.approx(1)
    assert chart.rows[0].b == pytest.approx(0.68, abs=0.001)


def test_the_chart_of_methods_shows_those_that_the_inputs_give() -> None:
    def bars(**inputs: object) -> dict[str, float | None]:
        charts = _work("lora", **inputs).charts
        assert charts is not None
        (chart,) = charts()
        assert isinstance(chart, BarChart)
        assert [bar.key for bar in chart.bars if bar.style == "ours"] == ["lora"]
        return {bar.key: bar.value for bar in chart.bars}

    plain = bars(params_b=8)
    assert {key: round(value or 0, 6) for key, value in plain.items()} == {
        "forward": 2,
        "full": 6,
        "lora": 4,
        "qlora": 4,
        "dpo": 8,
        "dpo-cached": 6,
        "dpo-lora": 6,
        "reward": 6,
    }
    shaped = bars(**LLAMA, trained_layers=8, teacher_params_b=70)
    assert set(shaped) == {*plain, "adapters-top", "top-only", "distillation"}
    charts = _work("lora", **LLAMA | {"seq_len": None}).charts
    assert charts is not None
    assert charts() == ()


def test_a_method_that_a_model_cannot_take_is_no_row_of_the_chart() -> None:
    charts = _work("full", model="deepseek-v3", seq_len=64, lora_targets="qv").charts
    assert charts is not None
    (chart,) = charts()
    assert isinstance(chart, BarChart)
    assert {"full", "dpo"} <= {bar.key for bar in chart.bars}
    assert "lora" not in {bar.key for bar in chart.bars}
