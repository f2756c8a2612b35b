"""The matrices of low-rank adapters, and the linears that carry them."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.core.errors import InputError
from peakwise.core.flow import Flow
from peakwise.core.model import Matmul, Model, Op
from peakwise.core.training import Train

# How frameworks spell a linear: `q_proj` is `q`.
SUFFIX = "_proj"


class Adapter(NamedTuple):
    """The two matrices beside one linear, or beside several that are one in the framework."""

    linears: tuple[Matmul, ...]
    down: Matmul
    up: Matmul


def is_target(op: Op, train: Train) -> bool:
    """Does this operation of a block carry an adapter?

    **Counts / leaves out** `all`: every matrix of the blocks, each routed expert's too, but for routers and matrices
    in blocks of a diagonal. A name means the linear, also an expert's of that name.
    """
    if not isinstance(op, Matmul):
        return False
    if not train.targets:
        return op.component != "router" and op.groups == 1
    return any(_means(target, op.name) for target in train.targets)


def _means(target: str, name: str) -> bool:
    """Does a target mean the linear of this name? `gate` and `gate_proj` mean `gate`, also of experts."""
    return bool({target, target.removesuffix(SUFFIX)} & {name, name.rpartition(".")[2]})


def build_adapters(ops: tuple[Op, ...], flow: Flow, train: Train) -> tuple[Adapter, ...]:
    """The adapters of one block. Linears that the framework holds as one share the first matrix where all carry one."""
    targets = [op for op in ops if isinstance(op, Matmul) and is_target(op, train)]
    groups: list[tuple[Matmul, ...]] = []
    for names in flow.fused:
        group = tuple(op for op in targets if op.name in names)
        if len(group) == len(names):
            groups.append(group)
    alone = [op for op in targets if not any(op in group for group in groups)]
    return tuple(_adapter(group, train.rank) for group in (*groups, *((op,) for op in alone)))


def _adapter(linears: tuple[Matmul, ...], rank: int) -> Adapter:
    first = linears[0]
    name = "+".join(op.name for op in linears)
    down = _matrix(first, f"{name}.lora_a", first.d_in, rank)
    return Adapter(linears, down, _matrix(first, f"{name}.lora_b", rank, sum(op.d_out for op in linears)))


def _matrix(like: Matmul, name: str, d_in: int, d_out: int) -> Matmul:
    return Matmul(
        component=like.component,
        name=name,
        d_in=d_in,
        d_out=d_out,
        stored=like.stored,
        used=like.used,
        over=like.over,
    )


def check_targets(model: Model, train: Train) -> None:
    """Nothing where every target names a linear. **Raises** InputError that lists the linears of the model."""
    ops = [op for layer in {id(layer): layer for layer in model.layers}.values() for op in layer.ops]
    names = dict.fromkeys(op.name for op in ops if isinstance(op, Matmul))
    missing = [target for target in train.targets if not any(_means(target, name) for name in names)]
    whole = [op.name for op in ops if isinstance(op, Matmul) and is_target(op, train) and op.groups > 1]
    if not missing and not whole:
        return
    message = f"has no linear {', '.join(missing)}" if missing else f"cuts {', '.join(dict.fromkeys(whole))} in blocks"
    raise InputError(
        f"{model.name} {message}",
        where="--train",
        got=f"targets={'+'.join(train.targets)}",
        expected=", ".join(names),
        hint=f"--train lora:r={train.rank},targets={'+'.join(list(names)[:2])}",
    )
