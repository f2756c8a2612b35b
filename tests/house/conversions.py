"""Where a number converts between units outside core/units.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

UNITS = Path("peakwise/core/units.py")
# Factors between the units that people write and base units.
FACTORS = frozenset(
    {10**power for power in (3, 6, 9, 12, 15, 18)}
    | {2**power for power in (10, 20, 30, 40, 50)}
    | {10.0**-power for power in (3, 6, 9, 12, 15, 18)}
)
# Written so, a number is a unit wherever it stands; as an int it may be a bound (10**12) or a size (1024).
BOUNDS = frozenset({"low", "high"})  # keywords of a range: what a person may type, not a conversion
FLOATS = frozenset(text for power in ("6", "9", "12", "15", "18") for text in (f"1e{power}", f"1e+{power}"))
PRODUCTS = ast.Mult | ast.Div | ast.FloorDiv | ast.Mod


def conversion_faults(source: Path) -> list[str]:
    """Bare factors between units under `source`: as an operand of × or ÷, as a power of 1024, or written 1e12."""
    faults: list[str] = []
    for path in sorted(source.rglob("*.py")):
        place = path.relative_to(source)
        if place == UNITS:
            continue
        text = path.read_text(encoding="utf-8")
        faults += [
            f"{place.as_posix()}:{line}: a conversion outside core/units.py: {shown}"
            for line, shown in sorted(set(_factors(ast.parse(text), text)))
        ]
    return faults


def _factors(tree: ast.Module, text: str) -> Iterator[tuple[int, str]]:
    bounds = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in BOUNDS}
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, PRODUCTS):
            operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
            if any(_is_factor(operand) for operand in operands):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and _value(node.left) == 1024:
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, float) and id(node) not in bounds:
            written = (ast.get_source_segment(text, node) or "").lower().replace("_", "")
            if written.replace(".0", "") in FLOATS:
                yield node.lineno, written


def _is_factor(node: ast.expr) -> bool:
    value = _value(node)
    return value is not None and value in FACTORS


def _value(node: ast.expr) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _value(node.left), _value(node.right)
        return None if base is None or power is None or abs(power) > 60 else base**power
    return None
