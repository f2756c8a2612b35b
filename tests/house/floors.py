"""Which room of the house may import which: the table of floors, and what breaks it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The table. A file imports its own room and rooms on lower floors; change it in the same commit as the house.
FLOORS: dict[str, int] = {
    "core": 0,
    "facts": 1,
    "counting": 1,
    "report": 1,
    "readers": 2,
    "measuring": 2,
    "explaining": 3,
    "predicting": 3,
    "comparing": 3,
    "planning": 4,
    "calculators": 4,
    "verbs": 5,
    "cli": 6,
    "web": 6,
    "integrations": 6,
}
ARITHMETIC = frozenset({"counting", "measuring", "explaining", "predicting", "comparing", "planning", "calculators"})
BANNED_TO_ARITHMETIC = frozenset({"facts", "readers", "report"})
# The only core files whose columns are numpy arrays.
CORE_WITH_NUMPY = frozenset({"series.py", "trace.py"})
# core holds values: nothing there looks at a clock, a network, a process or a log.
BANNED_TO_CORE = frozenset(
    {"time", "logging", "socket", "urllib", "http", "subprocess", "shutil", "tempfile", "glob", "asyncio", "threading"}
)


@dataclass(frozen=True)
class Import:
    """One import of a file: the module's full name, the line, and whether it stands outside every function."""

    module: str
    line: int
    at_top: bool


def imports_of(tree: ast.Module, package: str) -> Iterator[Import]:
    """Every import of a file, inside functions and under `if TYPE_CHECKING` too, relative ones made absolute.

    `package` is the dotted package that the file lies in. `import_module("x")` and `__import__("x")` count.
    """
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        at_top = id(node) not in inner
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, at_top)
        elif isinstance(node, ast.ImportFrom):
            for module in _from_modules(node, package):
                yield Import(module, node.lineno, at_top)
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__") and node.args:
            yield Import(_literal(node.args[0]), node.lineno, at_top)


def _from_modules(node: ast.ImportFrom, package: str) -> list[str]:
    base = node.module or ""
    if node.level:
        parents = package.split(".")
        kept = parents[: len(parents) - node.level + 1]
        base = ".".join([*kept, base] if base else kept)
    # `from peakwise import core` imports the root and then a room: both are reported.
    return [base, *(f"{base}.{alias.name}" for alias in node.names)] if base == "peakwise" else [base]


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _literal(node: ast.expr) -> str:
    """The module's name as far as the source says it: f"peakwise.calculators.{name}" gives its fixed head."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
        return str(node.values[0].value).rstrip(".")
    return "?"


def floor_faults(source: Path) -> list[str]:
    """What breaks the floors under `source`, the folder that holds the package `peakwise`."""
    root = source / "peakwise"
    faults: list[str] = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        place = "/".join(parts)
        if len(parts) == 1:
            if parts[0] != "__init__.py":
                faults.append(f"{place}: a file outside every room")
            continue
        if parts[0] not in FLOORS:
            faults.append(f"{place}: the room {parts[0]} is not in the table of floors")
            continue
        if parts[-1] == "__init__.py" and path.read_text(encoding="utf-8").strip():
            faults.append(f"{place}: not empty; only the root's __init__.py says something")
        package = ".".join(("peakwise", *parts[:-1]))
        for found in imports_of(ast.parse(path.read_text(encoding="utf-8")), package):
            faults += [f"{place}:{found.line}: {fault}" for fault in _import_faults(parts, found)]
    return faults


def _import_faults(parts: tuple[str, ...], found: Import) -> Iterator[str]:
    room = parts[0]
    names = found.module.split(".")
    if found.module == "?":
        yield "imports a name that only the running program knows: no floor can be checked"
    elif names == ["peakwise"]:
        yield "imports the package root"
    elif names[0] == "peakwise":
        yield from _room_faults(room, names[1], found)
    elif room == "core":
        yield from _core_faults(parts[-1], names[0])


def _room_faults(room: str, other: str, found: Import) -> Iterator[str]:
    if other not in FLOORS:
        yield f"imports {found.module}, which is in no room"
    elif other != room and FLOORS[other] >= FLOORS[room]:
        yield f"{room} (floor {FLOORS[room]}) imports {other} (floor {FLOORS[other]})"
    elif room in ARITHMETIC and other in BANNED_TO_ARITHMETIC:
        yield f"{room} is arithmetic and imports {other}"
    elif room == "verbs" and found.at_top and other != "core":
        yield f"a verb imports {other} at the top; only core types stand there"


def _core_faults(file: str, top: str) -> Iterator[str]:
    if top in BANNED_TO_CORE:
        yield f"core imports {top}: no file, clock, network or log there"
    elif top not in sys.stdlib_module_names and not (top == "numpy" and file in CORE_WITH_NUMPY):
        yield f"core imports {top}, which is not in the standard library"
