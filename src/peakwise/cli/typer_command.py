"""A declared command as the function that typer reads."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Annotated

import typer

from peakwise.cli.command import Argument, Command, Flag


class TyperFunction:
    """Looks to typer like a function whose parameters are the command's argument and flags."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.__name__ = command.name
        self.__doc__ = command.summary
        parameters: list[Parameter] = []
        parameters += [_argument(argument) for argument in command.arguments]
        parameters += [
            Parameter(flag.key, Parameter.KEYWORD_ONLY, default=flag.default, annotation=_annotation(flag))
            for flag in command.flags
        ]
        self.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        self.__signature__ = Signature(parameters)

    def __call__(self, **values: str | bool | list[str] | None) -> None:
        """Run the command with the values that typer read."""
        self.command.run({key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def _argument(argument: Argument) -> Parameter:
    kind = list[str] if argument.many else str | None if argument.optional else str
    annotation = Annotated[kind, typer.Argument(metavar=argument.metavar, help=argument.help)]
    default = None if argument.optional else Parameter.empty
    return Parameter(argument.key, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _annotation(flag: Flag) -> object:
    names = f"{flag.flag}/{flag.off}" if flag.off else flag.flag
    if flag.is_switch:
        kind = bool if flag.default is not None else bool | None
        return Annotated[kind, typer.Option(names, help=flag.help, show_default=False)]
    kind = str if flag.default is not None else str | None
    shown = flag.default is not None
    return Annotated[kind, typer.Option(names, metavar=flag.metavar, help=flag.help, show_default=shown)]
