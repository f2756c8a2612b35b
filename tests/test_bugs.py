"""Public reports of wrong FLOPs and MFU, each a small input with the right value by hand arithmetic."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import peakwise as pw
from peakwise.core.count import Count
from peakwise.core.units import from_tera
from peakwise.facts.match import find_chip
from peakwise.predicting.serving import decode_flop, prefill_flop

HERE = Path(__file__).parent
TRACER = "integrations/test_torch.py"
# Each report by its number, and the tests that would catch the wrong figure; without a path they stand in this file.
COVERED: dict[int, tuple[str, ...]] = {
    1: (f"{TRACER}::test_fused_attention_counts_on_every_device",),
    2: (f"{TRACER}::test_attention_is_counted_once",),
    4: (f"{TRACER}::test_depth_wise_convolution_of_the_report",),
    5: (
        f"{TRACER}::test_a_grouped_matmul_counts_every_row_once",
        "integrations/test_ledger_check.py::test_a_default_mixture_on_the_cpu_equals_its_ledger",
    ),
    6: ("test_a_gated_layer_of_4h_has_24_h_squared_in_its_mlp",),
    7: ("test_a_gated_mlp_costs_6_h_f_a_token",),
    8: ("test_experts_have_their_own_width_and_a_token_meets_top_k",),
    9: ("test_causal_attention_is_the_triangle_not_the_square",),
    10: ("test_llama_2_7b_at_8192_has_1299_of_weights_and_211_of_attention",),
    11: ("test_a_window_of_512_sees_448_keys_a_query",),
    13: ("test_a_token_meets_only_its_experts",),
    14: ("test_a_token_meets_only_its_experts",),
    16: ("test_tying_the_embedding_changes_no_count",),
    17: ("test_experts_have_their_own_width_and_a_token_meets_top_k",),
    18: ("test_a_head_width_of_its_own_wins_over_hidden_by_heads", "test_a_merger_sees_a_quarter_of_the_patches"),
    19: ("test_packed_documents_are_squared_one_by_one",),
    20: ("test_packed_documents_are_squared_one_by_one",),
    21: ("test_prefill_gives_the_logits_of_one_token_a_request",),
    25: ("test_every_layer_of_a_loop_is_counted", f"{TRACER}::test_a_loop_is_counted_at_every_turn"),
    26: (f"{TRACER}::test_a_dense_layer_on_two_rows_is_not_hidden_by_its_kernel",),
    27: ("test_a_flop_is_half_a_multiply_add",),
    28: ("test_the_peak_is_the_dense_16_bit_figure_of_the_device_in_use",),
    29: ("test_the_peak_is_the_dense_16_bit_figure_of_the_device_in_use",),
    30: ("test_the_peak_is_the_dense_16_bit_figure_of_the_device_in_use",),
    32: (
        "test_the_peak_is_the_dense_16_bit_figure_of_the_device_in_use",
        "test_an_unknown_device_is_refused_and_not_an_a100",
    ),
    33: (
        "test_the_peak_is_the_dense_16_bit_figure_of_the_device_in_use",
        "test_more_than_the_peak_is_named_and_never_clamped",
    ),
    34: ("test_the_peak_is_summed_over_the_ranks_once",),
    35: ("test_all_devices_tokens_over_one_devices_peak_is_16_times_too_much",),
    37: ("test_more_than_the_peak_is_named_and_never_clamped",),
}
# The reports; numbers that lack are those of reports which were set aside.
ROWS = (*range(1, 3), *range(4, 12), 13, 14, *range(16, 22), *range(25, 31), *range(32, 36), 37)

LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 1,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
}


def count(tmp_path: Path, config: dict[str, Any], **flags: Any) -> Count:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    return pw.count(str(path), **flags)


def per_token(work: Count, component: str) -> float:
    return work.components[component].forward / work.workload.tokens


def test_a_gated_layer_of_4h_has_24_h_squared_in_its_mlp(tmp_path: Path) -> None:
    """Row 6, Megatron-DeepSpeed#283: gate, up and down of 4h are 24 h², with 8 h² of projections 32 h²."""
    width = 512
    sizes = {"hidden_size": width, "intermediate_size": 4 * width, "num_attention_heads": 8, "num_key_value_heads": 8}
    work = count(tmp_path, LLAMA | sizes, seq=64, mode="forward")
    assert per_token(work, "mlp") == 24 * width**2
    assert per_token(work, "mlp") + per_token(work, "attn_proj") == 32 * width**2


