"""The term of a recurrence or of a depth-wise convolution, by either definition of its FLOPs."""

from __future__ import annotations

from typing import assert_never

from peakwise.core.ledger import Term
from peakwise.core.model import Stream
from peakwise.core.scan import Scan
from peakwise.core.workload import Workload
from peakwise.counting.streams import count_positions

FLOP_PER_MULTIPLY_ADD = 2

# FLOPs for one number of a state and one token. Mamba: δ·A, δ·B, ·x, decay, add, and a multiply-add to read it out with
# C; Megatron-LM charges Mamba-2 the same 7. Delta rule: decay, k·state, update and q·state, a multiply-add each.
# Lightning: decay, k·v, add, and a multiply-add to read it out.
RECURRENT_FLOP = {"mamba": 7, "ssd": 7, "delta": 8, "kda": 8, "lightning": 5}


def count_scan(
    scan: Scan,
    streams: tuple[Stream, ...],
    workload: Workload,
    *,
    layers: int,
    n_recomputed: int,
    in_block: bool,
) -> Term:
    """The term of one recurrence or convolution.

    **Formula** rule `recurrent`: `RECURRENT_FLOP` for one number of the state and a token; a convolution of K taps, 2·K
    a channel and token. Rule `reference`: the matmuls of the library's algorithm, `reference_flop`.
    **Counts / leaves out** exponentials, gates, norms and the skip D·x are out. Backward is twice the forward.
    """
    repeats = count_positions("token", streams, workload)
    flop = recurrent_flop(scan)
    over = "token"
    if workload.ssm_rule == "reference":
        repeats, over = 1, "workload"
        flop = sum(reference_flop(scan, length) * times for length, times in workload.by_length)
    return Term(
        component=scan.component,
        name=scan.name,
        layers=layers,
        over=over,
        repeats=repeats,
        flop=flop,
        matrix_weights=scan.matrix_weights if scan.owned else 0,
        plain_weights=scan.bias if scan.owned else 0,
        is_matmul=scan.kind == "conv",
        in_block=in_block,
        n_recomputed=n_recomputed,
    )


def recurrent_flop(scan: Scan) -> int:
    """FLOPs of one token by the rule `recurrent`.

    **Formula** mamba and ssd 7·H·N·P, delta 8·H·d_k·d_v, lightning 5·H·d², conv 2·C·K.
    """
    if scan.kind == "conv":
        return FLOP_PER_MULTIPLY_ADD * scan.n_heads * scan.kernel
    return RECURRENT_FLOP[scan.kind] * scan.state


def reference_flop(scan: Scan, n_tokens: int) -> int:
    """FLOPs of one sequence by the rule `reference`: every matmul of the library's algorithm, its padding included.

    **Formula** S tokens, chunks of Q, m = ⌈S/Q⌉, S' = m·Q. mamba 2·S·H·N; ssd 2·S'·Q·H·(N + P) + 4·S'·H·N·P +
    2·H·(m+1)²·N·P; delta 2·S'·H·(2·Q·d_k + Q·d_v + 3·d_k·d_v); kda
    2·S'·H·(Q·d_k + 2·Q·d_v + 3·d_k·d_v); lightning, over blocks of b, the last one shorter,
    Σ 2·b²·H·(d_k + d_v) + 4·b·H·d_k·d_v; conv 2·(S + K − 1)·C·K.
    **Source** transformers 5.24, the paths in plain torch of mamba, mamba2, qwen3_next, minimax and lfm2.
    """
    heads, key, value, block = scan.n_heads, scan.d_key, scan.d_value, scan.block
    match scan.kind:
        case "mamba":
            return FLOP_PER_MULTIPLY_ADD * n_tokens * scan.state
        case "ssd":
            chunks = -(-n_tokens // block)
            padded = chunks * block
            inside = 2 * padded * block * heads * (key + value) + 4 * padded * scan.state
            return inside + 2 * (chunks + 1) ** 2 * scan.state
        case "delta":
            padded = -(-n_tokens // block) * block
            return 2 * padded * heads * (2 * block * key + block * value + 3 * key * value)
        case "kda":
            padded = -(-n_tokens // block) * block
            return 2 * padded * heads * (block * key + 2 * block * value + 3 * key * value)
        case "lightning":
            whole, rest = divmod(n_tokens, block)
            squares = whole * block**2 + rest**2
            return 2 * squares * heads * (key + value) + 4 * n_tokens * scan.state
        case "conv":
            return FLOP_PER_MULTIPLY_ADD * (n_tokens + scan.kernel - 1) * heads * scan.kernel
        case _ as unknown:
            assert_never(unknown)
