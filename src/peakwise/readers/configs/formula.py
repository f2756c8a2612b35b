"""Formulas of the fact rows: plain arithmetic and comparisons over names, walked and never executed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import cast

from peakwise.core.errors import CatalogError, ConfigError

Look = Callable[[str], object]
Number = int | float

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: operator.mod,
}
_ORDER: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Absent(Exception):
    """A formula needs a name that has no value; `name` says which. Turned into a ConfigError by the caller."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@cache
def parse(text: str) -> ast.expr:
    """The tree of a formula. **Raises** CatalogError where it is not one."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise CatalogError(
            "a formula cannot be read", where="model_types.toml", got=text, expected="a formula"
        ) from error


@cache
def list_names(text: str) -> frozenset[str]:
    """Every name a formula mentions, its functions left out."""
    tree = parse(text)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) - called


def evaluate(text: str, look: Look) -> object:
    """The value of a formula, its names looked up by `look` only where they are needed.

    **Raises** Absent where a number is needed and its name has no value; ConfigError where a value does not fit.
    """
    return _value(parse(text), look)


def _number(node: ast.expr, look: Look) -> Number:
    value = _value(node, look)
    if value is None:
        raise Absent(ast.unparse(node))
    if not isinstance(value, int | float):
        text = ast.unparse(node)
        raise ConfigError(f"{text} is not a number", where=f"$.{text}", got=str(value)[:60], expected="a number")
    return value


def _value(node: ast.expr, look: Look) -> object:  # noqa: PLR0912 -- one branch a kind of node
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return look(name)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _number(left, look), _number(right, look)
            if b == 0 and isinstance(op, ast.Div | ast.FloorDiv | ast.Mod):
                raise Absent(ast.unparse(right))
            return _BINARY[type(op)](a, b)
        case ast.BoolOp(op=op, values=values):
            stop = isinstance(op, ast.Or)
            value: object = None
            for item in values:
                value = _value(item, look)
                if bool(value) == stop:
                    return value
            return value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, look)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, look)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, look) else orelse, look)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compare(left, op, right, look)
        case ast.Subscript(value=base, slice=index):
            return _item(base, index, look)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, look) for item in items]
        case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS:
            return _FUNCTIONS[name](args, look)
        case _:
            raise CatalogError(
                "a formula holds what formulas do not have",
                where="model_types.toml",
                got=ast.unparse(node),
                expected="arithmetic over names",
            )


def _compare(left: ast.expr, op: ast.cmpop, right: ast.expr, look: Look) -> bool:
    match op:
        case ast.Eq():
            return _value(left, look) == _value(right, look)
        case ast.NotEq():
            return _value(left, look) != _value(right, look)
        case ast.In():
            return _value(left, look) in _sequence(right, look)
        case ast.NotIn():
            return _value(left, look) not in _sequence(right, look)
        case _ if type(op) in _ORDER:
            return _ORDER[type(op)](_number(left, look), _number(right, look))
        case _:
            raise CatalogError("a formula compares in an unknown way", where="model_types.toml", got=ast.dump(op))


def _sequence(node: ast.expr, look: Look) -> list[object]:
    value = _value(node, look)
    if value is None:
        raise Absent(ast.unparse(node))
    if not isinstance(value, list):
        text = ast.unparse(node)
        raise ConfigError(f"{text} is not a list", where=f"$.{text}", got=str(value)[:60], expected="a list")
    return cast(list[object], value)


def _item(base: ast.expr, index: ast.expr, look: Look) -> object:
    items, at = _sequence(base, look), _number(index, look)
    if not isinstance(at, int) or not -len(items) <= at < len(items):
        text = ast.unparse(base)
        where = f"$.{text}"
        raise ConfigError(
            f"{text} is too short", where=where, got=f"{len(items)} entries", expected=f"an entry for layer {at}"
        )
    return items[at]


def _exact(args: list[ast.expr], look: Look) -> int:
    a, b = (_number(arg, look) for arg in args)
    if not isinstance(a, int) or not isinstance(b, int) or b == 0 or a % b:
        names = [ast.unparse(arg) for arg in args]
        raise Inexact(names[0], names[1], a, b)
    return a // b


class Inexact(Exception):
    """A division of two sizes that leaves a remainder. Turned into a ConfigError by the caller."""

    def __init__(self, top: str, bottom: str, a: Number, b: Number) -> None:
        super().__init__(top, bottom, a, b)
        self.top, self.bottom, self.a, self.b = top, bottom, a, b


def _round_up(args: list[ast.expr], look: Look) -> int:
    a, step = (int(_number(arg, look)) for arg in args)
    if step < 1:
        raise Absent(ast.unparse(args[1]))
    return -(-a // step) * step


def _expand(args: list[ast.expr], look: Look) -> list[object]:
    """`[[["global", "local"], 12]]` as the list of its layers."""
    layers: list[object] = []
    for entry in _sequence(args[0], look):
        match entry:
            case [list(), int() as times] if 0 <= times <= MOST_LAYERS:
                layers += cast(list[list[object]], entry)[0] * times
            case _:
                text = ast.unparse(args[0])
                raise ConfigError(
                    f"{text} cannot be read", where=f"$.{text}", got=str(entry)[:60], expected="[[kinds], times]"
                )
    return layers


def _global_at(args: list[ast.expr], look: Look) -> bool:
    """Is layer l global under a pattern: every N-th layer, or a text of L (local) and G (global)?"""
    pattern, layer = _value(args[0], look), int(_number(args[1], look))
    if isinstance(pattern, str) and pattern and set(pattern) <= {"L", "G"}:
        return pattern[layer % len(pattern)] == "G"
    if isinstance(pattern, int) and not isinstance(pattern, bool) and pattern >= 1:
        return (layer + 1) % pattern == 0
    raise ConfigError(
        "the pattern of sliding layers cannot be read",
        where="$.sliding_window_pattern",
        got=str(pattern)[:60],
        expected="a whole number, or a text of L and G",
    )


def _text(node: ast.expr, look: Look) -> str:
    value = _value(node, look)
    if not isinstance(value, str):
        raise Absent(ast.unparse(node))
    return value


# More layers than any model has; a larger number would only fill the memory.
MOST_LAYERS = 10_000

_FUNCTIONS: Mapping[str, Callable[[list[ast.expr], Look], object]] = {
    "exact": _exact,
    "round_up": _round_up,
    "expand": _expand,
    "global_at": _global_at,
    "int": lambda args, look: int(_number(args[0], look)),
    "min": lambda args, look: min(_number(arg, look) for arg in args),
    "max": lambda args, look: max(_number(arg, look) for arg in args),
    "len": lambda args, look: len(_sequence(args[0], look)),
    "count": lambda args, look: sum(item == _value(args[1], look) for item in _sequence(args[0], look)),
    "letters": lambda args, look: list(_text(args[0], look)),
    "ceil": lambda args, look: -int(-_number(args[0], look) // 1),
    "starts": lambda args, look: _text(args[0], look).startswith(_text(args[1], look)),
    "islist": lambda args, look: isinstance(_value(args[0], look), list),
}
