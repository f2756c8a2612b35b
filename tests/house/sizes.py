"""How long files and functions may be, what a file may not be called, and what a verb may not hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

FILE_LINES = 400
FUNCTION_LINES = 40
EXPLAINED_FUNCTION_LINES = 80
VERB_LINES = 40
# A comment that begins so, inside the function or right above it, allows up to 80 lines; it must say why.
LONG_BECAUSE = "# Long:"
NAMELESS = frozenset({"utils", "util", "common", "helpers", "helper", "misc"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function) -> int:
    """Lines of a function's body, its signature and docstring not counted."""
    statements = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if not statements:
        return 0
    return (function.end_lineno or 0) - _first_line(statements[0]) + 1


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def functions_of(tree: ast.Module) -> Iterator[Function]:
    """Every function of a file, methods and inner functions too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def size_faults(folder: Path) -> list[str]:
    """What is too long or named for nothing among the Python files under `folder`."""
    faults: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        place = path.relative_to(folder).as_posix()
        names = {*path.relative_to(folder).parent.parts, path.stem}
        faults += [f"{place}: a name that says nothing: {name}" for name in sorted(names & NAMELESS)]
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        if len(lines) >= FILE_LINES:
            faults.append(f"{place}: {len(lines)} lines, {FILE_LINES - 1} allowed")
        faults += [f"{place}:{fault}" for fault in _function_faults(ast.parse(text), lines)]
    return faults


def _function_faults(tree: ast.Module, lines: list[str]) -> Iterator[str]:
    for function in functions_of(tree):
        above = max(_first_line(function) - 2, 0)
        span = lines[above : function.end_lineno]
        explained = any(line.strip().startswith(LONG_BECAUSE) and len(line.split()) > 4 for line in span)
        allowed = EXPLAINED_FUNCTION_LINES if explained else FUNCTION_LINES
        length = body_lines(function)
        if length >= allowed:
            yield f"{function.lineno}: {function.name} has {length} lines, {allowed - 1} allowed"


def verb_faults(verbs: Path) -> list[str]:
    """What a desk may not be: two verbs in a file, more than 40 lines of bodies in all, or a formula."""
    faults: list[str] = []
    for path in sorted(verbs.glob("*.py")):
        if path.name == "__init__.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = _public_functions(tree) - {"draw"}  # how its result draws itself
        if len(public) > 1 or path.stem not in _defined(tree):
            faults.append(f"{path.name}: gives {', '.join(sorted(public)) or 'nothing'}, not the one verb {path.stem}")
        length = sum(body_lines(function) for function in _outer_functions(tree))
        if length > VERB_LINES:
            faults.append(f"{path.name}: {length} lines of verb, {VERB_LINES} allowed")
        formulas = (node for node in ast.walk(tree) if isinstance(node, ast.BinOp))
        operators = ast.Mult | ast.Div | ast.FloorDiv | ast.Pow | ast.Mod
        faults += [f"{path.name}:{node.lineno}: a formula" for node in formulas if isinstance(node.op, operators)]
    return faults


def _public_functions(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, Function) and not node.name.startswith("_")}


def _outer_functions(tree: ast.Module) -> Iterator[Function]:
    """Functions of the file and methods of its classes; what lies inside them is theirs."""
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        yield from (member for member in members if isinstance(member, Function))


def _defined(tree: ast.Module) -> set[str]:
    names = {node.name for node in tree.body if isinstance(node, Function | ast.ClassDef)}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
