"""Every row of the table of conventions reproduces the published figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peakwise.counting.conventions.table import CONVENTIONS
from peakwise.verbs.count import count

DATA = json.loads((Path(__file__).parents[1] / "data/flops/conventions.json").read_text())
CASES = [pytest.param(row, id=f"{row['model']}@{row['seq']}") for row in DATA["models"]]


def test_the_table_holds_every_published_rule_with_its_kind() -> None:
    ours = [(rule.id, rule.kind, rule.text) for rule in CONVENTIONS if rule.listed]
    assert ours == [(row["id"], row["kind"], row["rule"]) for row in DATA["conventions"]]


@pytest.mark.parametrize("row", CASES)
def test_every_rule_gives_the_figure_of_the_table_or_says_why_it_does_not_apply(row: dict) -> None:
    work = count(row["model"], seq=row["seq"])
    assert work.parameters.total == row["params_total"]
    assert work.parameters.active == row["params_active"]
    assert work.parameters.matmul == row["matmul_params_active"]
    assert {rule.id for rule in work.rules if rule.listed} >= set(row["flop_per_token"])
    for rule in (rule for rule in work.rules if rule.listed):
        expected = row["flop_per_token"].get(rule.id)
        if expected is None:
            assert rule.flop_per_token is None
            assert rule.why_not
        else:
            assert rule.flop_per_token == pytest.approx(expected, rel=1e-9), rule.id


def test_a_hardware_rule_is_never_of_the_kind_model() -> None:
    hardware = {rule.id for rule in CONVENTIONS if rule.kind == "hardware"}
    published = {"megatron_2021_recompute", "korthikanti_selective", "eleutherai"}
    assert hardware == published | {"megatron_deepspeed", "megatron_deepspeed@2021"}


def test_the_gpt_formulas_say_so_where_the_shape_is_another() -> None:
    assert count("llama-3.1-8b", seq=2048).under("megatron_2021").note
    assert not count("gpt3-175b", seq=2048).under("megatron_2021").note


def test_a_forward_pass_is_a_third_of_a_rule_that_is_three_forwards() -> None:
    train, forward = (count("llama-3.1-8b", seq=512, mode=mode) for mode in ("train", "forward"))
    for before, after in zip(train.rules, forward.rules, strict=True):
        if after.flop_per_token is not None and before.flop_per_token is not None:
            assert after.flop_per_token == pytest.approx(before.flop_per_token / 3, rel=1e-12)
    assert forward.under("eleutherai").why_not == "written for training"


# Llama-3.1-8B: layers, width, feed-forward, heads, key-value heads, vocabulary.
L, H, F, A, K, V = 32, 4096, 14336, 32, 8, 128256


def of_log(rule: str, seq: int, recompute: str = "none") -> float | None:
    return count("llama-3.1-8b", seq=seq, recompute=recompute).under(rule).flop_per_token


@pytest.mark.parametrize("seq", [1, 2048, 8192])
def test_megatron_counted_the_whole_square_until_2025_03(seq: int) -> None:
    """12·L·h²·(1 + 3/2·f/h + K/A + s/h) + 6·V·h, as num_floating_point_operations had it."""
    blocks = 12 * L * H * H * (1 + 1.5 * F / H + K / A + seq / H)
    assert of_log("megatron@2023-11", seq) == pytest.approx(blocks + 6 * V * H, rel=1e-12)
    assert of_log("megatron@2023-11", seq) == of_log("full", seq)


@pytest.mark.parametrize("seq", [1, 2048, 8192])
def test_megatron_counted_a_plain_4h_mlp_until_2024_03(seq: int) -> None:
    """60·L·h²·(1 + K/5A + s/5h + V/10Lh): the gated MLP is undercounted."""
    figure = 60 * L * H * H * (1 + K / (5 * A) + seq / (5 * H) + V / (10 * L * H))
    assert of_log("megatron@2023-11-4h", seq) == pytest.approx(figure, rel=1e-12)
    assert figure < (of_log("megatron@2023-11", seq) or 0)


def test_both_generations_agree_on_a_plain_gpt() -> None:
    work = count("gpt3-175b", seq=2048)
    early, late = (work.under(rule).flop_per_token for rule in ("megatron@2023-11-4h", "megatron@2023-11"))
    assert early == pytest.approx(late, rel=1e-12)


@pytest.mark.parametrize(("recompute", "passes"), [("none", 3), ("full", 4)])
def test_megatron_deepspeed_counts_recompute_and_drops_narrow_keys(recompute: str, passes: int) -> None:
    """Heads are four a group here, so 2 // 4 = 0 matrices stand for keys and values; the head runs again too."""
    forward = L * (2 * 2 * H * H + 4 * H * 2048 + 2 * 3 * H * F) + 2 * V * H
    assert of_log("megatron_deepspeed", 2048, recompute) == pytest.approx(passes * forward, rel=1e-12)
    selective = 3 * forward + L * 4 * H * 2048
    assert of_log("megatron_deepspeed", 2048, "selective") == pytest.approx(selective, rel=1e-12)


def test_megatron_deepspeed_printed_eight_per_parameter_in_2021() -> None:
    work = count("llama-3.1-8b", seq=2048)
    assert work.under("megatron_deepspeed@2021").flop_per_token == 8 * work.parameters.total


def test_rules_of_logs_alone_are_not_in_the_table_that_people_read() -> None:
    assert "megatron@2023-11" not in count("llama-3.1-8b", seq=2048).to_markdown()
    assert "megatron@2023-11" in count("llama-3.1-8b", seq=2048, convention="megatron@2023-11").to_markdown()
