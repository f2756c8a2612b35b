"""What training does to each operation of each block: whether its weights and its inputs need a gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace

from peakwise.core.errors import InputError
from peakwise.core.flow import Flow
from peakwise.core.model import Layer, Matmul, Model, Op, Scores, Weights
from peakwise.core.training import Train
from peakwise.counting.adapters import Adapter, build_adapters, check_targets, is_target
from peakwise.counting.flow import ALL, NONE, OUTPUTS, Need, find_needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """Which gradients of one operation are computed."""

    trainable: bool = True
    need: Need = ALL


TRAINED = Treatment()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One layer under training: its operations, adapters among them, each with its gradients.

    `reached`: the backward pass comes to it. `unkept`: the matmuls after the last thing that is kept for it, so that a
    recomputation that stops early leaves them out.
    """

    ops: tuple[tuple[Op, Treatment], ...]
    reached: bool = True
    unkept: tuple[Op, ...] = ()


def plan_blocks(model: Model, train: Train, *, entered: bool = False) -> tuple[Block, ...]:
    """Every layer in order; layers that are treated alike are the same object.

    **Formula** backward goes down to the lowest trained weight: below it nothing is computed; in its own block an
    input needs a gradient only where a trained weight stands before it; above, every input needs one. `entered`: the
    input of the first block is made to need one, as a reentrant checkpoint must have it.
    **Raises** InputError where it is not known what trains or in which order.
    """
    if train.kind != "full":
        _check(model, train)
    first = 0 if train.last is None else len(model.layers) - train.last
    reached = entered or train.kind == "full" or (train.kind == "frozen" and _trains_before(model))
    made: dict[tuple[int, bool, bool], Block] = {}
    blocks: list[Block] = []
    for index, layer in enumerate(model.layers):
        key = (id(layer), index >= first, reached)
        if key not in made:
            made[key] = _plan(layer, model.flow, train, trains=index >= first, entry=reached)
        blocks.append(made[key])
        reached = made[key].reached
    return tuple(blocks)


def _plan(layer: Layer, flow: Flow, train: Train, *, trains: bool, entry: bool) -> Block:
    if train.kind == "full":
        return Block(ops=tuple((op, TRAINED) for op in layer.ops), unkept=_closing(layer.ops, flow.closing, ()))
    if train.kind == "lora":
        return _plan_adapters(layer, flow, train, trains=trains, entry=entry)
    if not trains:
        ops = tuple((op, Treatment(trainable=False, need=ALL if entry else NONE)) for op in layer.ops)
        return Block(ops=ops, reached=entry, unkept=_closing(layer.ops, flow.closing, ()))
    normed = flow.normed and any(isinstance(op, Weights) and op.name == "norms" for op in layer.ops)
    needs = {} if entry or normed else find_needs(layer.ops, flow, lambda _: True)
    frozen = train.kind == "frozen"
    ops = tuple((op, Treatment(trainable=not (frozen and _is_table(op)), need=needs.get(op, ALL))) for op in layer.ops)
    return Block(ops=ops, unkept=_closing(layer.ops, flow.closing, ()))


def _is_table(op: Op) -> bool:
    return isinstance(op, Weights) and op.component == "embedding"


def _plan_adapters(layer: Layer, flow: Flow, train: Train, *, trains: bool, entry: bool) -> Block:
    adapters = build_adapters(layer.ops, flow, train) if trains else ()
    if entry:
        needs = dict.fromkeys(layer.ops, ALL)
    elif adapters:
        needs = find_needs(layer.ops, flow, lambda op: is_target(op, train))
    else:
        needs = dict.fromkeys(layer.ops, NONE)
    ops = [(op, Treatment(trainable=False, need=needs[op])) for op in layer.ops]
    for adapter in adapters:
        ops.append((adapter.down, Treatment(need=needs[adapter.linears[0]])))
        ops.append((adapter.up, TRAINED))
    unkept = _closing(layer.ops, flow.closing, adapters)
    beside = [op for op in layer.ops if isinstance(op, Matmul) and op.component != "attn_proj"]
    idle = not entry and not any(needs[op].input_grad or is_target(op, train) for op in beside)
    if adapters and flow.parallel and idle:  # the feed-forward runs after attention and keeps nothing
        unkept = (*beside, *_closing(layer.ops, OUTPUTS, adapters))
    return Block(ops=tuple(ops), reached=entry or bool(adapters), unkept=unkept)


def _closing(ops: tuple[Op, ...], names: tuple[str, ...], adapters: tuple[Adapter, ...]) -> tuple[Op, ...]:
    """The matmul that runs last in a block: an adapter's second one where the last linear carries an adapter.

    A routed expert's is none: routing weights multiply after it.
    """
    for op in ops:
        if isinstance(op, Matmul) and op.name in names and (op.component != "experts" or op.name.startswith("shared")):
            return next(((adapter.up,) for adapter in adapters if op in adapter.linears), (op,))
    return ()


def treat_outside(op: Op, model: Model, train: Train) -> Treatment:
    """What training does to an operation that stands in no block.

    **Counts / leaves out** a tied head is the lookup table: frozen with it.
    """
    if train.kind == "full":
        return TRAINED
    if isinstance(op, Matmul) and op.component == "lm_head":
        trains = train.kind == "frozen" or (train.kind == "last" and train.head)
        return Treatment(trainable=trains and not (model.tied and not op.owned))
    if train.kind == "frozen":
        return Treatment(trainable=not _is_table(op))
    head = isinstance(op, Weights) and op.component == "lm_head" and train.head
    final = isinstance(op, Weights) and op.name == "final_norm"
    return Treatment(trainable=train.kind == "last" and (head or final), need=NONE)


def _trains_before(model: Model) -> bool:
    """Does a weight other than a lookup table train before the blocks (a norm of the embedding, a patch projection)?"""
    after = (op for op in model.outside if isinstance(op, Weights) and op.name == "final_norm")
    tables = (op for op in model.outside if _is_table(op))
    heads = (op for op in model.outside if isinstance(op, Weights | Matmul) and op.component == "lm_head")
    return len(model.outside) > sum(1 for _ in (*after, *tables, *heads))


def _check(model: Model, train: Train) -> None:
    """Refuses what the order of operations does not decide."""
    n_layers = len(model.layers)
    if train.last is not None and train.last > n_layers:
        most = replace(train, last=n_layers).text()
        message = f"{model.name} has {n_layers} layers"
        raise _refuse(message, str(train.last), f"at most {n_layers}", f"--train {most}")
    layers = {id(layer): layer for layer in model.layers}.values()
    ops = [op for layer in layers for op in layer.ops]
    over = {op.over for op in ops if isinstance(op, Matmul)}
    over |= {place for op in ops if isinstance(op, Scores) for place in (op.queries, op.keys)}
    if len(over) > 1:
        raise _refuse(f"{model.name} has more than one stack ({', '.join(sorted(over))})", "parts", "one stack")
    shared = [op.name for op in ops if isinstance(op, Matmul) and not op.owned]
    if shared and train.kind != "frozen":
        raise _refuse(f"layers of {model.name} share the weights of {shared[0]}", shared[0], "own weights")
    for op in model.outside:
        if isinstance(op, Matmul) and op.component != "lm_head" and op.input_grad:
            raise _refuse(f"where {op.name} stands in {model.name} is not known", op.name, "a head alone")
    if train.kind == "lora":
        check_targets(model, train)


def _refuse(message: str, got: str, expected: str, hint: str = "--train full") -> InputError:
    return InputError(message, where="--train", got=got, expected=expected, hint=hint)
