"""`--convention` of `measure` and `explain`: MFU by the rule asked for, HFU where the rule counts recompute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import peakwise as pw
from peakwise.cli.main import main
from peakwise.core.errors import InputError

LOG = str(Path(__file__).parents[2] / "examples" / "torchtitan-llama-8b.log")
RUN: dict[str, Any] = {"model": "llama-3.1-8b", "chip": "h100-sxm", "seq": 8192}


def test_mfu_is_exact_where_no_rule_is_named() -> None:
    plain, named = pw.measure(LOG, **RUN), pw.measure(LOG, **RUN, convention="exact")
    assert plain.mfu == named.mfu
    assert (plain.convention, named.convention) == ("exact", "exact")


@pytest.mark.parametrize("rule", ["palm", "torchtitan", "megatron@2025-03", "6n_active"])
def test_mfu_by_a_rule_is_its_flops_over_the_same_time_and_peak(rule: str) -> None:
    exact, other = pw.measure(LOG, **RUN), pw.measure(LOG, **RUN, convention=rule)
    figure = pw.count("llama-3.1-8b", seq=8192).under(rule).flop_per_token
    assert exact.mfu
    assert exact.flop_per_token
    assert other.mfu
    assert other.flop_per_token
    assert figure
    assert other.flop_per_token.value == figure
    assert other.mfu.value == pytest.approx(exact.mfu.value * figure / exact.flop_per_token.value, rel=1e-12)
    document = other.to_dict()
    assert document["convention"] == rule
    assert rule in other.flop_per_token.source
    assert rule in other.to_markdown()


def test_recompute_stands_on_top_of_any_rule() -> None:
    """HFU − MFU is what runs again, whatever rule counts the rest."""
    exact, palm = (pw.measure(LOG, **RUN, recompute="full", convention=rule) for rule in ("exact", "palm"))
    assert exact.hfu
    assert exact.mfu
    assert palm.hfu
    assert palm.mfu
    assert palm.hfu.value - palm.mfu.value == pytest.approx(exact.hfu.value - exact.mfu.value, rel=1e-9)


@pytest.mark.parametrize("rule", ["megatron_2021_recompute", "korthikanti_selective", "eleutherai"])
def test_a_rule_that_counts_recompute_gives_hfu_and_never_mfu(rule: str) -> None:
    run = pw.measure(LOG, **RUN, convention=rule)
    assert (run.mfu, run.mfu_wall) == (None, None)
    assert run.hfu
    assert run.tokens_per_s_per_device
    assert run.peak_flop_per_s_per_device
    figure = pw.count("llama-3.1-8b", seq=8192).under(rule).flop_per_token
    assert figure
    useful = figure * run.tokens_per_s_per_device.value
    assert run.hfu.value == pytest.approx(useful / run.peak_flop_per_s_per_device.value, rel=1e-12)
    assert run.absent["mfu"] == f"{rule} counts recompute: its figure is HFU"
    assert "HFU" in run.to_markdown()
    assert run.blocking == ()
    with pytest.raises(InputError, match="bars start from MFU"):
        pw.explain(run)


def test_more_than_the_peak_is_named_for_an_hfu_too() -> None:
    run = pw.measure(LOG, **RUN, peak="200 TFLOP/s", convention="eleutherai")
    assert run.hfu
    assert run.hfu.value > 1
    assert "E_OVER" in [finding.code for finding in run.warnings]


def test_a_rule_that_does_not_apply_is_an_error_with_its_reason() -> None:
    with pytest.raises(InputError, match=r"does not apply: .*latent attention"):
        pw.measure(LOG, **RUN | {"model": "deepseek-v3"}, convention="nanochat")


@pytest.mark.parametrize("flags", [{}, RUN])
def test_an_unknown_rule_is_an_error_that_lists_them(flags: dict[str, Any]) -> None:
    """Also where no model is known, so that no count would find it."""
    with pytest.raises(InputError, match="unknown convention") as caught:
        pw.measure(LOG, **flags, convention="half")
    assert "palm" in caught.value.expected


def test_a_waterfall_starts_from_the_mfu_of_the_rule() -> None:
    run = pw.measure(LOG, **RUN, convention="palm")
    result = pw.explain(LOG, **RUN, convention="palm")
    assert run.mfu
    assert result.run.mfu
    assert result.run.mfu.value == run.mfu.value
    assert result.run.convention == "palm"
    assert sum(part.fraction for part in result.parts) == pytest.approx(1, abs=1e-9)


def test_the_other_answers_of_a_rule_are_left_to_exact() -> None:
    """The mixture of types and the rows from the log's figure to ours are worked out on the ledger."""
    run = pw.measure(LOG, **RUN, precision="bf16", convention="palm")
    assert (run.mfu_math_peak, run.reconciliation) == (None, None)
    assert run.absent["mfu_math_peak"] == "by the rule exact alone"


@pytest.mark.parametrize("command", ["measure", "explain"])
def test_the_command_line_takes_the_rule(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [LOG, "--model", "llama-3.1-8b", "--chip", "h100-sxm", "--seq", "8192", "--convention", "palm"]
    assert main([command, *words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["convention" if command == "measure" else "schema"] in ("palm", "peakwise.explain/1")
    assert main([command, *words]) == 0
    assert "palm" in capsys.readouterr().out


def test_a_command_that_lacks_an_input_keeps_the_rule() -> None:
    run = pw.measure(LOG, convention="palm")
    assert "--convention palm" in run.command
