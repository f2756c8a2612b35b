"""What `--seq` says of documents, and a file with one length a line."""

from __future__ import annotations

import pytest

from peakwise.core.errors import InputError
from peakwise.core.length_text import DOCUMENTS, DocumentsText, parse_documents, parse_lengths
from peakwise.core.quantiles import Quantiles
from peakwise.core.workload import parse_seq

HALF = Quantiles(points=((0.5, 450), (0.99, 2100)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lengths=docs.txt", DocumentsText(file="docs.txt")),
        ("lengths=a, b.txt,pack=4096", DocumentsText(file="a, b.txt", policy="pack", size=4096)),
        ("lengths=docs.txt,pad=4096", DocumentsText(file="docs.txt", policy="max", size=4096)),
        ("lengths=docs.txt, longest = 8", DocumentsText(file="docs.txt", policy="longest", size=8)),
        ("lengths=docs.txt,grouped=8", DocumentsText(file="docs.txt", policy="grouped", size=8)),
        ("p50=450,p99=2100", DocumentsText(quantiles=HALF, n_documents=DOCUMENTS)),
        (
            "p50=450, p99=2100, docs=200, pad=4096",
            DocumentsText(quantiles=HALF, n_documents=200, policy="max", size=4096),
        ),
        ("pack=4096,p50=450,p99=2100", DocumentsText(quantiles=HALF, policy="pack", size=4096)),
        ("p0=1,p99.9=7", DocumentsText(quantiles=Quantiles(points=((0.0, 1), (0.9990000000000001, 7))))),
    ],
)
def test_documents_are_a_file_or_quantiles_and_a_layout(text: str, said: DocumentsText) -> None:
    assert parse_documents(text) == said
    assert parse_seq(text).documents == said


def test_the_slot_is_the_limit_of_padding_and_packing_alone() -> None:
    slots = [parse_documents(f"lengths=f{layout}").slot for layout in (",pad=9", ",pack=9", ",longest=9", "")]
    assert slots == [9, 9, None, None]


@pytest.mark.parametrize("text", ["8192", "enc=512,dec=128", "mel=3000,dec=128", "image=224,text=77"])
def test_the_sizes_of_one_sample_are_no_documents(text: str) -> None:
    assert parse_seq(text).documents is None


@pytest.mark.parametrize(
    "text",
    [
        "lengths=",
        "lengths= ,pad=8",
        "lengths=f,pad=0",
        "lengths=f,pad=",
        "lengths=f,pad=8.5",
        "lengths=f,pad=4k",
        "lengths=f,pad=-1",
        "lengths=f,pad=" + "9" * 13,
        "lengths=f,pad=8,pad=8",
        "lengths=f,pad=8,pack=8",
        "lengths=f,padd=8",
        "lengths=f,docs=8",
        "lengths=f,pad=8,g.txt",
        "p50=450",
        "p50=450,p50=450",
        "p99=2100,p50=450",
        "p50=450,p99=449",
        "p50=450,p101=900",
        "p50=450.5,p99=900",
        "p50=,p99=900",
        "p50=0,p99=900",
        "p50=450,p99=2100,longest=8",
        "p50=450,p99=2100,docs=0",
        "p50=450,p99=2100,batch=4",
        "p50=450,p99=2100,8192",
        "pad=4096",
        "4096,pad=4096",
    ],
)
def test_what_documents_cannot_be_is_refused_with_the_flag(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_seq(text)
    assert caught.value.where == "--seq"
    assert caught.value.expected


def test_a_file_has_one_length_a_line_and_may_have_blank_ones() -> None:
    assert parse_lengths("3\n\n  5\t\r\n\u00a0\n", "f") == (3, 5)


@pytest.mark.parametrize(
    ("text", "where", "got"),
    [
        ("3\nx\n", "f:2", "x"),
        ("3\n\n4.5\n", "f:3", "4.5"),
        ("0\n", "f:1", "0"),
        ("-7\n", "f:1", "-7"),
        ("1_000\n", "f:1", "1_000"),
        ("1,000\n", "f:1", "1,000"),
        ("3 4\n", "f:1", "3 4"),
        ("１\n", "f:1", "１"),
        ("9" * 5000 + "\n", "f:1", "9" * 57 + "…"),
        ("nan\n", "f:1", "nan"),
        ("5\n65\n", "f:2", "65"),
    ],
)
def test_a_line_that_is_no_length_is_named(text: str, where: str, got: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_lengths(text, "f", 64)
    assert (caught.value.where, caught.value.got) == (where, got)


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n"])
def test_an_empty_file_of_lengths_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="empty"):
        parse_lengths(text, "f")


def test_a_file_of_too_many_lengths_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peakwise.core.length_text.MOST_LENGTHS", 2)
    with pytest.raises(InputError, match="too many"):
        parse_lengths("1\n1\n1\n", "f")
