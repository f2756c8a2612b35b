"""Useful, processed and trained tokens of a count stand apart, and only useful ones are model FLOPs."""

from __future__ import annotations

from pathlib import Path

import pytest

from peakwise.core.errors import InputError
from peakwise.verbs.count import count
from peakwise.verbs.measure import measure


@pytest.fixture
def four(tmp_path: Path) -> Path:
    path = tmp_path / "lengths.txt"
    path.write_text("200\n400\n900\n2100\n", encoding="utf-8")
    return path


def test_the_figure_per_token_is_that_of_useful_tokens_whatever_the_layout(four: Path) -> None:
    plain = count("llama-3.1-8b", seq=f"lengths={four}")
    for layout in ("pad=4096", "longest=2", "grouped=2", "pack=4096"):
        padded = count("llama-3.1-8b", seq=f"lengths={four},{layout}")
        assert padded.flop_per_token == plain.flop_per_token
        assert padded.ledger.model == plain.ledger.model
        assert padded.ledger.hardware > plain.ledger.hardware


def test_short_samples_are_not_billed_the_whole_context(tmp_path: Path) -> None:
    """Texts of 128 tokens in a context of 2,048: 1/16 of the work is the model's, the rest is padding."""
    path = tmp_path / "lengths.txt"
    path.write_text("128\n" * 8)
    found = count("llama-3.1-8b", seq=f"lengths={path},pad=2048")
    assert found.flop_per_token == count("llama-3.1-8b", seq=128).flop_per_token
    assert found.workload.tokens * 16 == found.workload.tokens_processed
    assert found.ledger.hardware == count("llama-3.1-8b", seq=2048, batch=8).ledger.model


def test_packing_tells_how_many_sequences_the_samples_become(tmp_path: Path) -> None:
    """Steps before and after packing differ: 8,861 samples of 600 tokens are 2,954 sequences of 2,048."""
    path = tmp_path / "lengths.txt"
    path.write_text("600\n" * 8861)
    found = count("llama-3.1-8b", seq=f"lengths={path},pack=2048").to_dict()["workload"]
    assert isinstance(found, dict)
    assert (found["documents"], found["bins"]) == (8861, 2954)


def test_the_document_has_the_three_kinds_of_tokens_and_the_padding(four: Path) -> None:
    document = count("llama-3.1-8b", seq=f"lengths={four},pack=4096", masked=225).to_dict()
    work, flop = document["workload"], document["flop"]
    assert isinstance(work, dict)
    assert isinstance(flop, dict)
    assert [work[f"tokens_{kind}"] for kind in ("useful", "processed", "trained")] == [3600, 4096, 2700]
    assert (work["padding"], work["bins"], work["masked"]) == ("pack=4096", 1, 225)
    assert work["attention_ratio"] == pytest.approx(5_420_000 / 4096**2)
    assert flop["model"] + flop["recompute"] + flop["padding"] == flop["hardware"]


def test_masked_tokens_change_no_flops() -> None:
    """The prompt runs forward and backward like every token; only the loss leaves it out."""
    plain, masked = (count("llama-3.1-8b", seq=4096, masked=masked) for masked in (None, 1000))
    assert plain.ledger == masked.ledger
    assert masked.workload.tokens_trained == 3096


def test_a_figure_from_quantiles_is_assumed() -> None:
    found = count("llama-3.1-8b", seq="p50=450,p90=900,p99=2100")
    assert found.basis == "assumed"
    assert count("llama-3.1-8b", seq=450).basis == "derived"
    assert found.flop_per_token is not None
    assert found.workload.n_sequences == 1000


def test_a_padded_encoder_is_counted_too(four: Path) -> None:
    padded = count("bert-base", seq=f"lengths={four},longest=4")
    assert padded.ledger.hardware == count("bert-base", seq=2100, batch=4).ledger.hardware


def test_a_log_is_not_measured_with_padding_that_its_tokens_may_or_may_not_count(four: Path) -> None:
    with pytest.raises(InputError, match="count padding") as caught:
        measure("no-such.log", seq=f"lengths={four},pad=4096")
    assert caught.value.where == "--seq"
