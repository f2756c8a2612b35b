"""reference/python.md: the names that the package offers, from their signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect

import peakwise
from pages.markdown import opening, page, table
from peakwise.core.count import ComponentFlop, Count, Parameters, Rule
from peakwise.core.flop_trace import FlopTrace, LedgerCheck, TracedPart, Uncounted
from peakwise.core.ledger import Ledger, Term
from peakwise.core.measurement import Logged, Measurement, Missing, Steps, StepTime, UsedPeak
from peakwise.core.quantity import Quantity
from peakwise.core.waterfall import Part, Waterfall

RESULTS = (
    Count,
    Rule,
    ComponentFlop,
    Parameters,
    Ledger,
    Term,
    LedgerCheck,
    FlopTrace,
    TracedPart,
    Uncounted,
    Measurement,
    Steps,
    StepTime,
    Logged,
    UsedPeak,
    Missing,
    Waterfall,
    Part,
)


def write() -> str:
    """The page of the Python API: the functions of the root, then the values they return."""
    lines = opening(
        "Python",
        "`import peakwise as pw`. A name is loaded when it is first used. Results have `to_dict()`, the JSON document, "
        "`to_markdown()`, and draw themselves in a notebook.",
    )
    for name in dir(peakwise):
        if not name.startswith("__"):
            lines += _offered(name, getattr(peakwise, name))
    lines += ["# Results", ""]
    for kind in (Quantity, *RESULTS):
        if kind.__name__ not in dir(peakwise):
            lines += _value(kind)
    return page(lines)


def _offered(name: str, value: object) -> list[str]:
    if isinstance(value, type):
        return _value(value)
    lines = [f"## {name}", ""]
    if inspect.isfunction(value):
        lines += ["```text", _signature(name, value), "```", ""]
    return [*lines, _doc(value), ""]


def _signature(name: str, value: object) -> str:
    assert callable(value)
    signature = inspect.signature(value)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{stars}{parameter.name}: {_type(parameter.annotation)}{default}")
    shown = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{shown}) -> {_type(signature.return_annotation)}"


def _type(annotation: object) -> str:
    """A type as the source writes it."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _value(kind: type) -> list[str]:
    lines = [f"## {kind.__name__}", "", _doc(kind), ""]
    if not dataclasses.is_dataclass(kind):
        return lines
    hidden = {"draw"}
    rows = [(f"`{each.name}`", f"`{_type(each.type)}`") for each in dataclasses.fields(kind) if each.name not in hidden]
    lines += table(["attribute", "type"], rows)
    methods = [
        (f"`{name}`" if isinstance(member, property) else f"`{name}()`", (inspect.getdoc(member) or "").splitlines()[0])
        for name, member in vars(kind).items()
        if not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member))
    ]
    return [*lines, *table(["property or method", "what it gives"], methods)] if methods else lines


def _doc(value: object) -> str:
    """The docstring; its doctest, which the tests run, as a block."""
    lines = (inspect.getdoc(value) or "").splitlines()
    shown: list[str] = []
    inside = False
    for line in lines:
        starts = line.startswith(">>>")
        if starts and not inside:
            shown += ["", "```pycon"]
            inside = True
        shown.append(line)
    if inside:
        shown.append("```")
    return "\n".join(shown)
