"""The way from a producer's figure to ours: every rule's difference, by cause, to the last FLOP."""

from __future__ import annotations

import pytest

from peakwise.core.count import Count
from peakwise.measuring.difference import explain_difference
from peakwise.measuring.reconcile import Sides, reconcile
from peakwise.verbs.count import count

MODELS = (("llama-3.1-8b", 8192), ("qwen3-30b-a3b", 4096), ("gpt2-124m", 1024), ("gemma-2-9b", 8192))


@pytest.mark.parametrize(("model", "seq"), MODELS)
def test_causes_sum_to_the_difference_of_every_rule(model: str, seq: int) -> None:
    """Whatever a rule counts, its causes sum to our count minus its figure."""
    work = count(model, seq=seq)
    for rule in work.rules:
        if rule.flop_per_token is None:
            continue
        causes = explain_difference(work, rule)
        found = sum(cause.flop_per_token for cause in causes)
        assert found == pytest.approx(work.flop_per_token - rule.flop_per_token, rel=1e-9, abs=1.0), rule.id


@pytest.mark.parametrize(
    ("model", "rule", "keys"),
    [
        ("llama-3.1-8b", "torchtitan", {"attention", "norms"}),
        ("llama-3.1-8b", "palm", {"attention", "embedding", "norms"}),
        ("llama-3.1-8b", "hf_trainer", {"attention", "norms"}),
        ("qwen3-30b-a3b", "nanogpt", {"experts", "embedding", "norms", "attention"}),
        ("qwen3-30b-a3b", "megatron@2025-03", {"router", "attention"}),
        ("llama-3.1-8b", "eleutherai", {"recompute", "head", "attention", "other"}),
        ("gpt2-124m", "megatron_2021_recompute", {"recompute", "attention"}),
        ("llama-3.1-8b", "megatron_2021", {"other", "attention"}),
    ],
)
def test_each_difference_has_its_cause(model: str, rule: str, keys: set[str]) -> None:
    """Attention, embedding, experts, norms, router and recompute are told apart by their weights; the rest is other."""
    work = count(model, seq=dict(MODELS)[model])
    assert {cause.key for cause in explain_difference(work, work.under(rule))} == keys


def rows_of(work: Count, peak: float | None, logged_peak: float | None) -> list[str]:
    sides = Sides(
        tokens_per_s=5863.0,
        logged_flop_per_s=339.5e12,
        logged_mfu=None if logged_peak is None else 0.3434,
        logged_peak=logged_peak,
        peak=peak,
        n_records=6,
    )
    table = reconcile(work, work.under("torchtitan"), sides)
    last = table.rows[-1]
    if peak is not None and logged_peak is not None:
        parts = sum(row.mfu or 0.0 for row in table.rows if row.kind == "part")
        assert (table.rows[1].mfu or 0.0) + parts == pytest.approx(last.mfu, abs=1e-12)
    return [row.label for row in table.rows if row.kind == "part"]


def test_another_peak_is_a_row_of_its_own() -> None:
    """A peak rounded by the log joins the small differences; another chip's peak stands alone."""
    work = count("llama-3.1-8b", seq=8192)
    assert rows_of(work, 989.4e12, 988.9e12) == ["masked half of attention", "norm weights; peak 989.4"]
    assert rows_of(work, 312e12, 988.9e12) == ["masked half of attention", "norm weights", "peak 312.0"]
    assert rows_of(work, 989.4e12, None) == ["masked half of attention", "norm weights"]
