"""A model under a workload as a ledger of terms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from peakwise.core.errors import InputError
from peakwise.core.ledger import Ledger, Term
from peakwise.core.model import Matmul, Model, Op, Scores
from peakwise.core.scan import Scan
from peakwise.core.workload import Workload
from peakwise.counting.attention import count_attention
from peakwise.counting.matmul import count_matmul, count_weights
from peakwise.counting.recompute import count_again
from peakwise.counting.scan import count_scan
from peakwise.counting.streams import check_parts
from peakwise.counting.training import TRAINED, Block, Treatment, plan_blocks, treat_outside

if TYPE_CHECKING:  # only documents in slots have one
    from peakwise.core.arrangement import Arrangement


def build_ledger(model: Model, workload: Workload) -> Ledger:
    """Every term of the model's work, by the convention `exact`.

    **Counts / leaves out** every weight matmul, router and head in, at every position; visible pairs, diagonal in;
    MTP modules only where the workload says so. Lookups, norms, softmax, activations, rotary, optimizer are out.
    **Raises** InputError where MTP modules are asked of a model that has none.
    """
    check_parts(model, workload)
    if workload.mtp and workload.train.kind != "full":
        raise InputError(
            "what of the MTP modules trains is not defined",
            where="--mtp",
            got=f"on, with --train {workload.train.text()}",
            expected="--train full, or --mtp off",
            hint="--mtp off",
        )
    terms = _block_terms(model, workload)
    for op in model.outside:
        term = _term(op, model, workload, layers=1, recomputed=0, in_block=False)
        terms.append(_treat(term, treat_outside(op, model, workload.train)))
    if workload.mtp:
        terms.extend(_mtp_terms(model, workload))
    detour = _count_detour(model, workload) if workload.recompute.reentrant else 0
    ledger = Ledger(terms=tuple(terms), trains=workload.mode == "train", detour=detour)
    if workload.arranged is None:
        return ledger
    return replace(ledger, padding=_count_padding(ledger, model, workload, workload.arranged))


def _count_padding(useful: Ledger, model: Model, workload: Workload, arranged: Arrangement) -> int:
    """FLOPs on the slots and pairs that belong to no text: all that is run, less what is useful.

    **Counts / leaves out** a pack is run as one sequence under the model's mask. What a model does once for a text
    (a pooled head) is not run for padding. A chunked scan has no rule for several texts in one sequence.
    """
    if arranged.policy == "pack" and workload.ssm_rule == "reference" and model.has_scan:
        raise InputError(
            "chunked matmuls of a scan are defined for one text a sequence",
            where="--ssm-rule",
            got="reference, with documents packed into slots",
            expected="recurrent, or lengths=FILE without pack=",
            hint="--ssm-rule recurrent",
        )
    run = build_ledger(model, replace(workload, lengths=arranged.processed, arranged=None, masked=None))
    once = {"sequence", *(stream.name for stream in model.streams if stream.fixed is not None)}
    pairs = [(old, new) for old, new in zip(useful, run, strict=True) if new.over not in once]
    return _sum_passes([new for _, new in pairs], run) - _sum_passes([old for old, _ in pairs], useful)


def _sum_passes(terms: list[Term], ledger: Ledger) -> int:
    return replace(ledger, terms=tuple(terms)).hardware


class _Tally(NamedTuple):
    """How many layers hold an operation, in how many it runs again, and in how many its Q·Kᵀ alone does."""

    layers: int = 0
    whole: int = 0
    products: int = 0


def _count_detour(model: Model, workload: Workload) -> int:
    """FLOPs that a reentrant checkpoint adds: it goes back through every block, though nothing trains below some."""
    plain, entered = (
        Ledger(terms=tuple(_block_terms(model, workload, entered=entered)), trains=True) for entered in (False, True)
    )
    return entered.hardware - plain.hardware


def _block_terms(model: Model, workload: Workload, *, entered: bool = False) -> list[Term]:
    terms: list[Term] = []
    for (op, treatment), tally in _tally(plan_blocks(model, workload.train, entered=entered), workload).items():
        term = _term(op, model, workload, layers=tally.layers, recomputed=tally.whole, in_block=True)
        terms.append(_treat(replace(term, n_products_again=tally.products) if tally.products else term, treatment))
    return terms


def _treat(term: Term, treatment: Treatment) -> Term:
    if treatment == TRAINED:
        return term
    need = treatment.need
    input_grad = term.input_grad and need.input_grad
    return replace(term, trainable=treatment.trainable, input_grad=input_grad, operands=need.operands)


def _tally(blocks: tuple[Block, ...], workload: Workload) -> dict[tuple[Op, Treatment], _Tally]:
    """The layers of every operation that is treated alike."""
    positions: dict[int, list[int]] = {}
    by_id: dict[int, Block] = {}
    for index, block in enumerate(blocks):
        positions.setdefault(id(block), []).append(index)
        by_id[id(block)] = block
    tally: dict[tuple[Op, Treatment], _Tally] = {}
    for key, indices in positions.items():
        block = by_id[key]
        for op, treatment in block.ops:
            so_far = tally.get((op, treatment), _Tally())
            again = [count_again(op, block, index, workload.recompute) for index in indices]
            tally[op, treatment] = _Tally(
                so_far.layers + len(indices),
                so_far.whole + sum(one.whole for one in again),
                so_far.products + sum(one.products for one in again),
            )
    return tally


def _term(op: Op, model: Model, workload: Workload, *, layers: int, recomputed: int, in_block: bool) -> Term:
    streams = model.streams
    if isinstance(op, Matmul):
        return count_matmul(op, streams, workload, layers=layers, n_recomputed=recomputed, in_block=in_block)
    if isinstance(op, Scores):
        return count_attention(op, streams, workload, layers=layers, n_recomputed=recomputed, in_block=in_block)
    if isinstance(op, Scan):
        return count_scan(op, streams, workload, layers=layers, n_recomputed=recomputed, in_block=in_block)
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
    for op in (op for module in model.mtp for op in module.ops):
        term = _term(op, model, workload, layers=1, recomputed=0, in_block=False)
        bare = replace(term, name=f"mtp {term.name}", matrix_weights=0, idle_weights=0, plain_weights=0)
        terms.append(bare)
    return terms
