"""A flag that takes a file reads it, or the standard input, or the numbers themselves; and says what it cannot read."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from peakwise.cli.main import main

LOG = "FLOPS per GPU: 450.0 TFLOPS\n"


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main(["calc", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


class _Stdin(io.TextIOWrapper):
    def __init__(self, text: str) -> None:
        super().__init__(io.BytesIO(text.encode()))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_comes_from_a_file_of_any_encoding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, encoding: str
) -> None:
    file = tmp_path / "lengths.txt"
    file.write_text("200\n400\n900\n2100\n", encoding=encoding)
    code, document = _json(capsys, "lengths", "--lengths", str(file))
    assert (code, document["results"]["mean_tokens"]) == (0, 900)


@pytest.mark.parametrize("typed", ["200 400", "200;400", "0.2k 0.4k"])
def test_a_list_is_typed_as_it_stands(capsys: pytest.CaptureFixture[str], typed: str) -> None:
    assert _json(capsys, "lengths", "--lengths", typed)[1]["results"]["mean_tokens"] == 300


def test_a_file_wins_over_numbers_where_its_name_begins_with_a_digit(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2026lengths").write_text("7", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert _json(capsys, "lengths", "--lengths", "2026lengths")[1]["results"]["mean_tokens"] == 7


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["parse-log", "--text", "-"], LOG, ("flop_per_s_per_device", 450e12)),
        (["lengths", "--lengths", "-"], "100 300", ("mean_tokens", 200)),
    ],
)
def test_a_dash_is_the_standard_input(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    text: str,
    expected: tuple[str, float],
) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(text))
    assert expected in _json(capsys, *words)[1]["results"].items()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["parse-log", "--text", "nothere.log"], "no such file"),
        (["parse-log", "--text", "."], "the file cannot be read"),
        (["parse-log", "--text", "a\0b"], "the file cannot be read"),
        (["lengths", "--lengths", "nothere"], "no such file"),
        (["lengths", "--lengths", "a/b"], "no such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, document = _json(capsys, *words)
    assert (code, document["error"]["message"]) == (1, message)
    assert words[1] in document["error"]["where"]


def test_a_binary_file_and_one_too_long_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    binary, long = tmp_path / "binary", tmp_path / "long"
    binary.write_bytes(bytes(500))
    long.write_text("x" * 1_000_001, encoding="utf-8")
    assert _json(capsys, "parse-log", "--text", str(binary))[1]["error"]["message"] == "the file is binary"
    code, document = _json(capsys, "parse-log", "--text", str(long))
    assert (code, document["errors"][0]["field"], document["errors"][0]["code"]) == (1, "text", "E_RANGE")


def test_no_standard_input_is_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdin__", None)
    assert _json(capsys, "parse-log", "--text", "-")[1]["error"]["message"] == "there is no standard input to read"


def test_a_boolean_with_words_of_its_own_is_written_on_and_off(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["flops-per-token", "--model", "deepseek-v3", "--seq", "4096", "--mtp"]
    on, off = (_json(capsys, *words, word)[1]["results"]["part_mtp"] for word in ("on", "off"))
    assert on > 0 == off
    assert _json(capsys, *words, "maybe")[1]["errors"][0]["code"] == "E_CHOICE"


def test_the_completed_command_has_a_placeholder_of_the_fields_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calc", "lengths", "--lengths", "", "--batch", "2"]) == 1
    assert "peakwise calc lengths --batch 2 --lengths FILE" in capsys.readouterr().err
