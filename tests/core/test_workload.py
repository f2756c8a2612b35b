"""The texts that describe a workload are read once, and a length is never guessed."""

from __future__ import annotations

import pytest

from peakwise.core.errors import InputError
from peakwise.core.workload import (
    LONGEST,
    Recompute,
    SeqText,
    Workload,
    parse_lengths,
    parse_recompute,
    parse_seq,
)


def test_a_length_is_a_number_of_tokens_or_a_file_of_lengths() -> None:
    assert parse_seq(" 8192 ") == SeqText(seq_len=8192)
    assert parse_seq("lengths=docs.txt") == SeqText(lengths_file="docs.txt")


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


def test_a_file_of_lengths_names_the_line_that_is_no_length() -> None:
    assert parse_lengths("3\n\n5\n", "f") == (3, 5)
    with pytest.raises(InputError) as caught:
        parse_lengths("3\nx\n", "f")
    assert caught.value.where == "f:2"
    with pytest.raises(InputError, match="empty"):
        parse_lengths("\n", "f")


def test_a_file_of_too_many_lengths_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peakwise.core.workload.MOST_LENGTHS", 2)
    with pytest.raises(InputError, match="too many"):
        parse_lengths("1\n1\n1\n", "f")
