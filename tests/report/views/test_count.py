"""A count on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peakwise.core.arrangement import Policy
from peakwise.core.count import Count, Rule
from peakwise.core.quantiles import Quantiles
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.lengths import arrange
from peakwise.report.paper import Paper
from peakwise.report.views.count import ordered, render

Counted = Callable[[Workload], Count]
Text = Callable[[str], str]


@pytest.mark.parametrize("width", [80, 120])
def test_a_count_is_printed_character_for_character(counted: Counted, expected: Text, width: int) -> None:
    count = counted(Workload(seq_len=8192))
    assert render(count, "text", Paper(width=width)) == expected(f"count-{width}.txt")


def test_several_sequences_are_counted_in_words(counted: Counted) -> None:
    text = render(counted(Workload(seq_len=4096, batch=12)))
    assert text.startswith("Llama-3.1-8B · 12 sequences of 4,096 tokens · training, causal attention\n")


def test_packed_documents_are_called_documents(counted: Counted) -> None:
    text = render(counted(Workload(seq_len=100, lengths=(100, 200))))
    assert "two documents of 300 tokens in all" in text.splitlines()[0]


def test_a_forward_count_says_so(counted: Counted) -> None:
    text = render(counted(Workload(seq_len=128, mode="forward", attention="full")))
    assert text.splitlines()[0].endswith("forward only, full attention")


def test_recompute_is_printed_as_hardware_work(counted: Counted) -> None:
    text = render(counted(Workload(seq_len=8192, recompute=Recompute(policy="full"))))
    assert "GFLOP with recompute (full): that gives HFU, never MFU" in text


@pytest.mark.parametrize(
    ("policy", "size", "words"),
    [
        ("max", 4096, "16,384 processed: 22.0 % of the tokens, 8.1 % of the squared lengths (each padded to 4,096)"),
        ("longest", 4, "8,400 processed: 42.9 % of the tokens, 30.7 % of the squared lengths (batches of 4 in their"),
        ("grouped", 2, "5,000 processed: 72.0 % of the tokens, 59.3 % of the squared lengths (batches of 2 after"),
        ("pack", 4096, "4,096 processed: 87.9 % of the tokens, 32.3 % of the squared lengths (one pack of 4,096, run"),
        ("varlen", 1, "3,600 processed: 100.0 % of the tokens, 100.0 % of the squared lengths (no padding)"),
    ],
)
def test_useful_and_processed_tokens_are_told_apart(counted: Counted, policy: Policy, size: int, words: str) -> None:
    lengths = (200, 400, 900, 2100)
    arranged = arrange(lengths, policy=policy, batch=size, seq_len=size)
    text = render(counted(Workload(seq_len=2100, lengths=lengths, arranged=arranged)))
    assert f"3,600 useful tokens of {words}" in " ".join(text.split())
    assert ("that gives HFU, never MFU" in text) == (policy != "varlen")


def test_padding_and_recompute_are_hardware_work_in_one_sentence(counted: Counted) -> None:
    arranged = arrange((200, 400), policy="max", seq_len=512)
    work = Workload(seq_len=400, lengths=(200, 400), arranged=arranged, recompute=Recompute(policy="full"))
    text = " ".join(render(counted(work)).split())
    assert "GFLOP per useful token with recompute (full) and padding (" in text


def test_trained_tokens_and_assumed_lengths_are_said(counted: Counted) -> None:
    quantiles = Quantiles(points=((0.5, 100), (0.999, 200)))
    text = render(counted(Workload(seq_len=200, lengths=(100, 200), quantiles=quantiles, masked=37.25)))
    assert "lengths assumed from p50 100, p99.9 200: flat outside them" in text
    assert "225.5 trained tokens, 75.2 % of the useful ones" in text
    whole = render(counted(Workload(seq_len=200, masked=50)))
    assert "150 trained tokens, 75.0 % of the useful ones" in whole


def test_a_figure_that_is_no_whole_number_per_token_is_given_for_the_workload(counted: Counted) -> None:
    count = counted(Workload(seq_len=3, lengths=(1, 1, 3)))  # pairs 1 + 1 + 6 over 5 tokens
    assert count.ledger.model % 5
    assert f"{count.ledger.model:,} exactly for the 5 tokens" in render(count)


def test_rules_are_ordered_exact_first_then_ascending_then_those_that_do_not_apply() -> None:
    def rule(name: str, value: float | None) -> Rule:
        return Rule(id=name, kind="model", text="", flop_per_token=value)

    rules = (rule("none", None), rule("b", 3.0), rule("exact", 2.0), rule("a", 1.0), rule("c", 3.0))
    assert [r.id for r in ordered(rules)] == ["exact", "a", "b", "c", "none"]


def test_a_rule_that_does_not_apply_says_why(counted: Counted) -> None:
    line = next(line for line in render(counted(Workload(seq_len=8192))).splitlines() if "deepseek" in line)
    assert line.split() == ["deepseek", "—", "—", "made", "for", "latent", "attention"]


def test_markdown_has_both_tables_and_ends_with_rule_and_version(counted: Counted) -> None:
    text = render(counted(Workload(seq_len=8192)), "markdown")
    assert text.startswith("**51.47 GFLOP per token**: Llama-3.1-8B, ")
    assert "| attn_proj | 1,342,177,280 | 2.68 | 5.37 | 8.05 | 15.6 % | q, k, v, o of 32 layers |" in text
    assert "| **all** | **8,030,261,248** |" in text
    assert text.endswith("`exact` · Peakwise 0.2.0\n")
