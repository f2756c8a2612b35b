"""The product's requirements on the MFU by the numbers alone, one test a requirement, by its number."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peakwise.calculators.table import find_calculator
from peakwise.cli.main import main
from peakwise.core.calculation import Calculation
from peakwise.core.scales import SCALES, is_inside
from peakwise.facts.chips import chip_by_id
from peakwise.verbs.calc import calculate

SEED: dict[str, object] = {"workload": "inference", "params_b": 70, "tokens_per_s": 2000, "peak_tflops": 989}
TRAINING = SEED | {"workload": "training"}


def _codes(answer: Calculation) -> list[str]:
    return [warning.code for warning in answer.warnings]


def _shown(answer: Calculation, key: str, locale: str = "en") -> str:
    texts = answer.display[locale]
    assert isinstance(texts, dict)
    return texts[key]  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.parametrize("typed", ["70", "70B", "70e9 parameters", "0.07T"])
def test_requirement_03_parameters_are_typed_in_thousand_millions(
    typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """70 is 7e10 parameters: 1.4e11 FLOP for a token of inference; 7e10 typed as a bare number is out of range."""
    words = ["calc", "mfu", "--workload", "inference", "--params", typed, "--rate", "2000", "--peak", "989", "--json"]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["inputs"]["params_b"]["value"] == pytest.approx(70, rel=1e-15)
    assert document["inputs"]["params_b"]["unit"] == "10⁹ parameters"
    assert document["results"]["flop_per_token"] == pytest.approx(2 * 7e10, rel=1e-15)
    assert calculate("mfu", SEED).flop_per_token == 2 * 7e10
    assert calculate("flops-per-token", {"params_b": 70}).n_params == 7e10


def test_requirement_08_the_rate_is_factor_parameters_and_tokens_by_a_thousand() -> None:
    """2 · 70 · 2,000 / 1,000 = 280 TFLOP/s to the last digit, and the page's own formula says so."""
    answer = calculate("mfu", SEED)
    assert answer.flop_per_s == 2 * 70 * 2000 / 1000 * 1e12 == 280e12
    assert _shown(answer, "flop_per_s") == "280.0"
    assert [step.top for step in answer.working[:2]] == [
        "{factor} × {params_b}",
        "{flop_per_token} × {tokens_per_s_total}",
    ]


def test_requirement_09_the_utilization_is_the_rate_by_the_peak() -> None:
    answer = calculate("mfu", SEED)
    assert answer.mfu == 280 / 989
    assert str(answer.mfu).startswith("0.283114")
    assert (_shown(answer, "mfu_fraction", "es"), _shown(answer, "mfu", "es")) == ("0,283", "28,3\u00a0%")


def test_requirement_10_ten_to_the_ninth_tokens_of_one_flop_are_a_thousandth_of_a_tflop_per_s() -> None:
    unit = {"workload": "custom", "flops_per_param": 1, "params_b": 1, "tokens_per_s": 1, "peak_tflops": 0.01}
    answer = calculate("mfu", unit)
    assert answer.flop_per_s == 1e9
    assert answer.mfu == 0.001 / 0.01


@pytest.mark.parametrize(("percent", "inside"), [(34.9, False), (35.0, True), (55.0, True), (55.1, False)])
def test_requirement_19_tuned_large_trainings_reach_35_to_55_percent(percent: float, *, inside: bool) -> None:
    mfu = calculate("hfu", {"mfu_pct": percent}).mfu
    assert isinstance(mfu, float)
    tuned = next(scale for scale in SCALES if scale.id == "tuned")
    assert (tuned.low, tuned.high, is_inside(mfu, tuned)) == (0.35, 0.55, inside)


def test_requirement_26_the_peak_must_match_the_precision_and_the_number_of_accelerators() -> None:
    sparse = calculate("mfu", TRAINING | {"params_b": 8, "peak_tflops": 1979})
    assert _codes(sparse) == ["W_PREC"]
    assert sparse.warnings[0].repair == (("peak_tflops", 989.4),)
    assert _codes(calculate("mfu", TRAINING | {"params_b": 8, "peak_tflops": 1979, "precision": "fp8"})) == []
    one = calculate("mfu", TRAINING | {"params_b": 8, "tokens_per_s": 10000, "accelerators": 8})
    assert (_codes(one), _shown(one, "mfu")) == (["W_BASIS"], "6.1%")
    assert one.warnings[0].repair == (("tokens_per_s_per_device", 10000), ("tokens_per_s", None))
    each = calculate(
        "mfu",
        {
            "workload": "training",
            "params_b": 8,
            "tokens_per_s_per_device": 10000,
            "peak_tflops": 989,
            "accelerators": 8,
        },
    )
    assert (_codes(each), _shown(each, "mfu")) == ([], "48.5%")


