"""The workload that flags describe: document lengths from a file or from quantiles, and the slots they fill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from peakwise.core.errors import InputError, PeakwiseError, ReadError
from peakwise.core.workload import Workload
from peakwise.readers.workload import read_lengths, read_workload


def read(seq: int | str, **change: Any) -> Workload:
    plain = {"batch": 1, "mode": "train", "attention": "causal", "train": "full", "recompute": "none", "mtp": "off"}
    return read_workload(seq, **{**plain, **change})


@pytest.fixture
def four(tmp_path: Path) -> Path:
    path = tmp_path / "lengths.txt"
    path.write_text("200\n400\n900\n2100\n", encoding="utf-8")
    return path


def test_a_file_of_lengths_alone_is_run_without_padding(four: Path) -> None:
    work = read(f"lengths={four}")
    assert work.lengths == (200, 400, 900, 2100)
    assert (work.arranged, work.tokens_processed) == (None, 3600)


@pytest.mark.parametrize(
    ("layout", "processed", "bins"),
    [("pad=4096", 16384, 4), ("longest=4", 8400, 1), ("grouped=2", 5000, 2), ("pack=4096", 4096, 1)],
)
def test_a_layout_says_what_is_processed(four: Path, layout: str, processed: int, bins: int) -> None:
    work = read(f"lengths={four},{layout}")
    assert work.arranged is not None
    assert (work.tokens, work.tokens_processed, work.arranged.bins) == (3600, processed, bins)
    assert work.arranged.text() == layout


def test_quantiles_stand_for_so_many_documents() -> None:
    work = read("p50=450,p90=900,p99=2100,docs=200,pack=4096")
    assert work.n_sequences == 200
    assert (min(work.lengths), max(work.lengths)) == (450, 2100)
    assert work.to_dict()["quantiles"] == "p50=450,p90=900,p99=2100"


def test_a_file_may_begin_with_a_byte_order_mark_and_end_its_lines_in_two_ways(tmp_path: Path) -> None:
    path = tmp_path / "lengths.txt"
    path.write_bytes(b"\xef\xbb\xbf3\r\n4\n")
    assert read_lengths(str(path)) == (3, 4)


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"12\nx\n", b"12\n0\n", b"-3\n", b"2.5\n", b"3\x00\n", b"3\xff\n", "3\n".encode("utf-16")]
)
def test_a_file_that_holds_no_lengths_is_refused_with_its_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lengths.txt"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_lengths(str(path))
    assert caught.value.where.startswith(str(path))


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path, tmp_path / ("x" * 5000), "a\0b"):
        with pytest.raises(ReadError, match="cannot be read") as caught:
            read_lengths(str(path))
        assert caught.value.got


def test_a_file_of_more_bytes_than_lengths_take_is_refused(four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peakwise.readers.workload.MOST_BYTES", 8)
    with pytest.raises(ReadError, match="too large"):
        read_lengths(str(four))


def test_a_document_longer_than_its_slot_is_named_by_file_and_line(four: Path) -> None:
    for layout in ("pad", "pack"):
        with pytest.raises(InputError, match="longer than its slot") as caught:
            read(f"lengths={four},{layout}=2048")
        assert (caught.value.where, caught.value.got) == (f"{four}:4", "2100")
    assert read(f"lengths={four},longest=2048").tokens_processed == 8400


def test_a_quantile_longer_than_the_slot_is_refused() -> None:
    with pytest.raises(InputError, match="longer than the slot") as caught:
        read("p50=450,p99=2100,pack=2048")
    assert caught.value.got == "2100"


def test_a_batch_beside_lengths_is_refused_with_the_way_to_say_it(four: Path) -> None:
    for seq in (f"lengths={four}", "p50=450,p99=2100"):
        with pytest.raises(PeakwiseError) as caught:
            read(seq, batch=2)
        assert "longest=8" in caught.value.expected


def test_a_million_lines_are_read_in_one_pass_and_a_fault_in_the_last_is_found(tmp_path: Path) -> None:
    path = tmp_path / "lengths.txt"
    path.write_text("".join(f"{length}\n" for length in range(1, 1001)) * 1000, encoding="utf-8")
    work = read(f"lengths={path},pack=4096")
    assert (work.n_sequences, work.tokens) == (1_000_000, 500_500_000)
    with path.open("a", encoding="utf-8") as file:
        file.write("many\n")
    with pytest.raises(InputError) as caught:
        read_lengths(str(path))
    assert caught.value.where == f"{path}:1000001"
