"""FLOPs per token: shapes are counted as `count` counts, and what lacks or contradicts is named."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.calculators.shape import Sizes, build_model
from peakwise.calculators.shape_of import find_sizes
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
}
LATENT: dict[str, object] = {
    "n_layers": 61,
    "d_model": 7168,
    "n_heads": 128,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "d_qk_nope": 128,
    "d_qk_rope": 64,
    "d_v": 128,
    "d_ff": 18432,
    "vocab_size": 129280,
    "n_experts": 256,
    "top_k": 8,
    "n_shared_experts": 1,
    "d_expert": 2048,
    "n_moe_layers": 58,
}
PARTS = ("projections", "attention", "ffn", "router", "head", "mtp")
SMALL = st.integers(1, 64)


def _work(**inputs: object) -> Calculation:
    return calculate("flops-per-token", inputs)


def _value(answer: Calculation, key: str) -> float:
    value = answer.results[key]
    assert isinstance(value, int | float)
    return value


def _errors(**inputs: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        _work(**inputs)
    return [(error.field, error.code) for error in caught.value.errors]


@pytest.mark.parametrize(("shapes", "model"), [(LLAMA, "llama-3.1-8b"), (LATENT, "deepseek-v3")])
@pytest.mark.parametrize("seq_len", [1, 999, 4096])
def test_typed_shapes_a_name_and_count_agree_to_the_last_flop(
    shapes: dict[str, object], model: str, seq_len: int
) -> None:
    counted = count(model, seq=seq_len)
    typed, named = _work(**shapes, seq_len=seq_len), _work(model=model, seq_len=seq_len)
    assert _value(typed, "training_flop_per_token") * seq_len == counted.ledger.model
    assert typed.training_flop_per_token == named.training_flop_per_token == counted.flop_per_token
    assert typed.n_matmul_params == named.n_matmul_params == counted.parameters.matmul
    assert named.n_params == counted.parameters.total
    assert math.isclose(_value(typed, "n_params"), counted.parameters.total, rel_tol=1e-4)  # norms are no shapes


def test_every_model_of_the_catalogue_that_the_fields_can_say_does_the_same_work_by_its_sizes() -> None:
    said: list[str] = []
    names = ("llama-3.1-8b", "llama-2-7b", "deepseek-v3", "deepseek-v2-lite", "mai-base-1", "mixtral-8x7b")
    for name in (*names, "gemma-3-27b-text", "gemma-2-9b", "qwen2.5-0.5b", "olmoe-1b-7b", "gpt2-124m"):
        model = count(name, seq=777).model
        sizes = find_sizes(model)
        if sizes is not None:
            said.append(name)
            again = count(build_model(sizes), seq=777)
            assert again.flop_per_token == count(name, seq=777).flop_per_token, name
    assert {"llama-3.1-8b", "deepseek-v3", "deepseek-v2-lite", "mixtral-8x7b", "gemma-3-27b-text"} <= set(said)


@settings(max_examples=40)
@given(
    layers=st.integers(1, 12),
    width=SMALL,
    d_q=SMALL,
    share=st.floats(0, 1),
    inner=SMALL,
    moe=st.integers(0, 12),
    seq_len=st.integers(1, 300),
    pairs=st.sampled_from(["exact", "half"]),
    router=st.booleans(),
    mtp=st.booleans(),
)
def test_the_parts_sum_to_the_forward_pass_and_training_is_three_of_it(
    *,
    layers: int,
    width: int,
    d_q: int,
    share: float,
    inner: int,
    moe: int,
    seq_len: int,
    pairs: str,
    router: bool,
    mtp: bool,
) -> None:
    shapes: dict[str, object] = {
        "n_layers": layers,
        "d_model": width,
        "d_q": d_q,
        "d_kv": max(1, int(share * d_q)),
        "d_ff": inner,
        "vocab_size": 99,
        "window": 20,
        "global_every": 3,
    }
    if 0 < moe <= layers:
        shapes |= {"n_moe_layers": moe, "n_experts": 6, "top_k": 2, "d_expert": inner, "n_shared_experts": 2}
    answer = _work(**shapes, seq_len=seq_len, pairs=pairs, router=router, mtp=mtp)
    forward = _value(answer, "forward_flop_per_token")
    assert math.isclose(sum(_value(answer, f"part_{part}") for part in PARTS), forward, rel_tol=1e-12)
    assert math.isclose(_value(answer, "training_flop_per_token"), 3 * forward, rel_tol=1e-12)
    assert math.isclose(_value(answer, "backward_flop_per_token"), 2 * forward, rel_tol=1e-12)
    assert answer.rule_6n_flop_per_token == 6 * _value(answer, "n_matmul_params")
    assert (_value(answer, "part_router") > 0) is (router and "n_moe_layers" in shapes)
    assert (_value(answer, "part_mtp") > 0) is mtp


def test_a_size_typed_beside_a_model_wins() -> None:
    half = _work(model="llama-3.1-8b", n_layers=16, seq_len=4096)
    assert half.training_flop_per_token == _work(**LLAMA | {"n_layers": 16}, seq_len=4096).training_flop_per_token
    assert half.inputs["d_model"].source == "llama-3.1-8b"
    assert half.inputs["n_layers"].source == "n_layers"


def test_another_kind_of_attention_may_be_typed_beside_a_model() -> None:
    plain = _work(model="deepseek-v3", d_q=16384, d_kv=1024, seq_len=4096)
    typed = {key: value for key, value in LATENT.items() if not key.startswith(("d_qk", "d_v", "q_", "kv_", "n_heads"))}
    assert plain.training_flop_per_token == _work(**typed, d_q=16384, d_kv=1024, seq_len=4096).training_flop_per_token
    assert _errors(model="deepseek-v3", d_q=16384, seq_len=4096) == [("d_kv", "E_REQ")]


def test_a_size_beside_a_model_that_the_fields_cannot_say_is_refused() -> None:
    assert _errors(model="mamba-2.8b", n_layers=4, seq_len=512) == [("n_layers", "E_CONFLICT")]


def test_a_model_that_does_not_run_on_text_alone_is_refused() -> None:
    assert _errors(model="flan-t5-xl", seq_len=128) == [("model", "E_CHOICE")]


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"d_model": None}, [("d_model", "E_REQ")]),
        ({"d_kv": None, "vocab_size": None}, [("d_kv", "E_REQ"), ("vocab_size", "E_REQ")]),
        ({"n_moe_layers": 33, "n_experts": 8, "top_k": 2, "d_expert": 64}, [("n_moe_layers", "E_RANGE")]),
        ({"n_moe_layers": 4, "n_experts": 8, "top_k": 9, "d_expert": 64}, [("top_k", "E_RANGE")]),
        ({"n_moe_layers": 4, "n_experts": 8, "top_k": 0, "d_expert": 64}, [("top_k", "E_RANGE")]),
        ({"n_moe_layers": 4, "n_experts": 8, "top_k": 2}, [("d_expert", "E_REQ")]),
        ({"n_moe_layers": 4}, [("n_experts", "E_REQ"), ("top_k", "E_REQ"), ("d_expert", "E_REQ")]),
        ({"n_experts": 8, "top_k": 2, "d_expert": 64}, [("n_moe_layers", "E_REQ")]),
        ({"d_kv": 8192}, [("d_kv", "E_RANGE")]),
        ({"n_heads": 33}, [("n_heads", "E_RANGE")]),
        ({"n_layers": 0}, [("n_layers", "E_RANGE")]),
        ({"n_layers": 20_000}, [("n_layers", "E_RANGE")]),
        ({"params_b": 13}, [("params_b", "E_SHAPE")]),
        ({"active_params_b": 4}, [("active_params_b", "E_SHAPE")]),
        (
            {"d_q": None, "d_kv": None, "kv_lora_rank": 512, "n_heads": 32, "d_v": 128},
            [("d_qk_nope", "E_REQ"), ("d_qk_rope", "E_REQ")],
        ),
    ],
)
def test_shapes_that_lack_or_contradict_each_other_are_named(
    changes: dict[str, object], errors: list[tuple[str, str]]
) -> None:
    assert _errors(**LLAMA | {"seq_len": 4096} | changes) == errors


def test_two_kinds_of_attention_at_once_are_a_conflict() -> None:
    assert _errors(**LATENT, d_q=4096, seq_len=512) == [("q_lora_rank", "E_CONFLICT")]


def test_queries_and_keys_without_any_width_are_refused() -> None:
    assert _errors(**LATENT | {"d_qk_nope": 0, "d_qk_rope": 0}, seq_len=512) == [("d_qk_rope", "E_RANGE")]


@pytest.mark.parametrize("given_b", [7.63, 8.43])
def test_a_stated_total_within_five_percent_is_taken_for_rounding(given_b: float) -> None:
    assert _work(**LLAMA, params_b=given_b, seq_len=512).n_params == 8029995008


def test_the_widths_as_printed_for_gate_and_up_together_are_found_by_the_total() -> None:
    with pytest.raises(InputError) as caught:
        _work(model="mai-base-1", d_ff=13312, d_expert=10240, params_b=962, seq_len=16384)
    assert (caught.value.field, caught.value.code) == ("params_b", "E_SHAPE")
    assert "1,909.5" in caught.value.errors[0].message


def test_parameters_alone_are_the_rule_of_six_and_the_shapes_are_missing() -> None:
    answer = _work(params_b=70, active_params_b=35, attention="causal", seq_len=4096, tied=False, ffn_matrices="3")
    assert (answer.training_flop_per_token, answer.n_params) == (6 * 35e9, 70e9)
    assert answer.part_attention is None
    assert answer.convention["attention"] == "none"
    assert [lack.input for lack in answer.missing] == ["n_layers"]
    assert _errors(params_b=70, active_params_b=80) == [("active_params_b", "E_RANGE")]


def test_without_a_length_only_what_hangs_on_it_is_missing() -> None:
    answer = _work(**LLAMA)
    assert [lack.input for lack in answer.missing] == ["seq_len"]
    assert (answer.forward_flop_per_token, answer.part_attention, answer.attention_share) == (None, None, None)
    assert answer.part_ffn == 11274289152
    assert _value(answer, "seq_len_attention_10pct") == pytest.approx(6360.78, abs=0.01)
    assert _work(**LLAMA, attention="none").missing == ()


@pytest.mark.parametrize("pairs", ["exact", "half"])
@pytest.mark.parametrize("attention", ["causal", "full"])
@pytest.mark.parametrize("mtp", [True, False])
def test_at_its_length_attention_is_a_tenth(pairs: str, attention: str, *, mtp: bool) -> None:
    rules = {"pairs": pairs, "attention": attention, "mtp": mtp}
    length = _value(_work(model="deepseek-v3", seq_len=1, **rules), "seq_len_attention_10pct")
    share = _value(_work(model="deepseek-v3", seq_len=round(length), **rules), "attention_share")
    assert share == pytest.approx(0.1, abs=1e-4)


def test_a_query_that_sees_later_keys_sees_them_at_every_length() -> None:
    length = _value(_work(model="bert-base", seq_len=128), "seq_len_attention_10pct")
    assert _value(_work(model="bert-base", seq_len=round(length)), "attention_share") == pytest.approx(0.1, abs=1e-4)


def test_windows_have_no_length_of_a_tenth_unless_they_are_ignored() -> None:
    windowed = LLAMA | {"window": 4096, "seq_len": 8192}
    assert _work(**windowed).seq_len_attention_10pct is None
    assert _value(_work(**windowed, attention="full"), "seq_len_attention_10pct") == pytest.approx(3180.9, abs=0.1)
    assert _work(**LLAMA, seq_len=8192, attention="none").seq_len_attention_10pct is None


def test_attention_of_packed_documents_is_that_of_their_own_squares() -> None:
    packed = _work(**LLAMA, lengths=[200, 400, 900, 2100], pairs="half")
    mean = (200**2 + 400**2 + 900**2 + 2100**2) / 2 / 3600
    assert _value(packed, "part_attention") == pytest.approx(32 * 4 * 4096 * mean)


def test_modules_are_counted_on_request_and_named_where_they_are_left_out() -> None:
    off, on = _work(model="deepseek-v3", seq_len=4096), _work(model="deepseek-v3", seq_len=4096, mtp=True)
    assert [warning.code for warning in off.warnings] == ["W_MTP"]
    assert dict(off.warnings[0].repair) == {"mtp": True}
    assert on.warnings == ()
    more = _value(on, "training_flop_per_token") / _value(off, "training_flop_per_token") - 1
    assert dict(off.warnings[0].values)["share"] == pytest.approx(more)
    two = _work(model="deepseek-v3", seq_len=4096, mtp=True, n_mtp_modules=2)
    assert _value(two, "part_mtp") == 2 * _value(on, "part_mtp")
    assert _work(**LATENT, seq_len=4096).warnings == ()


def test_modules_of_a_model_that_has_none_need_their_number() -> None:
    assert _errors(model="llama-3.1-8b", mtp=True, seq_len=512) == [("mtp", "E_CHOICE")]
    assert _errors(model="llama-3.1-8b", n_layers=8, mtp=True, seq_len=512) == [("mtp", "E_CHOICE")]
    one = _work(model="llama-3.1-8b", mtp=True, n_mtp_modules=1, seq_len=512)
    typed = _work(**LLAMA, mtp=True, seq_len=512)
    assert one.part_mtp == typed.part_mtp


def test_the_largest_shapes_are_counted_without_loss() -> None:
    answer = _work(n_layers=10_000, d_model=10**6, d_q=10**7, d_kv=10**7, d_ff=10**7, vocab_size=10**7, seq_len=10**8)
    assert answer.n_matmul_params == 10_000 * (4 * 10**13 + 3 * 10**13) + 10**13


def test_a_link_carries_what_was_typed_and_not_what_the_model_gave() -> None:
    assert _work(model="deepseek-v3", seq_len=4096).link == "/en/flops-per-token?v=1&cfg=deepseek-v3&s=4096&att=causal"


def test_the_chart_stacks_the_parts_and_marks_where_attention_is_a_tenth() -> None:
    answer = _work(**LLAMA, seq_len=8192)
    assert answer.charts is not None
    parts, line = answer.charts()
    assert isinstance(parts, BarChart)
    assert isinstance(line, LineChart)
    *stacked, whole = parts.bars
    assert [bar.key for bar in stacked] == ["part_projections", "part_attention", "part_ffn", "part_head"]
    for bar, after in zip(stacked, parts.bars[1:-1], strict=False):
        assert after.start == pytest.approx(bar.start + (bar.value or 0))
    assert whole.value == pytest.approx(_value(answer, "forward_flop_per_token"))
    marks = {mark.key: (mark.x, mark.y) for mark in line.marks}
    assert marks["now"] == (8192, pytest.approx(0.1252, abs=1e-4))
    assert marks["crossing"] == (pytest.approx(6360.78, abs=0.01), 0.1)
    points = dict(line.lines[0].points)
    assert points[4096] < 0.1 < points[8192]


@pytest.mark.parametrize("pairs", ["exact", "half"])
@pytest.mark.parametrize("attention", ["causal", "full"])
@pytest.mark.parametrize("model", ["gemma-3-27b-text", "deepseek-v3", "bert-base", "llama-4-scout-text"])
def test_the_line_of_the_chart_goes_through_the_result(model: str, pairs: str, attention: str) -> None:
    mtp = model == "deepseek-v3"
    answer = _work(model=model, seq_len=9001, pairs=pairs, attention=attention, mtp=mtp)
    assert answer.charts is not None
    line = answer.charts()[1]
    assert isinstance(line, LineChart)
    assert line.marks[0].y == pytest.approx(_value(answer, "attention_share"), rel=1e-9)


def test_a_model_that_the_fields_cannot_say_shows_no_sizes_among_the_inputs() -> None:
    assert set(_work(model="mamba-2.8b", seq_len=64).inputs) == {
        "model",
        "seq_len",
        "mtp",
        "attention",
        "pairs",
        "router",
    }


def test_the_matrices_of_a_feed_forward_are_a_number_on_every_face() -> None:
    for said in (2, "2"):
        answer = calculate("flops-per-token", LLAMA | {"seq_len": 64, "ffn_matrices": said})
        assert answer.inputs["ffn_matrices"].value == 2
        assert answer.part_ffn == 32 * 2 * 2 * 4096 * 14336
    assert "&g=" not in calculate("flops-per-token", LLAMA | {"seq_len": 64, "ffn_matrices": "3"}).link


def test_a_chart_has_no_line_where_attention_is_left_out_and_none_at_all_without_shapes() -> None:
    charts = _work(**LLAMA, attention="none", seq_len=64).charts
    assert charts is not None
    assert len(charts()) == 1
    assert _work(params_b=70).charts is None


def test_sizes_of_nothing_say_no_model() -> None:
    assert find_sizes(build_model(Sizes(n_layers=2, d_model=8, vocab_size=9, d_q=8, d_kv=4, d_ff=16))) is not None
    assert find_sizes(count("mamba-2.8b", seq=8).model) is None
    assert find_sizes(count("clip-vit-l-14", seq=8).model) is None