def test_requirement_17_the_catalogues_h100_does_about_a_thousand_16_bit_tflop_per_s() -> None:
    chip = chip_by_id("h100-sxm")
    assert (chip.peak_flop_per_s("bf16"), chip.peak_flop_per_s("fp16")) == (989.4e12, 989.4e12)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_requirement_39_the_h100_is_printed_989(precision: str) -> None:
    answer = calculate("mfu", TRAINING | {"peak_tflops": 1, "chip": "h100-sxm"})
    assert answer.peak_flop_per_s == 1e12  # a typed peak wins
    named = {key: value for key, value in TRAINING.items() if key != "peak_tflops"}
    answer = calculate("mfu", named | {"chip": "h100-sxm", "precision": precision})
    assert answer.peak_flop_per_s == 989.4e12
    assert {_shown(answer, "peak_flop_per_s", locale) for locale in ("en", "es", "it", "ru")} == {"989"}


# A decoder of Llama's shape, small: gated, grouped heads, an untied head.
WIDTHS = {"n_layers": 2, "d_model": 64, "d_q": 64, "d_kv": 32, "d_ff": 160, "vocab_size": 256}
TOKENS = 32


def _toy(attention: str) -> Any:
    """The toy of WIDTHS from the library, its attention by products or by the fused kernel, on the CPU."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=64,
        intermediate_size=160,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=256,
        tie_word_embeddings=False,
    )
    config._attn_implementation = attention
    return LlamaForCausalLM(config).eval()


def _framework_counts(attention: str) -> int:
    """FLOPs of one forward and backward pass by the framework's own counter, without its `mods`."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    model, ids = _toy(attention), torch.arange(TOKENS).unsqueeze(0)
    counter = FlopCounterMode(display=False)
    with counter:
        model(input_ids=ids, use_cache=False).logits.sum().backward()
    return counter.get_total_flops()


@pytest.mark.torch
def test_requirement_41_the_counter_gives_6n_and_3a_and_the_fused_kernel_of_the_cpu_hides_the_attention() -> None:
    import torch

    from peakwise import trace_flops

    answer = calculate("flops-per-token", WIDTHS | {"seq_len": TOKENS, "attention": "full"})
    bare = calculate("flops-per-token", WIDTHS | {"seq_len": TOKENS, "attention": "none"})
    n_matmul, attention = answer.n_matmul_params, 2 * 2 * WIDTHS["n_layers"] * WIDTHS["d_q"] * TOKENS
    assert isinstance(n_matmul, int | float)
    whole = TOKENS * (6 * n_matmul + 3 * attention)
    assert (answer.training_flop_per_token, bare.training_flop_per_token) == (whole / TOKENS, 6 * n_matmul)
    sizes = {"n_layers": 2, "d_q": 64, "seq_len": TOKENS, "attention": "full", "params_b": n_matmul / 1e9}
    assert calculate("mfu", TRAINING | sizes).flop_per_token == pytest.approx(whole / TOKENS, rel=1e-12)
    assert _framework_counts("eager") == whole
    assert _framework_counts("sdpa") == TOKENS * 6 * n_matmul  # the attention is missing: never to be trusted
    ids = torch.arange(TOKENS).unsqueeze(0)
    for kind in ("eager", "sdpa"):
        trace = trace_flops(_toy(kind), ids, attention="full")
        assert trace.forward + trace.backward == whole, kind


def test_requirement_70_the_steps_of_the_how_to_are_answered_by_the_calculator() -> None:
    """Its five steps: the rate of one, the efficiency of all, the length, which tokens count, the examples on."""
    declaration = find_calculator("finetune-throughput").declaration
    asked = {field.key for field in declaration.fields}
    steps = ("tokens_per_s_per_device", "rate_at_n", "tokens_per_example", "token_kind")
    assert set(steps) <= asked
    assert "finetune-duration" in {send.to for send in declaration.sends}
    assert declaration.hero == "examples_per_s"
