"""What a counting rule is applied to, and the sums that several rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from peakwise.core.count import Parameters
from peakwise.core.ledger import Ledger
from peakwise.core.model import Matmul, Model, Scores, Shape
from peakwise.core.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A model, its parameter counts and the workload, with the exact ledger and the one of full attention.

    Both ledgers are of a training step without MTP modules; `mtp_exact` and `mtp_full` are the model FLOPs
    that these add over the whole workload, 0 where the workload leaves them out. Of the other rules those whose tools
    count modules do so by `mtp_flop`.
    `trained_exact` and `trained_full`: what adapters add and frozen weights spare, 0 where everything trains.
    """

    model: Model
    parameters: Parameters
    workload: Workload
    exact: Ledger
    full: Ledger
    mtp_exact: int = 0
    mtp_full: int = 0
    trained_exact: int = 0
    trained_full: int = 0

    @property
    def shape(self) -> Shape:
        """The model's nominal sizes."""
        return self.model.shape

    @property
    def seq_len(self) -> int:
        """The length the closed forms see: the sequence's, the longest slot's, or all packed documents'."""
        if self.workload.arranged:
            return max(length for length, _ in self.workload.arranged.rows)
        return self.workload.tokens if self.workload.lengths else self.workload.seq_len or 0

    @property
    def embedding_weights(self) -> int:
        """Weights of all lookup tables, a tied one included."""
        return sum(term.weights for term in self.exact if term.component == "embedding")

    @property
    def vocabulary_weights(self) -> int:
        """Weights of one vocabulary matrix, V·h."""
        return self.shape.vocab_size * self.shape.d_model

    def matmul_flop(self, *, router: bool) -> float:
        """Training FLOPs per token of the weight matmuls, the router in or out."""
        forward = sum(term.forward for term in self.exact if term.is_matmul and (router or term.component != "router"))
        return 3 * forward / self.workload.tokens

    def scores(self) -> Iterator[Scores]:
        """The attention core of every layer, one by one."""
        for layer in self.model.layers:
            for op in layer.ops:
                if isinstance(op, Scores):
                    yield op

    def mtp_flop(self, keys: Callable[[Scores], float]) -> float:
        """Training FLOPs per token of the MTP modules, router out; 0 where the workload leaves them out."""
        flop = 0.0
        for layer in self.model.mtp if self.workload.mtp else ():
            for op in layer.ops:
                if isinstance(op, Matmul) and op.component != "router":
                    flop += 6 * op.used * op.matrix_weights
                elif isinstance(op, Scores):
                    flop += 6 * op.n_heads * (op.d_qk + op.d_v) * keys(op)
        return flop

    def attention_flop(self, keys: Callable[[Scores], float]) -> float:
        """Training FLOPs per token of the attention cores where a query sees `keys(core)` keys on average."""
        return sum(6 * core.n_heads * (core.d_qk + core.d_v) * keys(core) for core in self.scores())
