"""What `measure` cannot read, and flags that cannot be, are refused with what to do; the exit code says which."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from peakwise.readers.find import BUILT_IN, WORDS

from .samples import FOLDER, SAMPLES, Ran, run

TORCHTITAN = FOLDER / "15-torchtitan.log"
NANOGPT = FOLDER / "61-nanogpt.log"
MEGATRON = FOLDER / "04-megatron-llm.log"
NAMES = {reader.name for reader in BUILT_IN}
STATED = (
    "[rank0]:[titan] 2025-04-10 22:30:40,000 - root - INFO - Training starts at step 1, with local batch size 2, "
    "global batch size 8, sequence length 8192, total steps 99\n"
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], str]:
    """A file with these bytes; its path."""

    def file(data: bytes) -> str:
        path = tmp_path / "train.log"
        path.write_bytes(data)
        return str(path)

    return file


def refused(ran: Ran, code: int = 1) -> dict[str, str]:
    """The error of a run that was refused, with its four parts."""
    assert ran.code == code
    assert ran.document["schema"] == "peakwise.error/1"
    error = ran.document["error"]
    assert error["message"]
    assert error["got"]
    assert error["expected"]
    return error


def test_no_such_file_and_a_directory_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(run("measure", str(tmp_path / "none.log")))["message"]
    assert "directory" in refused(run("measure", str(tmp_path)))["message"]


def test_an_empty_file_is_refused(write: Callable[[bytes], str]) -> None:
    assert "empty" in refused(run("measure", write(b"")))["message"]


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        b"\x00" * 5000,
        b"\x1f\x8b\x08\x00" + bytes(range(256)),
        b"PK\x03\x04" + b"\x00" * 100,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
        TORCHTITAN.read_bytes() + b"\x00" * 5000,
    ],
    ids=["every byte", "zeros", "gzip", "zip", "a picture", "a log with zeros after it"],
)
def test_a_binary_file_is_refused(write: Callable[[bytes], str], data: bytes) -> None:
    assert refused(run("measure", write(data)))["message"] in ("the file is binary", "the file is packed")


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("iteration 5 of 10, elapsed time 3.1 s, lm loss 2.0\n", "megatron-lm"),
        ("epoch 1 learning_rate 1e-5 'loss' 2.0 trainer\n", "hf-trainer"),
        ("At iter 5 the val loss was 2.0, time 5 ms\n", "nanogpt"),
        ("step: five loss: two memory: 40 GiB\n", "torchtitan"),
    ],
)
def test_a_log_of_no_known_producer_names_the_nearest(write: Callable[[bytes], str], text: str, nearest: str) -> None:
    error = refused(run("measure", write(text.encode())))
    assert error["hint"].startswith(f"--format {nearest}")
    assert all(name in error["expected"] for name in NAMES)


def test_a_log_that_is_near_to_nothing_lists_every_format(write: Callable[[bytes], str]) -> None:
    error = refused(run("measure", write(b"hello, world\n")))
    assert error["hint"].startswith("--format ")
    assert all(name in error["expected"] for name in NAMES)


def test_every_built_in_reader_has_words_that_tell_what_is_near() -> None:
    assert set(WORDS) == NAMES


@pytest.mark.parametrize("name", ["", "torchtitn", "MEGATRON", "no-such-format"])
def test_a_format_that_does_not_exist_names_those_that_do(name: str) -> None:
    error = refused(run("measure", str(TORCHTITAN), "--format", name))
    assert error["where"] == "--format"
    assert all(known in error["expected"] for known in NAMES)
    assert error["hint"].split()[1] in NAMES


def test_a_log_of_two_producers_is_measured_by_the_one_that_is_named(write: Callable[[bytes], str]) -> None:
    path = write(TORCHTITAN.read_bytes() + NANOGPT.read_bytes())
    error = refused(run("measure", path))
    assert "nanogpt" in error["got"]
    assert "torchtitan" in error["got"]
    assert error["hint"] == "--format nanogpt or --format torchtitan"
    for name, records in (("nanogpt", 13), ("torchtitan", 6)):
        ran = run("measure", path, "--format", name)
        assert ran.code == 0
        assert ran.document["steps"]["records"] == records


def test_a_format_that_contradicts_the_log_names_the_one_that_recognises_it() -> None:
    error = refused(run("measure", str(TORCHTITAN), "--format", "nanogpt"))
    assert error["hint"].startswith("--format torchtitan")


def test_files_of_two_producers_are_no_run() -> None:
    error = refused(run("measure", str(TORCHTITAN), str(MEGATRON)))
    assert "megatron-lm" in error["got"]
    assert "torchtitan" in error["got"]


def test_a_flag_that_contradicts_the_log_wins_and_is_shown_beside_it(write: Callable[[bytes], str]) -> None:
    ran = run("measure", write(STATED.encode() + TORCHTITAN.read_bytes()), "--seq", "4096", "--global-batch", "16")
    assert ran.code == 0
    assert ran.document["seq_len"]["value"] == 4096
    assert ran.document["global_batch"]["value"] == 16
    said = [warning["message"] for warning in ran.document["warnings"] if warning["code"] == "W_DIFFERS"]
    assert any("4,096" in message and "8,192" in message for message in said)
    assert any("16" in message and "8" in message for message in said)


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "many", "", "1e400", "0x10", "NaN", "9" * 30])
@pytest.mark.parametrize("flag", ["--devices", "--seq", "--global-batch"])
def test_a_count_that_cannot_be_is_refused(flag: str, number: str) -> None:
    assert flag in refused(run("measure", str(TORCHTITAN), f"{flag}={number}"))["where"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_an_mfu_that_is_not_known_does_not_pass_a_threshold(sample, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 3 after the whole document: every sample lacks a chip."""
    ran = run("measure", str(sample.path), "--fail-under", "mfu=0.3")
    assert ran.code == 3
    assert ran.document["mfu"] is None
    assert "not known" in ran.err


def test_a_threshold_is_held_against_a_known_mfu() -> None:
    flags = ["--model", "llama-3.1-8b", "--chip", "h100-sxm", "--seq", "8192"]
    assert run("measure", str(TORCHTITAN), *flags, "--fail-under", "mfu=0.30").code == 0
    assert run("measure", str(TORCHTITAN), *flags, "--fail-under", "mfu=31%").code == 3


@pytest.mark.parametrize(
    "text",
    ["", "mfu", "mfu=", "=0.3", "mfu=2", "mfu=30", "mfu=-0.1", "mfu=x", "mfu=NaN", "mfu=inf", "speed=0.1", "0.3"],
)
def test_a_threshold_that_cannot_be_read_is_wrong_usage(text: str) -> None:
    assert refused(run("measure", str(TORCHTITAN), f"--fail-under={text}"), code=2)["where"] == "--fail-under"


@pytest.mark.parametrize("words", [(), ("--no-such-flag",), ("--seq",)])
def test_a_call_that_cannot_be_meant_is_wrong_usage(words: tuple[str, ...]) -> None:
    refused(run("measure", *words), code=2)


@pytest.mark.parametrize("name", ["a b.log", "it's.log", "--json", "ü.log", "$HOME.log"])
def test_the_command_of_a_report_can_be_pasted_whatever_the_log_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(TORCHTITAN.read_bytes())
    assert shlex.split(run("measure", str(path)).document["command"])[2] == str(path)
