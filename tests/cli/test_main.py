"""The command line as a whole: texts, forms, streams and exit codes."""

from __future__ import annotations

import errno
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peakwise.cli.main import COMMANDS, NOT_YET, main

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "tests" / "report" / "texts"
LOG = "examples/torchtitan-llama-8b.log"
RUN = ("measure", LOG, "--model", "llama-3.1-8b", "--chip", "h100-sxm", "--seq", "8192")
MFU = ("calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--peak", "989 TFLOP/s")
OVER = ("calc", "mfu", "--workload", "training", "--params", "70B", "--rate", "20000")
WHOLE = {
    "count": ("count", "llama-3.1-8b", "--seq", "8192"),
    "measure": RUN,
    "calc": MFU,
    "catalog": ("catalog", "chips", "h100"),
}


def text(name: str) -> str:
    """One of the texts that the terminal must show."""
    return (TEXTS / name).read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (WHOLE["count"], "count-80.txt"),
        (RUN, "measure-complete-80.txt"),
        (("measure", LOG), "measure-incomplete-80.txt"),
        ((*RUN, "--md"), "measure-complete.md"),
        (MFU, "calc-mfu-80.txt"),
    ],
)
def test_a_pipe_gets_the_text_of_80_columns(peakwise: Callable[..., Any], words: tuple[str, ...], name: str) -> None:
    ran = peakwise(*words)
    assert (ran.code, ran.out, ran.err) == (0, text(name), "")


def test_above_the_peak_the_number_is_a_result_and_its_causes_are_a_warning(peakwise: Callable[..., Any]) -> None:
    ran = peakwise(*OVER, "--peak", "989 TFLOP/s", "--devices", "8")
    assert ran.code == 0
    assert ran.out + ran.err == text("calc-mfu-over-80.txt")
    assert ran.err.startswith("\nwarning: ")


def test_an_error_goes_to_stderr_alone(peakwise: Callable[..., Any]) -> None:
    ran = peakwise("calc", "mfu", "--params", "70B", "--rate", "2000", "--chip", "RTX 9090")
    assert (ran.code, ran.out, ran.err) == (1, "", text("error-80.txt"))


