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
    ours = [(rule.id, rule.kind, rule.text) for rule in CONVENTIONS]
    assert ours == [(row["id"], row["kind"], row["rule"]) for row in DATA["conventions"]]


@pytest.mark.parametrize("row", CASES)
def test_every_rule_gives_the_figure_of_the_table_or_says_why_it_does_not_apply(row: dict) -> None:
    work = count(row["model"], seq=row["seq"])
    assert work.parameters.total == row["params_total"]
    assert work.parameters.active == row["params_active"]
    assert work.parameters.matmul == row["matmul_params_active"]
    for rule in work.rules:
        expected = row["flop_per_token"].get(rule.id)
        if expected is None:
            assert rule.flop_per_token is None
            assert rule.why_not
        else:
            assert rule.flop_per_token == pytest.approx(expected, rel=1e-9), rule.id


def test_a_hardware_rule_is_never_of_the_kind_model() -> None:
    hardware = {rule.id for rule in CONVENTIONS if rule.kind == "hardware"}
    assert hardware == {"megatron_2021_recompute", "korthikanti_selective", "eleutherai"}


def test_the_gpt_formulas_say_so_where_the_shape_is_another() -> None:
    assert count("llama-3.1-8b", seq=2048).under("megatron_2021").note
    assert not count("gpt3-175b", seq=2048).under("megatron_2021").note


def test_a_forward_pass_is_a_third_of_a_rule_that_is_three_forwards() -> None:
    train, forward = (count("llama-3.1-8b", seq=512, mode=mode) for mode in ("train", "forward"))
    for before, after in zip(train.rules, forward.rules, strict=True):
        if after.flop_per_token is not None and before.flop_per_token is not None:
            assert after.flop_per_token == pytest.approx(before.flop_per_token / 3, rel=1e-12)
    assert forward.under("eleutherai").why_not == "written for training"
