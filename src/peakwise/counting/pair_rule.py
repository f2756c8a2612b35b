"""A ledger under another rule for the keys that a query sees: none, half of the square, windows kept without a mask."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from peakwise.core.ledger import Ledger, Term
from peakwise.core.model import Layer, Mask, Model, Op, Scores
from peakwise.core.workload import Workload
from peakwise.counting.total import build_ledger

# `none`: attention left out. `exact`: the pairs that the mask lets see each other. `half`: S/2 keys a query, W in a
# window, c/2 in a chunk, the rule of most published figures. `noncausal`: S keys, W in a window, c in a chunk.
# `full`: S keys, windows ignored.
PairRule = Literal["none", "exact", "half", "noncausal", "full"]

_MARK = "\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounted:
    """A ledger, and the text tokens of what it counts: twice the workload's where halves of a pair must be whole."""

    ledger: Ledger
    tokens: int


class _Core(NamedTuple):
    """One kind of attention core: its mark in the ledger, its mask, and whether it runs over text alone."""

    mark: str
    mask: Mask
    over_text: bool


def build_by_pairs(model: Model, workload: Workload, rule: PairRule) -> Recounted:
    """The ledger of `build_ledger` with the query–key pairs counted by `rule`; a mask that is not causal stays exact.

    **Counts / leaves out** padding is out: the rules are for sequences, or documents that do not see each other.
    **Example** at 8,192 tokens Llama-3.1-8B trains with 51.4712 GFLOP a token exactly, 51.4704 by `half`.
    """
    assert workload.arranged is None  # padded slots have no pairs of their own
    exact = replace(workload, attention="full" if rule == "full" else "causal")
    if rule in ("exact", "full"):
        return Recounted(ledger=build_ledger(model, exact), tokens=workload.tokens)
    if rule == "none":
        ledger = build_ledger(model, exact)
        terms = tuple(term for term in ledger if term.component != "attn_scores")
        return Recounted(ledger=replace(ledger, terms=terms), tokens=workload.tokens)
    twice = _twice(exact)
    marked, cores = _mark(model)
    ledger = build_ledger(marked, twice)
    terms = tuple(_recount(term, cores, workload, half=rule == "half") for term in ledger)
    return Recounted(ledger=replace(ledger, terms=terms), tokens=twice.tokens)


def twice_the_pairs(n_tokens: int, mask: Mask, *, half: bool) -> int:
    """Twice the pairs of one sequence by the rule `half`, or by `noncausal`; twice, so that S²/2 is a whole number.

    **Example**
    >>> twice_the_pairs(3, Mask(), half=True), twice_the_pairs(8, Mask(window=2), half=True)
    (9, 32)
    """
    if mask.chunk is not None and mask.chunk < n_tokens:
        return n_tokens * mask.chunk * (1 if half else 2)
    if mask.window is not None and mask.window < n_tokens:
        return 2 * n_tokens * mask.window
    return n_tokens**2 * (1 if half else 2)


def _twice(workload: Workload) -> Workload:
    if workload.lengths:
        return replace(workload, lengths=workload.lengths * 2)
    return replace(workload, batch=2 * workload.batch)


def _mark(model: Model) -> tuple[Model, dict[str, _Core]]:
    """The model with a mark in the name of each kind of core, by which its terms are found again."""
    cores: dict[Scores, _Core] = {}

    def marked(op: Op) -> Op:
        if not isinstance(op, Scores):
            return op
        text = op.queries == op.keys == "token" and op.mask.causal
        core = cores.setdefault(op, _Core(f"{_MARK}{len(cores)}", op.mask, text))
        return replace(op, name=op.name + core.mark)

    made: dict[int, Layer] = {}
    for layer in (*model.layers, *model.mtp):
        made.setdefault(id(layer), Layer(ops=tuple(marked(op) for op in layer.ops)))
    again = replace(
        model,
        layers=tuple(made[id(layer)] for layer in model.layers),
        mtp=tuple(made[id(layer)] for layer in model.mtp),
        outside=tuple(marked(op) for op in model.outside),
    )
    return again, {core.mark: core for core in cores.values()}


def _recount(term: Term, cores: dict[str, _Core], workload: Workload, *, half: bool) -> Term:
    name, mark, number = term.name.partition(_MARK)
    core = cores.get(mark + number) if mark else None
    if core is None:
        return term
    if not core.over_text:
        return replace(term, name=name)
    repeats = sum(twice_the_pairs(length, core.mask, half=half) * n for length, n in workload.by_length)
    return replace(term, name=name, repeats=repeats)
