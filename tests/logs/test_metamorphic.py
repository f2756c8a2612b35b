"""A log that says the same in other words gets the same answer; a slower run gets slower numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .rewrite import later, slower, two_ranks
from .samples import NAMES, SAMPLES, Sample, flags_of, run

BY_NAME = {sample.name: sample for sample in SAMPLES}
# A printed number is rounded once more when it is rewritten.
ROUNDING = 0.01
# Fractions that are rates over a peak; goodput is a ratio of two times, a peak is no rate of the run.
RATES = frozenset({"mfu", "hfu", "mfu_wall", "mfu_math_peak", "logged.mfu", "logged.recomputed_mfu"})
PEAKS = frozenset({"peak_flop_per_s_per_device", "logged.implied_peak_flop_per_s"})
# Not of the answer: what the file is called, and words.
WORDS = frozenset({"sources", "notes", "command", "warnings", "missing", "reconciliation"})


def answers(document: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any, str]]:
    """Every number, null and text of a document by its dotted path, with its unit."""
    for key, found in document.items():
        path = f"{above}{key}"
        if path in WORDS:
            continue
        if isinstance(found, dict) and "value" in found:
            yield path, found["value"], found["unit"]
        elif isinstance(found, dict):
            yield from answers(found, f"{path}.")
        elif isinstance(found, list):
            for index, part in enumerate(found):
                yield from answers(part, f"{path}.{index}.")
        else:
            yield path, found, "s" if key == "seconds" else ""


def power(path: str, unit: str) -> int:
    """The power of a slow-down that a number follows: 1 for times, −1 for rates, else 0."""
    if path in PEAKS:
        return 0
    if unit == "s":
        return 1
    return -1 if unit.endswith("/s") or path in RATES else 0


def differences(before: dict[str, Any], after: dict[str, Any], *, factor: float = 1.0, steps: int = 0) -> list[str]:
    """Where two answers differ beyond the slow-down and the shift of step numbers."""
    found = {path: value for path, value, _ in answers(after)}
    faults: list[str] = []
    for path, value, unit in answers(before):
        wanted = value
        if isinstance(value, int | float) and not isinstance(value, bool):
            wanted = value * factor ** power(path, unit)
            if path.startswith("steps.") and path.rpartition(".")[2] in ("first", "last", "after"):
                wanted += steps
        got = found.pop(path, "absent")
        if isinstance(wanted, float) and isinstance(got, int | float):
            if abs(got - wanted) <= ROUNDING * abs(wanted):
                continue
        elif got == wanted:
            continue
        faults.append(f"{path} is {got}, not {wanted}")
    return faults + [f"{path} is {value}, not absent" for path, value in found.items()]


def compare(sample: Sample, text: str, folder: Path, *, name: str = "", factor: float = 1.0, steps: int = 0) -> None:
    """The rewritten log is measured as the sample is, without flags and with those of its answers."""
    path = folder / (name or sample.name)
    path.write_text(text, encoding="utf-8")
    for flags in ([], *([flags_of(sample, folder)] if sample.given else [])):
        before, after = run("measure", str(sample.path), *flags), run("measure", str(path), *flags)
        assert (before.code, after.code) == (0, 0), after.document
        assert differences(before.document, after.document, factor=factor, steps=steps) == []


@pytest.fixture(params=NAMES)
def sample(request: pytest.FixtureRequest) -> Sample:
    """Each sample in turn."""
    return BY_NAME[request.param]


@pytest.mark.parametrize("factor", [1.37, 0.73])
def test_a_slower_run_has_longer_steps_and_lower_rates_and_the_same_goodput(
    sample: Sample, tmp_path: Path, factor: float
) -> None:
    compare(sample, slower(sample.path.read_text(encoding="utf-8"), factor), tmp_path, factor=factor)


def test_step_numbers_say_nothing_about_speed(sample: Sample, tmp_path: Path) -> None:
    compare(sample, later(sample.path.read_text(encoding="utf-8"), 1000), tmp_path, steps=1000)


@pytest.mark.parametrize("name", ["a", "megatron-lm.txt", "log.jsonl", "nanogpt torchtitan.out", "Tränen.log"])
def test_the_name_of_a_file_says_nothing(sample: Sample, tmp_path: Path, name: str) -> None:
    compare(sample, sample.path.read_text(encoding="utf-8"), tmp_path, name=name)


@pytest.mark.parametrize("prefix", ["[rank{}]:", "{}: ", "[default{}]:"])
def test_the_lines_of_two_ranks_are_one_run(sample: Sample, tmp_path: Path, prefix: str) -> None:
    compare(sample, two_ranks(sample.path.read_text(encoding="utf-8"), prefix), tmp_path)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_kind_of_line_end_says_nothing(sample: Sample, tmp_path: Path, end: str) -> None:
    compare(sample, end.join([*sample.path.read_text(encoding="utf-8").splitlines(), ""]), tmp_path)


def test_rewriting_at_the_same_speed_changes_no_number(sample: Sample) -> None:
    """The rewriting itself keeps every digit, so that a difference above is the program's."""
    text = sample.path.read_text(encoding="utf-8")
    assert later(slower(text, 1.0).replace(".000000]", "]"), 0) == text
