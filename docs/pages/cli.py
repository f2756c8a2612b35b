"""reference/cli.md from the commands themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from pages.markdown import opening, page
from peakwise.calculators.table import CALCULATORS
from peakwise.cli.main import COMMANDS, NOT_YET, build


@dataclass(frozen=True)
class Flag:
    """One flag or argument: how it is written, what stands behind it, its help and its default."""

    names: tuple[str, ...]
    metavar: str
    help: str
    default: str


@dataclass(frozen=True)
class Command:
    """One command by its whole path, such as `peakwise calc mfu`."""

    path: str
    help: str
    arguments: tuple[Flag, ...]
    options: tuple[Flag, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """Every long flag of the command."""
        return tuple(option.names[0] for option in self.options)


def commands() -> list[Command]:
    """Every command, in the order of the command line; each calculator is one."""
    names = [name for name in COMMANDS if name != "calc"] + [f"calc {name}" for name in CALCULATORS]
    return [_command(name) for name in names]


def write() -> str:
    """The page of commands: one heading a command, one a flag."""
    lines = opening(
        "Command line",
        "Results go to standard output; warnings, progress and errors to standard error. Exit codes: 0 done, 1 wrong "
        "input, 2 wrong usage, 3 a threshold was missed.",
    )
    later = ", ".join(f"`{name}`" for name in sorted(NOT_YET))
    lines += [f"`peakwise` alone prints the questions it answers. Not there yet: {later}.", ""]
    for command in commands():
        lines += [f"## {command.path}", "", command.help, ""]
        for argument in command.arguments:
            lines += [f"### `{argument.metavar}`", "", argument.help, ""]
        for option in command.options:
            lines += [
                f"### `{_shown(option)}`",
                "",
                " ".join(part for part in (option.help, option.default) if part),
                "",
            ]
    return page(lines)


def _shown(option: Flag) -> str:
    return ", ".join(option.names) + (f" {option.metavar}" if option.metavar else "")


def _command(called: str) -> Command:
    """What the command line itself says of one command; its objects are read by the names of their interface."""
    command: Any = typer.main.get_command(build(called))
    parameters = [parameter for parameter in command.params if not parameter.hidden]
    return Command(
        path=f"peakwise {called}",
        help=f"{_text(command.help)}\n\n{_example(command.epilog)}".strip(),
        arguments=tuple(_flag(each) for each in parameters if each.param_type_name == "argument"),
        options=tuple(_flag(each) for each in parameters if each.param_type_name == "option"),
    )


def _flag(parameter: Any) -> Flag:
    names = (*parameter.opts, *parameter.secondary_opts)
    takes_value = parameter.param_type_name == "argument" or not parameter.is_flag
    default = parameter.default
    shown = takes_value and parameter.param_type_name == "option" and isinstance(default, str | int) and default != ""
    return Flag(
        names=tuple(sorted(names, key=lambda name: not name.startswith("--"))),
        metavar=(parameter.metavar or parameter.name.upper()) if takes_value else "",
        help=_text(parameter.help),
        default=f"Default: `{default}`." if shown else "",
    )


def _text(help_text: str | None) -> str:
    return (help_text or "").strip()


def _example(epilog: str | None) -> str:
    label, colon, example = _text(epilog).partition(": ")
    return f"{label}{colon}`{example}`" if example else label
