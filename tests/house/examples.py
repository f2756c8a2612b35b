"""The examples of a Markdown page: its fenced blocks, run as a reader would run them."""

from __future__ import annotations

import ast
import contextlib
import io
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Space = dict[str, object]
# What a reader types once to set up; the Makefile's own tests and the CI run these.
SET_UP = ("make demo", "make test", "make check")


@dataclass(frozen=True)
class Block:
    """One fenced block: where it begins, its language, what follows the language, and its text."""

    line: int
    language: str
    info: tuple[str, ...]
    text: str


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page in their order."""
    opened: tuple[int, list[str]] | None = None
    kept: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("```"):
            kept.append(line)
        elif opened is None:
            opened, kept = (number, line[3:].split()), []
        else:
            begin, words = opened
            yield Block(begin, words[0] if words else "", tuple(words[1:]), "\n".join(kept) + "\n")
            opened = None
    assert opened is None, f"{page.name}: a block that is never closed"


def run_command(command: str) -> tuple[int, str, str]:
    """One `peakwise …` line, in this process: exit code, stdout, stderr."""
    from peakwise.cli.main import main

    words = shlex.split(command, comments=True)
    assert words[0] == "peakwise", f"only peakwise is run: {command}"
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words[1:])
        except SystemExit as stop:
            code = stop.code
    printed, warned = (stream.buffer.getvalue().decode() for stream in (out, err))
    return code if isinstance(code, int) else 0 if code is None else 1, printed, warned


def run_page(page: Path) -> int:
    """Runs every example of a page and returns how many there were; a wrong one raises with its line.

    `sh`: each line is a command that must exit 0, or N with `exit=N` behind `sh`. `text output` right after it: what
    the last command printed (stdout, then stderr). `python`: run in one space per page; an expression line with a
    comment that is a literal must have that value.
    """
    space: Space = {}
    printed = ""
    n_run = 0
    for block in blocks_of(page):
        place = f"{page.name}:{block.line}"
        if block.language == "sh":
            for command in block.text.splitlines():
                if command.strip() and command.strip() not in SET_UP:
                    code, out, err = run_command(command)
                    wanted = next((int(word[5:]) for word in block.info if word.startswith("exit=")), 0)
                    assert code == wanted, f"{place}: exit {code}, not {wanted}: {command}\n{out}{err}"
                    printed = out + err
                    n_run += 1
        elif block.language == "text" and "output" in block.info:
            assert _stripped(printed) == _stripped(block.text), f"{place}: printed\n{printed}"
        elif block.language == "python":
            _run_python(block, place, space)
            n_run += 1
    return n_run


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _run_python(block: Block, place: str, space: Space) -> None:
    lines = block.text.splitlines()
    for node in ast.parse(block.text).body:
        source = ast.Module(body=[node], type_ignores=[])
        if not isinstance(node, ast.Expr):
            exec(compile(source, place, "exec"), space)  # the page's own example
            continue
        value = eval(compile(ast.Expression(node.value), place, "eval"), space)
        said = _said(lines[(node.end_lineno or 1) - 1])
        if said is not None:
            shown = round(value, _decimals(said)) if isinstance(said, float) and isinstance(value, float) else value
            assert shown == said, f"{place}: {ast.unparse(node)} is {value!r}, the page says {said!r}"


def _said(line: str) -> object:
    """The literal in a line's comment (`# 51_471_187_968: why`), None where it is words."""
    comment = line.partition("  # ")[2].strip()
    for text in (comment, comment.partition(": ")[0]):
        with contextlib.suppress(ValueError, SyntaxError):
            return ast.literal_eval(text)
    return None


def _decimals(value: float) -> int:
    return len(str(value).partition(".")[2])