def on_a_terminal(words: tuple[str, ...], columns: int, **environ: str) -> str:
    """What a command prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; from peakwise.cli.main import main; sys.exit(main())", *words],
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env={**clean, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8", "TERM": "xterm", **environ},
    )
    os.close(theirs)
    parts: list[bytes] = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError as error:  # the other end is closed: how Linux ends a terminal
        if error.errno != errno.EIO:
            raise
    os.close(ours)
    assert process.wait() == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_the_text_of_its_width(columns: int) -> None:
    over = (*OVER, "--peak", "989 TFLOP/s", "--devices", "8")
    assert on_a_terminal(over, columns, NO_COLOR="1") == text(f"calc-mfu-over-{columns}.txt")


def test_a_terminal_gets_colour_unless_it_is_dumb() -> None:
    assert "\x1b[1mMFU 28.3 %\x1b[0m" in on_a_terminal(MFU, 80)
    assert on_a_terminal(MFU, 80, TERM="dumb") == text("calc-mfu-80.txt")


def test_force_color_colours_a_pipe(peakwise: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1mMFU 28.3 %\x1b[0m" in peakwise(*MFU).out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_encoding_without_the_glyphs_gets_plain_characters(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    assert main(list(RUN)) == 0
    printed = raw.getvalue().decode("ascii")
    assert "  ######################.......|..........|" in printed
    assert "masked half of attention        -6.44" in printed


def test_json_stays_json_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main([*RUN, "--json"]) == 0
    sources = json.loads(raw.getvalue())["mfu"]["source"]
    assert "÷" in sources


@pytest.mark.parametrize("name", WHOLE)
def test_every_command_prints_one_json_document_that_names_its_schema_and_version(
    peakwise: Callable[..., Any], name: str
) -> None:
    ran = peakwise(*WHOLE[name], "--json")
    assert (ran.code, ran.err) == (0, "")
    answer = json.loads(ran.out)
    assert answer["schema"] == f"peakwise.{name}/1"
    assert answer["version"] == "0.2.0"
    assert isinstance(answer["warnings"], list)


@pytest.mark.parametrize("name", WHOLE)
def test_every_command_writes_markdown_and_a_page(peakwise: Callable[..., Any], tmp_path: Path, name: str) -> None:
    page = tmp_path / "report.html"
    ran = peakwise(*WHOLE[name], "--md", "--html", str(page))
    assert ran.code == 0
    assert ran.out.rstrip().endswith("· Peakwise 0.2.0")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_that_cannot_be_written_is_an_error(peakwise: Callable[..., Any], tmp_path: Path) -> None:
    ran = peakwise(*MFU, "--html", str(tmp_path / "no" / "folder.html"))
    assert ran.code == 1
    assert ran.err.startswith("error: cannot write the page\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example_that_runs(peakwise: Callable[..., Any], name: str) -> None:
    words = ("calc", "mfu") if name == "calc" else (name,)
    ran = peakwise(*words, "--help")
    assert ran.code == 0
    assert "Example: peakwise " in ran.out


def test_peakwise_alone_prints_the_six_questions(peakwise: Callable[..., Any]) -> None:
    ran = peakwise()
    assert ran.code == 0
    assert ran.out.startswith("Peakwise 0.2.0\n")
    for name in (*COMMANDS, *(NOT_YET - {"run"})):
        assert f"\n  {name} " in ran.out
    assert peakwise("--help").out == ran.out


def test_the_version_is_one_line(peakwise: Callable[..., Any]) -> None:
    assert peakwise("--version").out == "peakwise 0.2.0\n"


@pytest.mark.parametrize("name", sorted(NOT_YET))
def test_a_verb_that_is_not_there_yet_says_so(peakwise: Callable[..., Any], name: str) -> None:
    ran = peakwise(name, "train.log")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {name} is not there yet\n")


@pytest.mark.parametrize(
    "words",
    [("coumt",), ("--nonsense",), ("count",), ("count", "x", "--nonsense"), ("calc",), ("calc", "mfu", "--x", "1")],
)
def test_a_call_that_cannot_be_meant_is_wrong_usage(peakwise: Callable[..., Any], words: tuple[str, ...]) -> None:
    ran = peakwise(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "\n  do        peakwise" in ran.err


def test_an_unknown_command_names_the_nearest(peakwise: Callable[..., Any]) -> None:
    assert "do        peakwise count --help" in peakwise("coumt").err


def test_a_wrong_call_is_a_document_too(peakwise: Callable[..., Any]) -> None:
    ran = peakwise("calc", "mfu", "--nonsense", "1", "--json")
    assert (ran.code, ran.err) == (2, "")
    answer = json.loads(ran.out)
    assert answer["error"]["kind"] == "usage"
    assert [error["code"] for error in answer["errors"]] == ["E_UNKNOWN"]


@pytest.mark.parametrize(
    ("threshold", "code"),
    [("mfu=0.30", 0), ("mfu=30%", 0), ("mfu=0.35", 3), ("hfu=0.01", 3), ("mfu_wall=0.3", 0)],
)
def test_fail_under_passes_what_is_reached_and_known(peakwise: Callable[..., Any], threshold: str, code: int) -> None:
    ran = peakwise(*RUN, "--fail-under", threshold)
    assert ran.code == code
    assert ran.out == text("measure-complete-80.txt")
    assert ran.err.startswith("error: ") == (code == 3)


def test_fail_under_does_not_pass_an_mfu_that_is_not_known(peakwise: Callable[..., Any]) -> None:
    ran = peakwise("measure", LOG, "--json", "--fail-under", "mfu=0.01")
    assert ran.code == 3
    assert json.loads(ran.out)["mfu"] is None


def test_what_lacks_is_asked_for_by_the_completed_command(peakwise: Callable[..., Any]) -> None:
    ran = peakwise("calc", "mfu", "--params", "70 B", "--rate", "2000")
    assert ran.code == 1
    command = "peakwise calc mfu --params '70 B' --rate 2000 --workload WORKLOAD --peak N"
    assert ran.err.endswith(f"  do        {command}\n")


def test_a_finding_is_a_warning_on_stderr_after_the_numbers(peakwise: Callable[..., Any]) -> None:
    ran = peakwise("calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--chip", "h100-sxm")
    assert ran.code == 0
    assert "warning:" not in ran.out
    assert "(W_FIT)" in ran.err


def in_a_process(words: tuple[str, ...], redirect: str) -> subprocess.CompletedProcess[str]:
    """One command line under a shell, with what it says about its output."""
    program = "import sys; from peakwise.cli.main import main; sys.exit(main())"
    return subprocess.run(
        ["bash", "-c", f'"$@" {redirect}', "bash", sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_closed_pipe_ends_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)  # nobody reads, from the start
    program = "import sys; from peakwise.cli.main import main; sys.exit(main())"
    words = [sys.executable, "-c", program, "catalog", "chips"]
    ran = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.parametrize(("redirect", "code"), [(">&-", 2), (">/dev/full", 1)])
def test_an_output_that_takes_nothing_is_an_error(redirect: str, code: int) -> None:
    ran = in_a_process(MFU, redirect)
    assert ran.returncode == code
    assert ran.stderr.startswith("error: ")
    assert "Traceback" not in ran.stderr


def test_an_interrupt_ends_quietly(peakwise: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("peakwise.verbs.count.count", interrupted)
    ran = peakwise(*WHOLE["count"])
    assert (ran.code, ran.out, ran.err) == (130, "", "")
