"""`peakwise calc`: one calculator; its flags are generated from its declaration."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from peakwise.cli.command import OUTPUT, Argument, Command, Flag, Value
from peakwise.cli.output import Wanted, show
from peakwise.core.declaration import Declaration, Field
from peakwise.core.errors import InputError

EXAMPLE = 'peakwise calc mfu --workload inference --params 70B --rate 2000 --peak "989 TFLOP/s"'
# One example of each calculator, for its help.
EXAMPLES: dict[str, str] = {
    "mfu": EXAMPLE,
    "flops-per-token": "peakwise calc flops-per-token --model llama-3.1-8b --seq 8192",
    "inference-roofline": "peakwise calc inference-roofline --params 70B --bytes 2 --chip h100-sxm --batch 84",
    "hfu": "peakwise calc hfu --mfu 45 --recompute full",
    "finetune-throughput": "peakwise calc finetune-throughput --devices 8 --rate-per-device 2500 --efficiency 82 "
    "--tokens-per-example 900",
    "finetune-duration": "peakwise calc finetune-duration --examples 50000 --epochs 3 --tokens-per-example 900 "
    "--rate 16400",
    "method-flops": "peakwise calc method-flops --method lora --model llama-3.1-8b --seq 2048",
    "lengths": 'peakwise calc lengths --lengths "200 400 900 2100" --batch 4',
    "compare": "peakwise calc compare --a-case mai-base-1-v5 --b-case deepseek-v3",
    "parse-log": "peakwise calc parse-log --text examples/torchtitan-llama-8b.log",
}

ABSENT = "E_REQ"  # core/codes.py: a required field is absent
_FILES = ("text", "list")  # kinds of fields whose flag takes a file


def command(name: str) -> Command:
    """The command of the calculator of this name, or the list of them. **Raises** NotKnown with the nearest names."""
    from peakwise.calculators.table import CALCULATORS, find_calculator

    if name:
        declaration = find_calculator(name).declaration
        asked = {key for group in declaration.groups for key in group.keys}
        flags = tuple(_flag(field, asked=field.key in asked) for field in declaration.fields)

        def run(values: Mapping[str, Value]) -> None:
            run_calculator(declaration, values)

        return Command(declaration.id, declaration.summary, (), flags + OUTPUT, run, EXAMPLES[declaration.id])

    def choose(values: Mapping[str, Value]) -> None:
        command(str(values["name"]))

    lines = [f"{known}: {find_calculator(known).declaration.summary}" for known in CALCULATORS]
    summary = "One calculator.\n\n\b\n" + "\n".join(lines) + "\n\nIts flags: peakwise calc NAME --help"
    names = ", ".join(CALCULATORS)
    return Command("calc", summary, (Argument("name", "NAME", f"One of: {names}."),), (), choose)


def run_calculator(declaration: Declaration, values: Mapping[str, Value]) -> None:
    """The answer of a calculator to the texts of its flags, by key; what was not typed is left out.

    **Raises** InputError with every field error; where inputs lack, its hint is the completed command.
    """
    from peakwise.report.views.calc import describe
    from peakwise.verbs.calc import calculate

    keys = {field.key for field in declaration.fields}
    typed = {key: value for key, value in values.items() if key in keys and isinstance(value, str | bool)}
    try:
        answer = calculate(declaration.id, _with_files(declaration, typed), face="flag")
    except InputError as error:
        if error.code == ABSENT:
            absent = [lack.field for lack in error.errors if lack.code == ABSENT]
            error.hint = _complete(declaration, typed, absent)
        raise
    show(answer, lambda _: describe(answer), Wanted.of(values))


def _with_files(declaration: Declaration, typed: Mapping[str, str | bool]) -> dict[str, str | bool]:
    """What was typed, with the text of each file in place of its name."""
    given = dict(typed)
    for key, value in typed.items():
        field = declaration.field(key)
        if field.kind in _FILES and isinstance(value, str) and value.strip():
            from peakwise.cli.given_file import read_given

            given[key] = read_given(field, value)
    return given


def _complete(declaration: Declaration, typed: Mapping[str, str | bool], absent: list[str]) -> str:
    """The command as it was typed, with one placeholder for each input that lacks."""
    words = ["peakwise", "calc", declaration.id]
    for key, value in typed.items():
        if key in absent:  # typed, and left empty
            continue
        flag = declaration.field(key).flag
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag.removeprefix('--')}")
        else:
            words += [flag, value]
    for key in absent:
        field = declaration.field(key)
        words += [field.flag, _placeholder(field)]
    return shlex.join(words)


def _placeholder(field: Field) -> str:
    if field.kind in _FILES:
        return "FILE"
    return field.key.upper() if field.kind in ("choice", "id", "datetime") else "N"


# How the value of a flag is called in its help, by the kind of its field; a choice names its words.
_METAVARS = {"boolean": "on|off", "id": "ID", "text": "FILE", "list": "N…|FILE", "datetime": "TIME"}


def _flag(field: Field, *, asked: bool) -> Flag:
    help_text = _help(field, asked=asked)
    if field.kind == "boolean" and not field.on_off:
        return Flag(field.flag, field.key, help_text, off=f"--no-{field.flag.removeprefix('--')}")
    metavar = "|".join(field.words) or _METAVARS.get(field.kind, "N")
    return Flag(field.flag, field.key, help_text, metavar=metavar)


def _help(field: Field, *, asked: bool) -> str:
    """One line: the unit, what it is, and the default; `asked`: it or another way to say it must be given."""
    parts = [field.unit, field.note]
    if field.required:
        parts.append("required")
    elif field.default is not None and not asked:
        parts.append(f"default {_default(field.default)}")
    return "; ".join(part for part in parts if part)


def _default(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
