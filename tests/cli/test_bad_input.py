"""Bad input: a clear error with its four parts and exit code 1 or 2, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "tie_word_embeddings": False,
}

TEXTS = {
    "an empty file": b"",
    "an empty table": b"{}",
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "text": b"hello, this is no config\n",
    "half a document": b'{"model_type": "llama", ',
    "a binary file": bytes(range(256)) * 8,
    "nested brackets": b"[" * 100_000,
    "nested tables": b'{"a":' * 100_000,
    "a byte order mark alone": b"\xff\xfe",
}

FIELDS: dict[str, dict[str, Any]] = {
    "a field missing": {"model_type": None},
    "a number as text": {"hidden_size": "64"},
    "a fraction": {"hidden_size": 64.5},
    "a truth value": {"num_hidden_layers": True},
    "a negative width": {"intermediate_size": -128},
    "no layers": {"num_hidden_layers": 0},
    "a width that its heads do not divide": {"hidden_size": 66},
    "query heads that key-value heads do not divide": {"num_key_value_heads": 3},
    "an absurd size": {"vocab_size": 10**30},
    "a model_type that is a number": {"model_type": 7},
    "an unknown model_type": {"model_type": "no_such_type"},
    "an unknown model_type with code of its own": {"model_type": "no_such_type", "auto_map": {"AutoConfig": "x.Y"}},
}

FOREIGN = {
    "adapter_config.json": {"peft_type": "LORA", "r": 8, "base_model_name_or_path": "x"},
    "model_index.json": {"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"]},
}


def check(ran: Any) -> None:
    """One clear error on stderr and nothing on stdout."""
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert "Traceback" not in ran.err
    labels = {line.split()[0] for line in ran.err.splitlines()[1:] if line.startswith("  ") and line[2] != " "}
    assert labels & {"got", "expected", "where", "do"}


@pytest.mark.parametrize("command", ["count", "measure"])
@pytest.mark.parametrize("what", TEXTS)
def test_a_file_that_is_no_such_thing_is_refused(
    peakwise: Callable[..., Any], tmp_path: Path, what: str, command: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(TEXTS[what])
    check(peakwise(command, str(path), "--seq", "128"))


@pytest.mark.parametrize("what", FIELDS)
def test_a_config_that_cannot_be_counted_is_refused(peakwise: Callable[..., Any], tmp_path: Path, what: str) -> None:
    path = tmp_path / "config.json"
    config = {key: value for key, value in {**GOOD, **FIELDS[what]}.items() if value is not None}
    path.write_text(json.dumps(config), encoding="utf-8")
    check(peakwise("count", str(path), "--seq", "128"))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(peakwise: Callable[..., Any], tmp_path: Path, number: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(GOOD).replace('"hidden_size": 64', f'"hidden_size": {number}'), encoding="utf-8")
    check(peakwise("count", str(path), "--seq", "128"))


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_kind_is_refused(peakwise: Callable[..., Any], tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(FOREIGN[name]), encoding="utf-8")
    check(peakwise("count", str(path), "--seq", "128"))


def test_the_good_config_of_these_tests_is_counted(peakwise: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    ran = peakwise("count", str(tmp_path), "--seq", "128", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["workload"]["tokens"] == 128


def test_an_unknown_model_type_is_counted_like_its_kin_and_says_so(
    peakwise: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**GOOD, "model_type": "no_such_type"}), encoding="utf-8")
    ran = peakwise("count", str(path), "--seq", "128", "--like", "llama", "--json")
    assert ran.code == 0
    answer = json.loads(ran.out)
    assert answer["flop_per_token"]["basis"] == "assumed"
    assert "W_LIKE" in [warning["code"] for warning in answer["warnings"]]
    check(peakwise("count", str(path), "--seq", "128", "--like", "nothing_like_it"))


@pytest.mark.parametrize("command", ["count", "measure"])
def test_a_path_that_is_not_there_or_a_folder_is_refused(
    peakwise: Callable[..., Any], tmp_path: Path, command: str
) -> None:
    check(peakwise(command, str(tmp_path / "no-such-file.json"), "--seq", "128"))
    check(peakwise(command, str(tmp_path), "--seq", "128"))
    check(peakwise(command, "a\0b", "--seq", "128"))


@pytest.mark.parametrize(
    "words",
    [
        ("--seq", "0"),
        ("--seq", "-1"),
        ("--seq", "many"),
        ("--seq", ""),
        ("--seq", "1e400"),
        ("--seq", "lengths=no-such-file"),
        ("--seq", "lengths=no-such-file,pack=4096"),
        ("--seq", "lengths=no-such-file,packs=4096"),
        ("--seq", "p50=450"),
        ("--seq", "p50=450,p99=400"),
        ("--seq", "p50=450,p99=2100,pack=2048"),
        ("--seq", "p50=450,p99=2100", "--trace"),
        ("--seq", "128", "--masked", "129"),
        ("--seq", "128", "--masked", "-1"),
        ("--seq", "128", "--masked", "some"),
        ("--seq", "128", "--masked", "64", "--mode", "forward"),
        ("--seq", "128", "--batch", "0"),
        ("--seq", "128", "--batch", "2.5"),
        ("--seq", "128", "--batch", "many"),
        ("--seq", "128", "--mode", "sideways"),
        ("--seq", "128", "--attention", "some"),
        ("--seq", "128", "--recompute", "every:0"),
        ("--seq", "128", "--mtp", "maybe"),
        ("--seq", "128", "--train", "lora:r=zero"),
        ("--seq", "128", "--convention", "nonsense"),
        ("--seq", "128", "--convention", "deepseek"),
        ("--seq", "128", "--expect-params", "70B"),
        ("--seq", "128", "--expect-params", "many"),
        (),
    ],
)
def test_a_flag_that_cannot_be_is_refused(peakwise: Callable[..., Any], words: tuple[str, ...]) -> None:
    check(peakwise("count", "llama-3.1-8b", *words))


@pytest.mark.parametrize(
    "words",
    [
        ("--chip", "RTX 9090"),
        ("--peak", "0"),
        ("--peak", "fast"),
        ("--devices", "0"),
        ("--devices", "many"),
        ("--model", "no-such-model"),
        ("--seq", "0"),
        ("--global-batch", "-3"),
        ("--precision", "fp7"),
        ("--recompute", "sometimes"),
        ("--format", "no-such-format"),
        ("--fail-under", "mfu"),
        ("--fail-under", "mfu=2"),
        ("--fail-under", "speed=0.1"),
    ],
)
def test_a_flag_of_measure_that_cannot_be_is_refused(peakwise: Callable[..., Any], words: tuple[str, ...]) -> None:
    check(peakwise("measure", "examples/torchtitan-llama-8b.log", *words))


def test_the_error_document_goes_to_stdout_with_the_exit_code(peakwise: Callable[..., Any]) -> None:
    ran = peakwise("count", "llama-3.1-8b", "--seq", "0", "--json")
    assert ran.code == 1
    assert ran.err == ""
    answer = json.loads(ran.out)
    assert answer["schema"] == "peakwise.error/1"
    assert {"kind", "where", "got", "expected", "hint"} <= set(answer["error"])
    assert answer["errors"] == []
