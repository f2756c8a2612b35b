"""A plain call of a calculator is read without typer, and just as typer reads it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.cli import calc
from peakwise.cli.calc_plain import read_plain
from peakwise.cli.main import build
from peakwise.cli.output import Wanted

VALUES = st.sampled_from(["1", "70B", "989 TFLOP/s", "-5", "a=b", "", "x y", "inference"])


@pytest.mark.parametrize("name", CALCULATORS)
@given(data=st.data())
def test_both_ways_read_the_same_call(name: str, data: st.DataObject) -> None:
    declaration = find_calculator(name).declaration
    words: list[str] = []
    for field in data.draw(st.lists(st.sampled_from(declaration.fields), max_size=5)):
        if field.kind == "boolean":
            no = f"--no-{field.flag.removeprefix('--')}"
            words.append(data.draw(st.sampled_from([field.flag, no])))
        elif data.draw(st.booleans()):
            words += [field.flag, data.draw(VALUES)]
        else:
            words.append(f"{field.flag}={data.draw(VALUES)}")
    words += data.draw(st.lists(st.sampled_from(["--json", "--md"]), max_size=2))
    seen: list[Any] = []
    patch = pytest.MonkeyPatch()
    patch.setattr(calc, "run_calculator", lambda _, typed, wanted: seen.append((dict(typed), wanted)))
    try:
        build(f"calc {name}")(words, standalone_mode=False)
    finally:
        patch.undo()
    call = read_plain(declaration, words)
    assert call is not None
    assert seen == [(call.typed, call.wanted)]


@pytest.mark.parametrize("words", [["--help"], ["--nonsense", "1"], ["--params"], ["--params", "--rate"], ["70B"]])
def test_any_other_call_is_left_to_typer(words: list[str]) -> None:
    assert read_plain(find_calculator("mfu").declaration, words) is None


def test_the_last_of_a_repeated_flag_counts() -> None:
    call = read_plain(find_calculator("mfu").declaration, ["--params", "1", "--params=2", "--html", "x.html"])
    assert call is not None
    assert call.typed == {"params_b": "2"}
    assert call.wanted == Wanted(False, False, "x.html")


def test_a_plain_call_does_not_import_typer() -> None:
    program = "import sys; from peakwise.cli.main import main; main(sys.argv[1:]); print('typer' in sys.modules)"
    words = ["calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--peak", "989"]
    ran = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"