def test_a_gated_mlp_costs_6_h_f_a_token(tmp_path: Path) -> None:
    """Row 7, Megatron-LM#682: 352.3 M/token for h = 4,096, f = 14,336, not 268.4 M."""
    assert per_token(count(tmp_path, LLAMA, seq=16, mode="forward"), "mlp") == 6 * 4096 * 14336 == 352_321_536


def test_experts_have_their_own_width_and_a_token_meets_top_k(tmp_path: Path) -> None:
    """Rows 8 and 17, Pai-Megatron-Patch#485, trl#7069: the expert width, layers by (i + 1) % step."""
    config = LLAMA | {
        "model_type": "qwen3_moe",
        "num_hidden_layers": 4,
        "head_dim": 128,
        "num_experts": 16,
        "num_experts_per_tok": 3,
        "moe_intermediate_size": 768,
        "decoder_sparse_step": 2,
    }
    work = count(tmp_path, config, seq=16, mode="forward")
    assert per_token(work, "experts") == 2 * 3 * 6 * 4096 * 768  # layers 1 and 3
    assert per_token(work, "router") == 2 * 2 * 4096 * 16
    assert per_token(work, "mlp") == 2 * 6 * 4096 * 14336  # layers 0 and 2
    renamed = {("num_local_experts" if key == "num_experts" else key): value for key, value in config.items()}
    assert count(tmp_path, renamed, seq=16, mode="forward").ledger.forward == work.ledger.forward


