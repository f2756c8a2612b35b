"""What a library's own code of a recurrence does apart from the matmuls of the rule `reference` and twice these."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.core.model import Model
from peakwise.core.scan import Scan
from peakwise.core.workload import Workload
from peakwise.counting.operators import count_triangular_solve


class LibraryFlop(NamedTuple):
    """FLOPs of one pass forward and backward; negative where the library does less."""

    forward: int = 0
    backward: int = 0


def count_library(model: Model, workload: Workload) -> LibraryFlop:
    """FLOPs that the library's code of the recurrences does more (or less) than the ledger by the rule `reference`.

    **Formula** what `library_flop` gives, over every layer and sequence. No model work: it depends on how the library
    cuts the sequence.
    """
    scans = [op for layer in model.layers for op in layer.ops if isinstance(op, Scan)]
    each = [(library_flop(scan, n), times) for scan in scans for n, times in workload.by_length]
    return LibraryFlop(
        forward=sum(flop.forward * times for flop, times in each),
        backward=sum(flop.backward * times for flop, times in each),
    )


def library_flop(scan: Scan, n_tokens: int) -> LibraryFlop:
    """FLOPs of one recurrence over one sequence that are no matmul of the rule `reference`, or have no gradient.

    **Formula** chunks of Q, m of them. The first chunk reads a state of zeros, which needs no gradient, and nothing
    reads the state after the last one: delta and kda −4 · 2·Q·H·d_k·d_v backward, lightning −2·(b_first + 2·b_last) ·
    H·d_k·d_v. Delta solves a triangular system of Q unknowns a chunk for keys and values: m·H·Q²·(d_k + d_v) forward
    and for the gradient of the right-hand sides, and 2 · m·H·Q²·(d_k + d_v) for that of the matrix.
    **Source** transformers 5.24: qwen3_next, kimi_linear and minimax in plain torch.
    """
    block, key, value = scan.block, scan.d_key, scan.d_value
    if scan.kind == "lightning":
        first, last = min(block, n_tokens), n_tokens % block or block
        return LibraryFlop(backward=-2 * (first + 2 * last) * scan.state)
    if scan.kind not in ("delta", "kda"):
        return LibraryFlop()
    edges = -4 * 2 * block * scan.state
    if scan.kind == "kda":
        return LibraryFlop(backward=edges)
    n_systems = scan.n_heads * -(-n_tokens // block)
    solve = count_triangular_solve((n_systems, block, key + value), block)
    return LibraryFlop(forward=solve, backward=3 * solve + edges)
