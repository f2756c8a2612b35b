"""A plain call of a declared command is read without typer, and just as typer reads it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from peakwise.calculators.table import CALCULATORS
from peakwise.cli import calc, catalog, count, explain, measure
from peakwise.cli.command import Command, read_plain
from peakwise.cli.typer_command import TyperFunction

COMMANDS = [module.command() for module in (count, measure, explain, catalog)]
COMMANDS += [*(calc.command(name) for name in CALCULATORS)]
VALUES = st.sampled_from(["1", "70B", "989 TFLOP/s", "-5", "a=b", "", "x y", "inference"])


def by_typer(command: Command, words: list[str]) -> dict[str, Any]:
    """The values that typer reads."""
    seen: list[dict[str, Any]] = []
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(TyperFunction(command._replace(run=lambda values: seen.append(dict(values)))))
    app(words, standalone_mode=False)
    return seen[0]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
@given(data=st.data())
def test_both_ways_read_the_same_call(command: Command, data: st.DataObject) -> None:
    words: list[str] = []
    for flag in data.draw(st.lists(st.sampled_from(command.flags), max_size=6)):
        if flag.is_switch:
            words.append(data.draw(st.sampled_from([flag.flag, flag.off or flag.flag])))
        elif data.draw(st.booleans()):
            words += [flag.flag, data.draw(VALUES)]
        else:
            words.append(f"{flag.flag}={data.draw(VALUES)}")
    for argument in reversed(command.arguments):
        most = 3 if argument.many else 1
        named = st.lists(st.sampled_from(["llama-3.1-8b", "-", "a/b.json"]), min_size=1, max_size=most)
        words = [*data.draw(named), *words]
    assert read_plain(command, words) == by_typer(command, words)


@pytest.mark.parametrize("words", [["--help"], ["--nonsense", "1"], ["--params"], ["--params", "--rate"], ["70B"]])
def test_any_other_call_is_left_to_typer(words: list[str]) -> None:
    assert read_plain(calc.command("mfu"), words) is None


@pytest.mark.parametrize("words", [[], ["a", "b"], ["a", "-x"], ["a", "--seq"]])
def test_a_command_takes_its_one_word_and_no_more(words: list[str]) -> None:
    assert read_plain(count.command(), words) is None


def test_several_words_and_optional_ones_find_their_places() -> None:
    several = read_plain(measure.command(), ["a.log", "--chip", "h100-sxm", "b.log"])
    assert several is not None
    assert (several["logs"], several["chip"]) == (("a.log", "b.log"), "h100-sxm")
    alone = read_plain(catalog.command(), ["chips"])
    assert alone is not None
    assert alone["query"] is None
    assert read_plain(measure.command(), []) is None


def test_the_last_of_a_repeated_flag_counts() -> None:
    values = read_plain(calc.command("mfu"), ["--params", "1", "--params=2", "--html", "x.html"])
    assert values is not None
    assert (values["params_b"], values["html"], values["json"]) == ("2", "x.html", False)


@pytest.mark.parametrize(
    "words",
    [
        ["calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--peak", "989"],
        ["count", "llama-3.1-8b", "--seq", "128"],
        ["catalog", "models", "gpt2"],
    ],
)
def test_a_plain_call_does_not_import_typer(words: list[str]) -> None:
    program = "import sys; from peakwise.cli.main import main; main(sys.argv[1:]); print('typer' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"
