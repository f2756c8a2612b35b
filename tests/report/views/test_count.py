"""A count on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peakwise.core.count import Count, Rule
from peakwise.core.workload import Recompute, Workload
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
