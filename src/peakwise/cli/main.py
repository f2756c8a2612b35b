"""The command line: it finds the command, prints every error, and alone chooses the exit code.

Only the module of the command that was called is imported, and typer not before a command is: start-up is a feature.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from peakwise.cli.command import Command, read_plain
from peakwise.cli.output import paper_of, write, write_json, write_report
from peakwise.cli.usage import ThresholdMissed, UsageError
from peakwise.core.errors import FieldError, PeakwiseError, ReadError
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    import typer

DONE, WRONG_INPUT, WRONG_USAGE, MISSED = 0, 1, 2, 3
INTERRUPTED = 130  # 128 + SIGINT, what shells expect

COMMANDS = ("count", "measure", "explain", "calc", "catalog", "web")
NOT_YET = frozenset({"predict", "plan", "compare", "run"})


def main(argv: list[str] | None = None) -> int:
    """Run one command line. Gives the exit code: 0 done, 1 wrong input, 2 wrong usage, 3 a threshold was missed."""
    words = sys.argv[1:] if argv is None else argv
    collecting = gc.isenabled()
    gc.disable()  # a command is short: looking for cycles would be a quarter of its start-up
    try:
        return _on_open_streams(words)
    finally:
        if collecting:
            gc.enable()


def _on_open_streams(words: list[str]) -> int:
    if sys.__stderr__ is None:  # 2>&- : nobody wants the errors
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open to the end)
    if sys.__stdout__ is None:  # >&- : nowhere to print the result
        write(sys.stderr, "error: the output is closed\n")
        return WRONG_USAGE
    try:
        return _guarded(words)
    except BrokenPipeError:
        return _leave_quietly()
    except KeyboardInterrupt:
        return INTERRUPTED


def _guarded(words: list[str]) -> int:
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except ThresholdMissed as error:
        sys.stdout.flush()
        _print_error(error)
        return MISSED
    except UsageError as error:
        return _fail(error, words, WRONG_USAGE)
    except PeakwiseError as error:
        return _fail(error, words, WRONG_INPUT)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:  # not a file that was named: the output itself
            _leave_quietly()
        return _fail(_unreadable(error), words, WRONG_INPUT)
    return code


def _dispatch(words: list[str]) -> int:
    match words:
        case [] | ["--help" | "-h" | "help"]:
            from peakwise.report.views.welcome import describe

            write_report(describe(VERSION, NOT_YET))
            return DONE
        case ["--version" | "-V", *_]:
            write(sys.stdout, f"peakwise {VERSION}\n")
            return DONE
        case [name, *rest] if name in COMMANDS:
            return _run(name, rest)
        case [name, *_]:
            raise _no_command(name)
        case _:
            raise AssertionError("every list of words is one of the above")


def _run(name: str, words: list[str]) -> int:
    """Run one command: a plain call at once, any other by typer."""
    called = name
    if name == "calc" and words and not words[0].startswith("-"):
        called, words = f"calc {words[0]}", words[1:]
    values = read_plain(find_command(called), words)
    if values is None:
        return _run_typer(called, words)
    find_command(called).run(values)
    return DONE


def find_command(called: str) -> Command:
    """The command as data: `count`, `measure`, `explain`, `catalog`, `calc`, or `calc mfu`."""
    name, _, calculator = called.partition(" ")
    module = import_module(f"peakwise.cli.{name}")
    found: Command = module.command(calculator) if name == "calc" else module.command()
    return found


def _run_typer(called: str, words: list[str]) -> int:
    """Run one command by typer, whose own complaints become usage errors."""
    import typer

    app = build(called)
    try:
        code: object = app(words, prog_name=f"peakwise {called}", standalone_mode=False)
    except typer.TyperException as error:
        raise _usage(error.format_message(), called, words) from error
    except SystemExit as left:  # typer leaves this way when the reader of the output has gone
        raise BrokenPipeError from left
    return code if isinstance(code, int) else DONE


def build(called: str) -> typer.Typer:
    """The typer application of one command."""
    import typer

    from peakwise.cli.typer_command import TyperFunction

    command = find_command(called)
    example: str = command.example or import_module(f"peakwise.cli.{called.partition(' ')[0]}").EXAMPLE
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(help=command.summary, epilog=f"Example: {example}")(TyperFunction(command))
    return app


# Errors


def _no_command(name: str) -> UsageError:
    if name in NOT_YET:
        where, expected = f"peakwise {name}", ", ".join(COMMANDS)
        return UsageError(f"{name} is not there yet", where=where, got=name, expected=expected, hint="peakwise")
    from difflib import get_close_matches

    nearest = get_close_matches(name, COMMANDS, n=1)
    hint = f"peakwise {nearest[0]} --help" if nearest else "peakwise"
    kind = "flag" if name.startswith("-") else "command"
    return UsageError(f'unknown {kind} "{name}"', where="peakwise", got=name, expected=", ".join(COMMANDS), hint=hint)


def _usage(message: str, called: str, words: list[str]) -> UsageError:
    """What typer complained about, in the four parts of every error."""
    sentence = message[:1].lower() + message[1:].rstrip(".")
    unknown = [word.partition("=")[0] for word in words if word.startswith("--") and word.partition("=")[0] in message]
    lacks = "; ".join(f"{argument.metavar}: {argument.help}" for argument in find_command(called).arguments)
    errors: tuple[FieldError, ...] = ()
    if called.startswith("calc ") and unknown and message.startswith("No such option"):
        errors = (FieldError(field=unknown[0], code="E_UNKNOWN", message=sentence),)
    return UsageError(
        sentence,
        where=unknown[0] if unknown else f"peakwise {called}",
        got=" ".join(words) or "nothing",
        expected=lacks if message.startswith("Missing argument") else f"the arguments and flags of peakwise {called}",
        hint=f"peakwise {called} --help",
        errors=errors,
    )


def _unreadable(error: OSError) -> ReadError:
    name = "" if error.filename is None else str(error.filename)
    return ReadError(
        f"cannot use {name or 'the output'}",
        where=name or "the output",
        got=(error.strerror or str(error)).lower(),
        expected="a file that can be read or written",
    )


def _fail(error: PeakwiseError, words: list[str], code: int) -> int:
    """Print an error: the document on stdout where JSON was asked for, else four lines on stderr."""
    if "--json" in words:
        write_json(error.to_dict())
    else:
        sys.stdout.flush()
        _print_error(error)
    return code


def _print_error(error: PeakwiseError) -> None:
    from peakwise.report.views.error import render

    write(sys.stderr, render(error, "text", paper_of(sys.stderr)))


def _leave_quietly() -> int:
    """The reader of the output has gone: nobody is left to tell. Later flushes go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if sys.__stdout__ is not None:
        os.dup2(nowhere, sys.__stdout__.fileno())
    return WRONG_INPUT
