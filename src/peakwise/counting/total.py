"""A model under a workload as a ledger of terms."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.errors import InputError
from peakwise.core.ledger import Ledger, Term
from peakwise.core.model import Layer, Matmul, Model, Op, Scores
from peakwise.core.workload import Workload
from peakwise.counting.attention import count_attention
from peakwise.counting.matmul import count_matmul, count_weights
from peakwise.counting.recompute import is_recomputed
from peakwise.counting.streams import check_parts


def build_ledger(model: Model, workload: Workload) -> Ledger:
    """Every term of the model's work, by the convention `exact`.

    **Counts / leaves out** every weight matmul, router and head in, at every position; visible pairs, diagonal in;
    MTP modules only where the workload says so. Lookups, norms, softmax, activations, rotary, optimizer are out.
    **Raises** InputError where MTP modules are asked of a model that has none.
    """
    check_parts(model, workload)
    terms: list[Term] = []
    for op, (layers, recomputed) in _tally(model.layers, workload).items():
        terms.append(_term(op, model, workload, layers=layers, recomputed=recomputed, in_block=True))
    terms.extend(_term(op, model, workload, layers=1, recomputed=0, in_block=False) for op in model.outside)
    if workload.mtp:
        terms.extend(_mtp_terms(model, workload))
    return Ledger(terms=tuple(terms), trains=workload.mode == "train")


def _tally(layers: tuple[Layer, ...], workload: Workload) -> dict[Op, tuple[int, int]]:
    """How many layers hold each operation, and in how many of them it is recomputed."""
    positions: dict[int, list[int]] = {}
    by_id: dict[int, Layer] = {}
    for index, layer in enumerate(layers):
        positions.setdefault(id(layer), []).append(index)
        by_id[id(layer)] = layer
    tally: dict[Op, tuple[int, int]] = {}
    for key, indices in positions.items():
        for op in by_id[key].ops:
            layers_so_far, recomputed_so_far = tally.get(op, (0, 0))
            recomputed = sum(is_recomputed(op, index, workload.recompute) for index in indices)
            tally[op] = (layers_so_far + len(indices), recomputed_so_far + recomputed)
    return tally


def _term(op: Op, model: Model, workload: Workload, *, layers: int, recomputed: int, in_block: bool) -> Term:
    streams = model.streams
    if isinstance(op, Matmul):
        return count_matmul(op, streams, workload, layers=layers, n_recomputed=recomputed, in_block=in_block)
    if isinstance(op, Scores):
        return count_attention(op, streams, workload, layers=layers, n_recomputed=recomputed, in_block=in_block)
    return count_weights(op, layers=layers, in_block=in_block)


def _mtp_terms(model: Model, workload: Workload) -> list[Term]:
    """The terms of the MTP modules: their FLOPs count, their weights stay out of the model's parameters."""
    if not model.mtp:
        raise InputError(
            "the model has no multi-token-prediction modules",
            where="--mtp",
            got="on",
            expected="off for a model whose config declares none",
            hint="--mtp off",
        )
    terms: list[Term] = []
    for op, (layers, _) in _tally(model.mtp, workload).items():
        term = _term(op, model, workload, layers=layers, recomputed=0, in_block=False)
        bare = replace(term, name=f"mtp {term.name}", matrix_weights=0, idle_weights=0, plain_weights=0)
        terms.append(bare)
    return terms
