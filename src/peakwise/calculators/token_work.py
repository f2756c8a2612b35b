"""The work of one token: a model's ledger under the calculator's rules, divided by its tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, cast

from peakwise.calculators.check import Checked
from peakwise.core.ledger import Ledger
from peakwise.core.model import Component, Matmul, Model
from peakwise.core.training import FULL, Train
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.pair_rule import PairRule, build_by_pairs

NO_RECOMPUTE = Recompute()
KEYS: dict[PairRule, str] = {
    "none": "attention left out",
    "exact": "causal attention, visible pairs",
    "half": "causal attention, S/2 keys a query, W in a window",
    "noncausal": "every key, windows kept",
    "full": "every query sees every key, windows ignored",
}


class Counting(NamedTuple):
    """What is counted and how: one sequence or packed documents, the keys of a query, router and MTP modules.

    `seq_len`: None where no length was said and there are no `lengths`.
    """

    seq_len: int | None
    lengths: tuple[int, ...]
    pairs: PairRule
    router: bool
    mtp: bool

    def of_length(self, seq_len: int) -> Counting:
        """The same for one sequence of another length."""
        return self._replace(seq_len=seq_len, lengths=())

    @property
    def attention(self) -> str:
        """The rule for pairs as the field `attention` says it."""
        return "causal" if self.pairs in ("exact", "half") else self.pairs

    def say(self) -> str:
        """What is counted, in one line."""
        router = "router in" if self.router else "router out"
        mtp = "MTP modules in" if self.mtp else "MTP modules out"
        return f"counts every matmul and the head; {KEYS[self.pairs]}; {router}, {mtp}"

    def say_length(self) -> str:
        """The length, or the documents, in words."""
        if self.lengths:
            return f"{len(self.lengths):,} packed documents"
        return "" if self.seq_len is None else f"{self.seq_len:,} tokens"

    def lacks_length(self, model: Model) -> bool:
        """Whether the work of a token hangs on a length that nobody said."""
        if self.seq_len is not None or self.lengths:
            return False
        once = any(isinstance(op, Matmul) and op.over == "sequence" for op in model.outside)
        return self.pairs != "none" or once


def read_counting(checked: Checked) -> Counting:
    """What the inputs say of counting."""
    attention, seq_len = checked.text("attention"), checked.number("seq_len")
    rule = checked.text("pairs") if attention == "causal" else attention
    has_lengths = "lengths" in checked.inputs
    return Counting(
        seq_len=None if seq_len is None else int(seq_len),
        lengths=tuple(int(length) for length in checked.numbers("lengths")) if has_lengths else (),
        pairs=cast(PairRule, rule),
        router=bool(checked.flag("router")),
        mtp=bool(checked.flag("mtp")),
    )


class TokenWork(NamedTuple):
    """The ledger of a workload and its tokens; figures are FLOPs of one token, whole where they are exact."""

    ledger: Ledger
    tokens: int

    def each(self, flop: int) -> int | float:
        """FLOPs of the workload as FLOPs of one token."""
        return flop // self.tokens if flop % self.tokens == 0 else flop / self.tokens

    @property
    def forward(self) -> int | float:
        """FLOPs forward."""
        return self.each(self.ledger.forward)

    @property
    def backward(self) -> int | float:
        """FLOPs backward."""
        return self.each(self.ledger.backward)

    @property
    def model(self) -> int | float:
        """Model FLOPs: forward and backward."""
        return self.each(self.ledger.model)

    @property
    def recompute(self) -> int | float:
        """FLOPs that run a second time."""
        return self.each(self.ledger.recompute)

    def part(self, *components: Component) -> int | float:
        """FLOPs forward of some components."""
        return self.each(sum(term.forward for term in self.ledger if term.component in components))


def count_token(
    model: Model,
    counting: Counting,
    *,
    train: Train = FULL,
    recompute: Recompute = NO_RECOMPUTE,
    mtp: bool | None = None,
) -> TokenWork:
    """The work of one token of training; `mtp` replaces what `counting` says of the modules.

    Where no length was said (`lacks_length` is false), nothing hangs on it.
    **Raises** InputError where the model does not run on text alone, or it is not known what trains.
    """
    workload = Workload(
        seq_len=max(counting.lengths) if counting.lengths else counting.seq_len or 1,
        lengths=counting.lengths,
        train=train,
        recompute=recompute,
        mtp=counting.mtp if mtp is None else mtp,
    )
    counted = build_by_pairs(model, workload, counting.pairs)
    ledger = counted.ledger
    if not counting.router:
        ledger = replace(ledger, terms=tuple(term for term in ledger if term.component != "router"))
    return TokenWork(ledger=ledger, tokens=counted.tokens)


def router_weights(model: Model) -> int:
    """Weights of all routers of the layers."""
    ops = (op for layer in model.layers for op in layer.ops)
    return sum(op.used * op.matrix_weights for op in ops if isinstance(op, Matmul) and op.component == "router")
