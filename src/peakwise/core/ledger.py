"""The ledger: a model's work as a list of terms; MFU, HFU and the rest are folds over it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from peakwise.core.model import Component


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One kind of operation, in all layers that have it alike.

    `layers`: how many layers it stands for. `repeats`: how often it runs in one layer over the whole workload
    (tokens, visible query–key pairs, or sequences: `over`). `flop`: FLOPs of one repeat. `matrix_weights`: weights
    of one layer that are multiplied; `idle_weights` of them not by a given token; `plain_weights`: biases, norms,
    tables. `products`: 1 for a weight matmul; 2 for attention scores, whose operands are both activations.
    `trainable`: its weights get a gradient. `input_grad`: its input needs one. `in_block`: a recomputed block holds it.
    `query_key_flop`: of attention scores, FLOPs of one repeat of Q·Kᵀ, the rest being P·V; `operands`: which of query,
    key and value need a gradient. `n_recomputed`: layers whose forward runs again; `n_products_again`: layers whose
    Q·Kᵀ alone does.
    """

    component: Component
    name: str
    layers: int
    over: str
    repeats: int
    flop: int
    matrix_weights: int = 0
    idle_weights: int = 0
    plain_weights: int = 0
    is_matmul: bool = True
    trainable: bool = True
    input_grad: bool = True
    in_block: bool = True
    n_recomputed: int = 0
    query_key_flop: int = 0
    operands: tuple[bool, bool, bool] = (True, True, True)
    n_products_again: int = 0

    @property
    def forward(self) -> int:
        """FLOPs of the forward pass, all layers."""
        return self.layers * self.repeats * self.flop

    @property
    def backward_input(self) -> int:
        """FLOPs for the gradient of the inputs.

        **Formula** a weight matmul: as its forward. Attention scores: dQ and dK cost Q·Kᵀ each, dV and dP cost P·V
        each; dP is needed where query or key need a gradient.
        """
        if not self.input_grad:
            return 0
        if self.is_matmul:
            return self.forward
        if not self.query_key_flop:
            return 2 * self.forward
        query, key, value = self.operands
        flop = (query + key) * self.query_key_flop + ((query or key) + value) * (self.flop - self.query_key_flop)
        return self.layers * self.repeats * flop

    @property
    def backward_weight(self) -> int:
        """FLOPs for the gradient of the weights."""
        return self.forward if self.is_matmul and self.trainable else 0

    @property
    def recompute(self) -> int:
        """FLOPs of the forward that is run again, in the layers of this term where it is."""
        return self.repeats * (self.n_recomputed * self.flop + self.n_products_again * self.query_key_flop)

    @property
    def weights(self) -> int:
        """All weights of the term's layers, idle ones included."""
        return self.layers * (self.matrix_weights + self.plain_weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All terms of one model under one workload. `trains`: the backward pass runs.

    `padding`: FLOPs of the same passes, recompute in, on what no text fills: padded positions, and the pairs that see
    them or another text of their pack. `detour`: FLOPs that a reentrant checkpoint adds below what trains: it goes
    through those blocks again, and backward; they stand in `recompute`.
    """

    terms: tuple[Term, ...]
    trains: bool
    padding: int = 0
    detour: int = 0

    def __iter__(self) -> Iterator[Term]:
        return iter(self.terms)

    @property
    def forward(self) -> int:
        """FLOPs of the forward pass over the whole workload."""
        return sum(term.forward for term in self.terms)

    @property
    def backward(self) -> int:
        """FLOPs of the backward pass; 0 where nothing trains."""
        if not self.trains:
            return 0
        return sum(term.backward_input + term.backward_weight for term in self.terms)

    @property
    def n_trainable(self) -> int:
        """Weights that get a gradient, adapters among them; 0 where nothing trains."""
        return sum(term.weights for term in self.terms if term.trainable) if self.trains else 0

    @property
    def recompute(self) -> int:
        """FLOPs run a second time by the declared recompute; 0 where nothing trains."""
        return self.detour + sum(term.recompute for term in self.terms) if self.trains else 0

    @property
    def model(self) -> int:
        """Model FLOPs: forward + backward."""
        return self.forward + self.backward

    @property
    def hardware(self) -> int:
        """Hardware FLOPs: model + recompute + padding."""
        return self.model + self.recompute + self.padding
