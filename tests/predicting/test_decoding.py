"""Decoding and prefill by formula give what an independent calculation of the same models gave."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path

import pytest

from peakwise.core.model import Model
from peakwise.core.units import from_giga, from_tera
from peakwise.predicting.decode import (
    bandwidth_share,
    batch_that_fits,
    compute_rate,
    expected_experts,
    memory_rate,
    read_bytes,
    read_bytes_at_most,
    ridge_batch,
    step_time,
    step_time_apart,
    streams_for,
)
from peakwise.predicting.serving import (
    Width,
    cache_bytes,
    decode_flop,
    kv_bytes_per_token,
    prefill_flop,
    split_weights,
    weight_bytes,
    written_bytes,
)
from peakwise.readers.configs.named import read_named

WORKED = json.loads((Path(__file__).parents[1] / "data/inference_worked.json").read_text(encoding="utf-8"))

# Bytes of a weight: body, routed experts, head. Four-bit types carry a scale for each group of weights.
WIDTHS = {
    "bf16": Width(2, 2, 2),
    "fp8": Width(1, 1, 1),
    "w4a16": Width(4.125 / 8, 4.125 / 8, 2),
    "fp4": Width(4.5 / 8, 4.5 / 8, 2),
    "mxfp4": Width(2, 4.25 / 8, 2),
}
SEVEN_DIGITS = 6e-7  # what the table prints


@functools.cache
def _model(name: str) -> Model:
    return read_named(name)


def _same(value: float, expected: float) -> bool:
    return math.isclose(value, expected, rel_tol=SEVEN_DIGITS)


@pytest.mark.parametrize("name", WORKED["models"])
def test_weights_and_cache_of_a_token_are_those_of_the_shapes(name: str) -> None:
    expected, model = WORKED["models"][name], _model(name)
    weights = split_weights(model)
    assert weights.head == expected["lm_head"]
    assert weights.active + weights.head == expected["active_params_incl_lm_head"]
    assert kv_bytes_per_token(model, 2) == expected["kv_bytes_per_token_bf16_marginal"]
    assert written_bytes(model, 2) == expected["kv_bytes_per_token_bf16_all_layers"]


@pytest.mark.parametrize("row", WORKED["unit"], ids=lambda row: f"{row['model']} {row['S']}")
def test_flops_and_cache_of_one_request_are_exact(row: dict) -> None:
    model, length = _model(row["model"]), row["S"]
    half = length // 2
    assert prefill_flop(model, length) == row["prefill_flops"]
    assert prefill_flop(model, length, full=True) == row["prefill_flops_noncausal"]
    assert prefill_flop(model, length - half, past=half) == row["prefill_flops_half_cached"]
    assert decode_flop(model, length) == row["decode_flops_model"]
    assert row["decode_flops_absorbed"] in (None, decode_flop(model, length, absorbed=True))
    assert cache_bytes(model, length, 2) == row["kv_bytes_seq_bf16"]
    assert cache_bytes(model, length, 1) == row["kv_bytes_seq_fp8"]


@pytest.mark.parametrize(
    "row", WORKED["steps"], ids=lambda row: f"{row['model']} {row['quant']} B{row['batch']} c{row['ctx']}"
)
def test_a_step_moves_and_computes_what_bounds_its_rate(row: dict) -> None:
    model, hardware = _model(row["model"]), WORKED["hardware"][row["hw"]]
    batch, context, width = row["batch"], row["ctx"], row["kv_bytes"]
    weights = weight_bytes(split_weights(model), WIDTHS[row["quant"]], batch)
    read, written = batch * cache_bytes(model, context, width), batch * written_bytes(model, width)
    flop = batch * decode_flop(model, context)
    executed = batch * decode_flop(model, context, absorbed=True)
    bandwidth = row["n_gpus"] * from_giga(hardware["bw"])
    peak = row["n_gpus"] * from_tera(hardware[row["peak"]])
    moved = weights + read + written
    least = step_time(moved, executed, bandwidth, peak)
    matmul = batch * decode_flop(model, 0)
    found = {
        "weight_bytes": weights,
        "kv_read_bytes": read,
        "kv_write_bytes": written,
        "model_flops": flop,
        "hw_flops": executed,
        "t_mem_s": moved / bandwidth,
        "t_flop_s": executed / peak,
        "tpot_lb_s": least,
        "tok_s_ceiling": min(
            memory_rate(batch, weights, (read + written) / batch, bandwidth), compute_rate(executed / batch, peak)
        ),
        "tpot_additive_s": step_time_apart(weights, read, matmul, bandwidth, peak),
        "mfu_at_ceiling": flop / least / peak,
        "mbu_at_ceiling": bandwidth_share(batch / least, batch, weights, (read + written) / batch, bandwidth),
        "intensity_flop_per_byte": executed / moved,
    }
    assert {key: value for key, value in found.items() if not _same(value, row[key])} == {}
    lookup = 0 if model.tied else model.shape.vocab_size * model.shape.d_model
    held = weight_bytes(split_weights(model), WIDTHS[row["quant"]], math.inf) + lookup * WIDTHS[row["quant"]].head
    room = 0.9 * row["n_gpus"] * from_giga(hardware["mem"])
    assert batch_that_fits(room, held, cache_bytes(model, context, width)) == max(0, row["max_batch_util0.9"])


@pytest.mark.parametrize("row", WORKED["prefill"], ids=lambda row: f"{row['model']} {row['quant']} {row['S']}")
def test_prefill_is_bound_by_its_flops_or_by_reading_the_weights(row: dict) -> None:
    model, hardware = _model(row["model"]), WORKED["hardware"][row["hw"]]
    flop = prefill_flop(model, row["S"])
    weights = weight_bytes(split_weights(model), WIDTHS[row["quant"]], row["S"])
    bandwidth, peak = from_giga(hardware["bw"]), from_tera(hardware[row["peak"]])
    least = step_time(weights, flop, row["n_gpus"] * bandwidth, row["n_gpus"] * peak)
    assert flop == row["flops"]
    assert _same(least, row["ttft_lb_s"])
    assert _same(row["S"] / least, row["prefill_tok_s_ceiling"])


@pytest.mark.parametrize("row", WORKED["moe"], ids=lambda row: f"{row['model']} {row['tokens']}")
def test_a_batch_reads_the_expected_experts_and_never_more_than_the_bounds(row: dict) -> None:
    read = expected_experts(row["E"], row["k"], row["tokens"])
    assert _same(read, row["expected_distinct"])
    assert row["k"] <= read * (1 + 1e-12)
    assert read <= row["upper_bound_min_kB_E"] * (1 + 1e-12)
    assert _same(
        weight_bytes(split_weights(_model(row["model"])), WIDTHS["bf16"], row["tokens"]), row["weight_bytes_step_bf16"]
    )


@pytest.mark.parametrize("row", WORKED["critical_batch"], ids=lambda row: f"{row['hw']} {row['weight_bytes']}")
def test_the_batch_at_the_ridge_is_peak_over_bandwidth_by_half_the_weights_width(row: dict) -> None:
    hardware = WORKED["hardware"][row["hw"]]
    batch = ridge_batch(row["weight_bytes"], 0, 2, from_tera(hardware[row["peak"]]), from_giga(hardware["bw"]))
    assert batch is not None
    assert _same(batch, row["B_crit_dense"])


def test_a_hybrid_keeps_a_constant_state_beside_the_cache_of_its_attention_layers() -> None:
    bamba = _model("bamba-9b")
    state = 128 * 128 * 64 + 8448 * 3  # heads × state × head width, and three taps of the convolution
    assert cache_bytes(bamba, 1000, 2) - cache_bytes(bamba, 0, 2) == 1000 * kv_bytes_per_token(bamba, 2)
    assert cache_bytes(bamba, 0, 2) == 2 * state * bamba.shape.n_scan_layers
    qwen = _model("qwen3-next-80b-a3b")
    delta = 32 * 128 * 128 + (2 * 16 * 128 + 32 * 128) * 3
    assert cache_bytes(qwen, 0, 2) == 2 * delta * qwen.shape.n_scan_layers


def test_experts_of_one_sum_are_read_as_those_of_each_layer() -> None:
    assert read_bytes(10, 90, 8, 2, 1) == pytest.approx(10 + 90 / 4)
    assert read_bytes(10, 0, 0, 0, 5) == 10
    assert read_bytes(10, 90, 8, 8, 1) == 100
    assert read_bytes_at_most(100, 30, 2) == 60
    assert read_bytes_at_most(100, 30, 9) == 100


def test_the_least_batch_for_a_rate_is_found_or_there_is_none() -> None:
    def rate(batch: int) -> float:
        return min(7.0 * batch, 100.0)

    assert [streams_for(target, rate) for target in (0, 7, 7.1, 100, 100.1)] == [0, 1, 2, 15, None]
