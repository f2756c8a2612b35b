"""The texts that describe a workload are read once, and a length is never guessed."""

from __future__ import annotations

import pytest

from peakwise.core.errors import InputError
from peakwise.core.length_text import DocumentsText
from peakwise.core.lengths import LONGEST
from peakwise.core.quantiles import Quantiles
from peakwise.core.workload import Recompute, SeqText, Workload, parse_recompute, parse_seq
from peakwise.counting.lengths import arrange


def test_a_length_is_a_number_of_tokens_or_documents() -> None:
    assert parse_seq(" 8192 ") == SeqText(seq_len=8192)
    assert parse_seq("lengths=docs.txt") == SeqText(documents=DocumentsText(file="docs.txt"))
    quantiles = Quantiles(points=((0.5, 450), (0.99, 2100)))
    assert parse_seq(" p50=450,p99=2100 ") == SeqText(documents=DocumentsText(quantiles=quantiles))


@pytest.mark.parametrize("text", ["0", "-1", "8k", "8192.0", "", "lengths=", "nan", "１", "9" * 13, "x" * 300])
def test_a_length_that_is_none_is_refused_with_the_flag(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_seq(text)
    assert caught.value.where == "--seq"


def test_recompute_policies_are_read_and_written_back() -> None:
    for text in ("none", "selective", "full", "every:4"):
        assert parse_recompute(text).text() == text
    assert parse_recompute("every:4") == Recompute(policy="every", every=4)


@pytest.mark.parametrize("text", ["every", "every:0", "every:x", "every:-1", "all", ""])
def test_an_unknown_recompute_policy_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="unknown recompute policy"):
        parse_recompute(text)


def test_tokens_are_those_of_all_sequences_or_of_all_documents() -> None:
    assert Workload(seq_len=8, batch=3).tokens == 24
    packed = Workload(seq_len=5, lengths=(2, 5))
    assert (packed.tokens, packed.n_sequences) == (7, 2)
    assert packed.to_dict()["documents"] == 2
    assert Workload(seq_len=8, batch=3).n_sequences == 3


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"seq_len": 0}, "--seq"),
        ({"seq_len": LONGEST + 1}, "--seq"),
        ({"batch": 0}, "--batch"),
        ({"lengths": (0,)}, "--seq lengths"),
    ],
)
def test_a_size_out_of_range_is_refused(change: dict, where: str) -> None:
    with pytest.raises(InputError) as caught:
        Workload(**{"seq_len": 8, **change})
    assert caught.value.where == where


def test_without_padding_all_tokens_are_useful_and_none_is_said_to_be_trained() -> None:
    found = Workload(seq_len=8, batch=3).to_dict()
    assert [found[f"tokens_{kind}"] for kind in ("useful", "processed", "trained")] == [24, 24, None]
    assert (found["padding"], found["bins"], found["attention_ratio"]) == (None, None, None)
    image = Workload(image=224).to_dict()
    assert [image[f"tokens_{kind}"] for kind in ("useful", "processed", "trained")] == [None, None, None]


def test_useful_processed_and_trained_tokens_stand_apart() -> None:
    lengths = (200, 400, 900, 2100)
    work = Workload(seq_len=2100, lengths=lengths, arranged=arrange(lengths, policy="max", seq_len=4096), masked=225.5)
    found = work.to_dict()
    assert (found["tokens"], found["tokens_useful"]) == (3600, 3600)
    assert (found["tokens_processed"], found["padding"]) == (16384, "pad=4096")
    assert found["tokens_trained"] == 3600 - 4 * 225.5
    assert isinstance(found["tokens_trained"], int)


@pytest.mark.parametrize(
    "change",
    [
        {"masked": -1},
        {"masked": 8.5},
        {"masked": float("nan")},
        {"masked": 4, "mode": "forward"},
        {"masked": 4, "seq_len": None, "image": 224},
    ],
)
def test_masked_tokens_that_a_text_does_not_have_are_refused(change: dict) -> None:
    with pytest.raises(InputError) as caught:
        Workload(**{"seq_len": 8, **change})
    assert caught.value.where == "--masked"


def test_equal_lengths_are_grouped() -> None:
    assert list(Workload(seq_len=5, lengths=(5, 2, 5)).by_length) == [(2, 1), (5, 2)]
    assert list(Workload(seq_len=8, batch=3).by_length) == [(8, 3)]
    assert list(Workload(image=224).by_length) == []