def test_causal_attention_is_the_triangle_not_the_square(tmp_path: Path) -> None:
    """Row 9, Megatron-LM#831, torchtitan#341: S(S + 1)/2 pairs, about half of what full attention counts."""
    causal, full = (count(tmp_path, LLAMA, seq=16384, mode="forward", attention=rule) for rule in ("causal", "full"))
    pairs = [work.components["attn_scores"].forward // (4 * 4096) for work in (causal, full)]
    assert pairs == [16384 * 16385 // 2, 16384**2]


def test_llama_2_7b_at_8192_has_1299_of_weights_and_211_of_attention() -> None:
    """Row 10, maxtext#1972: 1,299.00 + 211.11 TFLOP for 32,768 tokens, not 1,721.22."""
    work = pw.count("llama-2-7b", seq=8192, batch=4)
    weights = sum(part.forward + part.backward for name, part in work.components.items() if name != "attn_scores")
    attention = work.under("maxtext").flop_per_token * work.workload.tokens - weights
    assert weights / from_tera(1) == pytest.approx(1299.00, abs=0.005)
    assert attention / from_tera(1) == pytest.approx(211.11, abs=0.01)
    assert work.ledger.model / from_tera(1) == pytest.approx(1510.11, abs=0.05)


def test_a_window_of_512_sees_448_keys_a_query(tmp_path: Path) -> None:
    """Row 11, Megatron-LM#1725, #3280: W − W(W − 1)/2S = 448.1, not 1,024 and not 256."""
    config = LLAMA | {"model_type": "mistral", "sliding_window": 512}
    work = count(tmp_path, config, seq=2048, mode="forward")
    assert per_token(work, "attn_scores") == 4 * 4096 * 448.125


@pytest.mark.parametrize(
    ("model", "seq", "wrong", "right"),
    [("qwen3-30b-a3b", 4096, 1.83e11, 2.31e10), ("mixtral-8x7b", 4096, 2.80e11, 7.97e10)],
)
def test_a_token_meets_only_its_experts(model: str, seq: int, wrong: float, right: float) -> None:
    """Rows 13 and 14, prime-rl#778, maxtext#678: all experts are 7.9 and 3.5 times too many."""
    work = pw.count(model, seq=seq)
    assert work.flop_per_token == pytest.approx(right, rel=0.002)
    assert work.under("6n").flop_per_token == pytest.approx(wrong, rel=0.002)


def test_tying_the_embedding_changes_no_count(tmp_path: Path) -> None:
    """Row 16, trl#6708: lookup 0, head 2Vh forward, tied or not; the wrong rule moves by 6Vh."""
    tied, untied = (count(tmp_path, LLAMA | {"tie_word_embeddings": tie}, seq=64) for tie in (True, False))
    assert tied.flop_per_token == untied.flop_per_token
    assert untied.parameters.total - tied.parameters.total == 32000 * 4096


def test_a_head_width_of_its_own_wins_over_hidden_by_heads(tmp_path: Path) -> None:
    """Row 18, verl#6903: 2,560 wide with 32 heads of 128, not of 80."""
    sizes = {"model_type": "qwen3", "hidden_size": 2560, "head_dim": 128, "num_key_value_heads": 8}
    work = count(tmp_path, LLAMA | sizes, seq=64, mode="forward")
    assert per_token(work, "attn_proj") == 2 * 2560 * 128 * (32 + 8 + 8 + 32)


def test_packed_documents_are_squared_one_by_one(tmp_path: Path) -> None:
    """Rows 19 and 20, Megatron-Bridge#3839, #4161: four documents of 1,024 are 4 · 1,024², not 4,096²."""
    lengths = tmp_path / "lengths.txt"
    lengths.write_text("1024\n" * 4)
    packed = count(tmp_path, LLAMA, seq=f"lengths={lengths}", mode="forward", attention="full")
    whole = count(tmp_path, LLAMA, seq=4096, mode="forward", attention="full")
    assert packed.components["attn_scores"].forward == 4 * 1024**2 * 4 * 4096
    assert whole.components["attn_scores"].forward == 4 * packed.components["attn_scores"].forward
    assert packed.components["mlp"].forward == whole.components["mlp"].forward


def test_a_merger_sees_a_quarter_of_the_patches(tmp_path: Path) -> None:
    """Row 18, verl#6903, #4748: of 2 × 2 patches the merger makes one token, and the type is counted at all."""
    vision = {"depth": 1, "hidden_size": 64, "intermediate_size": 96, "num_heads": 4, "out_hidden_size": 128}
    vision |= {"patch_size": 16, "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3}
    vision |= {"num_position_embeddings": 64, "deepstack_visual_indexes": [], "model_type": "qwen3_vl"}
    sizes = {"model_type": "qwen3_vl_text", "hidden_size": 128, "head_dim": 32, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "intermediate_size": 192}
    config = {"model_type": "qwen3_vl", "architectures": ["Qwen3VLForConditionalGeneration"]}
    config |= {"text_config": LLAMA | sizes, "vision_config": vision, "tie_word_embeddings": False}
    ledger = count(tmp_path, config, seq="image=128,text=8", mode="forward").ledger
    merger = [term for term in ledger if "merge" in term.name and term.repeats]
    patches = next(term.repeats for term in ledger if term.name == "q" and term.matrix_weights == 64 * 64)
    assert merger
    assert {term.repeats for term in merger} == {patches // 4}


def test_prefill_gives_the_logits_of_one_token_a_request() -> None:
    """Row 21, vllm#33045: a prompt of 2,048 tokens runs the head once; a forward pass over it runs it 2,048 times."""
    work = pw.count("llama-3.1-8b", seq=2048, mode="forward")
    head = 2 * 4096 * 128256
    assert work.components["lm_head"].forward == 2048 * head
    assert prefill_flop(work.model, 2048) == work.ledger.forward - 2047 * head
    assert prefill_flop(work.model, 1) == decode_flop(work.model, 1)


def test_every_layer_of_a_loop_is_counted(tmp_path: Path) -> None:
    """Row 25, flax#3492, jax#18672: 24 layers are 24 times one, and no less than 2 FLOPs a weight and token."""
    one, many = (
        count(tmp_path, LLAMA | {"num_hidden_layers": layers}, seq=64, batch=2, mode="forward") for layers in (1, 24)
    )
    head = one.components["lm_head"].forward
    assert many.ledger.forward - head == 24 * (one.ledger.forward - head)
    assert many.ledger.forward > 2 * many.workload.tokens * many.parameters.matmul


def test_a_flop_is_half_a_multiply_add(tmp_path: Path) -> None:
    """Row 27, fvcore#69 and others: ResNet-50 at 224 is 4.1 billion multiply-adds, 8.2 GFLOP."""
    config = {
        "model_type": "resnet",
        "architectures": ["ResNetForImageClassification"],
        "depths": [3, 4, 6, 3],
        "embedding_size": 64,
        "hidden_sizes": [256, 512, 1024, 2048],
        "layer_type": "bottleneck",
        "num_channels": 3,
        "downsample_in_first_stage": False,
        "num_labels": 1000,
    }
    work = count(tmp_path, config, seq="image=224", mode="forward")
    assert work.ledger.forward == pytest.approx(8.2e9, rel=0.01)
    assert work.ledger.forward / 2 == pytest.approx(4.1e9, rel=0.01)
    assert work.parameters.total == 25_557_032


@pytest.mark.parametrize(
    ("device", "tflops"),
    [
        ("NVIDIA H100 80GB HBM3", 989.4),  # row 28, torchtitan#668: bf16, not TF32's 494.7
        ("NVIDIA H100 NVL", 835.5),  # row 29, pytorch-lightning#21677: dense, not sparse 1,979
        ("NVIDIA H200", 989.4),  # rows 29 and 32
        ("NVIDIA A100-SXM4-80GB", 312.0),  # rows 30 and 33
        ("NVIDIA B300 SXM6 AC", 2250.0),  # row 32, prime-rl#3168: known, not 312
    ],
)
def test_the_peak_is_the_dense_16_bit_figure_of_the_device_in_use(device: str, tflops: float) -> None:
    """Rows 28 to 33: never TF32, never sparse, never another card's."""
    peak = find_chip(device).peak_flop_per_s("bf16")
    assert peak == pytest.approx(from_tera(tflops), rel=0.001)


def test_an_unknown_device_is_refused_and_not_an_a100() -> None:
    """Row 32, prime-rl#3168, OLMo-core#810: unknown stays unknown."""
    with pytest.raises(pw.PeakwiseError, match="unknown chip"):
        find_chip("NVIDIA Z900")


def test_the_peak_is_summed_over_the_ranks_once() -> None:
    """Row 34, nanoGPT#619, litgpt#403: all micro-batches' FLOPs over step time × peak × ranks."""
    step = {"workload": "training", "params_b": 8.03, "step_s": 2.0, "global_batch": 64, "seq_len": 4096}
    answer = pw.calc.mfu(**step, chip="h100-sxm", accelerators=8)
    assert answer.mfu == pytest.approx(6 * 8.03e9 * 64 * 4096 / 2.0 / (8 * from_tera(989.4)), rel=1e-12)


def test_all_devices_tokens_over_one_devices_peak_is_16_times_too_much() -> None:
    """Row 35, huggingface/blog#1649: 70B, 16.4 M tokens, 13.5 h, 16 A100: 2.84 %, not 45.51 %."""
    rate = 16.4e6 / (13.5 * 3600)
    run = {"workload": "training", "params_b": 70, "tokens_per_s": rate, "peak_tflops": 312}
    assert pw.calc.mfu(**run, accelerators=16).mfu == pytest.approx(0.0284, abs=0.0001)
    assert pw.calc.mfu(**run, accelerators=1).mfu == pytest.approx(0.4543, abs=0.001)


def test_more_than_the_peak_is_named_and_never_clamped() -> None:
    """Rows 33 and 37, nanoGPT#464, prime-diloco#10: 104 % keeps its figure and says what is likely wrong."""
    answer = pw.calc.mfu(workload="training", params_b=1, tokens_per_s=54080, peak_tflops=312)
    assert answer.mfu == pytest.approx(1.04, abs=0.001)
    assert [warning.code for warning in answer.warnings] == ["E_OVER"]


def _tests_of(path: str) -> set[str]:
    tree = ast.parse((HERE / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_report_has_a_test() -> None:
    assert tuple(sorted(COVERED)) == ROWS
    for row, names in COVERED.items():
        for name in names:
            path, _, function = name.rpartition("::")
            assert function in _tests_of(path or "test_bugs.py"), f"row {row}: {name} is gone"
