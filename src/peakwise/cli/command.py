"""A command as data: what it takes, and the function that runs it.

Typer reads the declaration and words help and complaints; a plain call is read from it alone, since importing typer
is the larger part of a start-up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Value = str | bool | None | tuple[str, ...]


class Flag(NamedTuple):
    """One flag: how it is written, the name of its value, and its help.

    A switch has no `metavar` and a truth value; `off` is the flag that takes it back, where there is one.
    """

    flag: str
    key: str
    help: str
    metavar: str = ""
    default: Value = None
    off: str = ""

    @property
    def is_switch(self) -> bool:
        """Whether it stands alone, without a value."""
        return not self.metavar


class Argument(NamedTuple):
    """A word that a command takes beside its flags; `many`: one or more, the last argument."""

    key: str
    metavar: str
    help: str
    many: bool = False
    optional: bool = False


class Command(NamedTuple):
    """A command: its summary, what it takes, what runs with the values by key, and an example of its own."""

    name: str
    summary: str
    arguments: tuple[Argument, ...]
    flags: tuple[Flag, ...]
    run: Callable[[Mapping[str, Value]], None]
    example: str = ""

    @property
    def defaults(self) -> dict[str, Value]:
        """The value of every flag that is not typed."""
        return {flag.key: flag.default for flag in self.flags}


OUTPUT = (
    Flag("--json", "json", "Print the result as one JSON document.", default=False),
    Flag("--md", "md", "Print Markdown, for an issue or a pull request.", default=False),
    Flag("--html", "html", "Write the report as a page of its own too.", metavar="FILE"),
)


def read_plain(command: Command, words: list[str]) -> dict[str, Value] | None:
    """The values of a call of known flags, each with its value; None for any other, which typer reads and answers.

    The last of a repeated flag counts, as typer has it.
    """
    valued = {flag.flag: flag.key for flag in command.flags if not flag.is_switch}
    switches = {flag.flag: (flag.key, True) for flag in command.flags if flag.is_switch}
    switches |= {flag.off: (flag.key, False) for flag in command.flags if flag.off}
    values = command.defaults
    left, arguments = list(words), list[str]()
    while left:
        word = left.pop(0)
        flag, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            arguments.append(word)
        elif flag in switches and not equals:
            key, on = switches[flag]
            values[key] = on
        elif flag in valued:
            if not equals:
                if not left or left[0].startswith("--"):
                    return None
                value = left.pop(0)
            values[valued[flag]] = value
        else:
            return None
    placed = _place(command.arguments, arguments)
    return None if placed is None else values | placed


def _place(arguments: tuple[Argument, ...], words: list[str]) -> dict[str, Value] | None:
    """Each word under its argument's key; None where they are too few or too many."""
    placed: dict[str, Value] = {}
    left = list(words)
    for argument in arguments:
        if argument.many:
            placed[argument.key], left = tuple(left), []
        else:
            placed[argument.key] = left.pop(0) if left else None
        if not placed[argument.key] and not argument.optional:
            return None
    return None if left else placed


def words_of(values: Mapping[str, Value], key: str) -> tuple[str, ...]:
    """The words of an argument that takes one or more."""
    value = values[key]
    return value if isinstance(value, tuple) else (str(value),)


def text_of(values: Mapping[str, Value], key: str) -> str | None:
    """The text of a flag or an argument; None where it was not typed."""
    value = values[key]
    return value if isinstance(value, str) else None
