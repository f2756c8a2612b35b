"""Which operations of a block need the gradient of their input, where the block's own input needs none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from peakwise.core.errors import InputError
from peakwise.core.flow import Flow
from peakwise.core.model import Matmul, Op, Scores, Weights
from peakwise.core.scan import Scan

# Projections of attention, by name, and the operands of the scores that they make.
OPERANDS = {"q": "q", "q_a": "", "q_b": "q", "k": "k", "kv_a": "k", "kv_b": "kv", "v": "v", "gate_out": ""}
OUTPUTS = ("o",)
# Linears of a mixer without attention: those that read what enters the block, and those after its scan.
MIXER_ENTRIES = (
    *("in_proj", "in_proj_qkvz", "in_proj_ba", "in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a"),
    *("linear_qkv", "linear_gate", "linear_x", "linear_y"),
)
MIXER_REST = ("x_proj", "dt_proj", "out_proj", "linear_out", "conv_out")
# Linears of a feed-forward that read what enters it, by the last part of their names.
FIRST = ("gate", "up", "router", "shared_gate")


class Need(NamedTuple):
    """Does the input of an operation need a gradient; of attention scores, which operands (query, key, value)."""

    input_grad: bool
    operands: tuple[bool, bool, bool] = (True, True, True)


ALL = Need(input_grad=True)
NONE = Need(input_grad=False, operands=(False, False, False))

Trains = Callable[[Op], bool]


def find_needs(ops: Iterable[Op], flow: Flow, trains: Trains) -> dict[Op, Need]:
    """What each operation of the first trained block needs: the input of the block itself needs no gradient.

    **Raises** InputError naming an operation of which it is not known what it reads.
    """
    found = list(ops)
    attention = [op for op in found if _is_attention(op)]
    mixer = [op for op in found if _is_mixer(op)]
    feed = [op for op in found if op not in attention and op not in mixer]
    needs: dict[Op, Need] = {}
    after = _attention(attention, trains, needs)
    after |= _mixer(mixer, trains, needs)
    _feed_forward(feed, trains, needs, entry=after and not flow.parallel)
    return needs


def _is_attention(op: Op) -> bool:
    return isinstance(op, Scores) or (isinstance(op, Matmul) and op.component == "attn_proj")


def _is_mixer(op: Op) -> bool:
    return isinstance(op, Scan) or (isinstance(op, Matmul) and op.component in ("ssm", "conv"))


def _mixer(ops: list[Op], trains: Trains, needs: dict[Op, Need]) -> bool:
    """Fills in the needs of a mixer without attention, where every entry trains or nothing does."""
    entries = [op for op in ops if isinstance(op, Matmul) and op.name in MIXER_ENTRIES]
    rest = [op for op in ops if op not in entries]
    trained = bool(entries) and all(trains(op) for op in entries)
    for op in rest:
        known = isinstance(op, Scan) or op.name in MIXER_REST
        if not known or (not trained and trains(op)):
            raise _unknown(op)
        needs[op] = ALL if trained else NONE
    for op in entries:
        if trains(op) != trained:
            raise _unknown(op)
        needs[op] = Need(input_grad=False)
    return trained


def _attention(ops: list[Op], trains: Trains, needs: dict[Op, Need]) -> bool:
    """Fills in the needs of attention; gives whether its output needs a gradient."""
    made: dict[str, bool] = {}
    operands = {"q": False, "k": False, "v": False}
    outputs: list[Matmul] = []
    cores: list[Scores] = []
    for op in ops:
        if isinstance(op, Scores):
            cores.append(op)
        elif isinstance(op, Matmul) and op.name in OUTPUTS:
            outputs.append(op)
        elif isinstance(op, Matmul) and op.name in OPERANDS:
            stem, _, part = op.name.rpartition("_")
            reads = made.get(f"{stem}_a", False) if part == "b" else False
            needs[op] = Need(input_grad=reads)
            made[op.name] = reads or trains(op)
            for operand in OPERANDS[op.name]:
                operands[operand] |= made[op.name]
        else:
            raise _unknown(op)
    if len(cores) > 1:
        raise _unknown(cores[1])
    result = any(operands.values())
    for core in cores:
        needs[core] = Need(input_grad=result, operands=(operands["q"], operands["k"], operands["v"]))
    result |= made.get("gate_out", False)
    for output in outputs:
        needs[output] = Need(input_grad=result)
    return result or any(trains(output) for output in outputs)


def _feed_forward(ops: list[Op], trains: Trains, needs: dict[Op, Need], *, entry: bool) -> None:
    made: dict[str, bool] = {}
    for op in ops:
        if isinstance(op, Weights):
            needs[op] = NONE
            continue
        if not isinstance(op, Matmul) or op.component not in ("mlp", "experts", "router"):
            raise _unknown(op)
        prefix, _, name = op.name.rpartition(".")
        if name in FIRST:
            needs[op] = Need(input_grad=entry)
            made[prefix] = made.get(prefix, entry) or trains(op)
    for op in ops:
        prefix, _, name = op.name.rpartition(".")
        if isinstance(op, Matmul) and name == "down":
            needs[op] = Need(input_grad=made.get(prefix, entry))
    unknown = [op for op in ops if op not in needs]
    if unknown:
        raise _unknown(unknown[0])


def _unknown(op: Op) -> InputError:
    return InputError(
        f"which gradients {op.name} of the first trained layer needs is not known",
        where="--train",
        got=op.name,
        expected="a first trained layer of attention and a feed-forward",
        hint="--train full",
    )
