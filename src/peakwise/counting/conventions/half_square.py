"""Rules that count half of the attention square, S/2 keys a query."""

from __future__ import annotations

from collections.abc import Callable

from peakwise.core.model import Scores
from peakwise.counting.conventions.subject import Subject


def _half(subject: Subject, windowed: Callable[[int, int], float]) -> Callable[[Scores], float]:
    """Keys a query sees: S/2, c/2 in a chunk shorter than S, `windowed(W, S)` in a window shorter than S.

    All S where the workload counts full attention.
    """
    length = subject.seq_len

    def keys(core: Scores) -> float:
        mask = core.mask
        if not mask.causal or subject.workload.attention == "full":
            return length
        if mask.chunk is not None and mask.chunk < length:
            return mask.chunk / 2
        if mask.window is not None and mask.window < length:
            return windowed(mask.window, length)
        return length / 2

    return keys


def megatron_2025_03(subject: Subject) -> float:
    """S/2 keys a query, windows and chunks ignored, router out; MTP modules whole where they count.

    **Source** Megatron-LM since 2025-03 (8873b55d6a), MTP since 2025-04. DeepSeek quotes the same sum, with S keys too.
    """
    length = subject.seq_len

    def keys(core: Scores) -> float:
        return length if not core.mask.causal or subject.workload.attention == "full" else length / 2

    return subject.matmul_flop(router=False) + subject.attention_flop(keys) + subject.mtp_flop(keys)


def megatron_bridge(subject: Subject) -> float:
    """S/2 keys a query, W − W(W−1)/2S in a window, router out. **Source** Megatron-Bridge, `flop_utils`."""
    keys = _half(subject, lambda window, length: window - window * (window - 1) / (2 * length))
    return subject.matmul_flop(router=False) + subject.attention_flop(keys) + subject.mtp_flop(keys)


def maxtext(subject: Subject) -> float:
    """S/2 keys a query, W − W²/2S in a window, router in. **Source** MaxText since 2025 (pull request 1988)."""
    keys = _half(subject, lambda window, length: window - window**2 / (2 * length))
    return subject.matmul_flop(router=True) + subject.attention_flop(keys)


def verl(subject: Subject) -> float:
    """S/2 keys a query, W/2 in a window, the lookup as a matmul, router in. **Source** verl, `flops_counter`."""
    keys = _half(subject, lambda window, _: window / 2)
    lookup = 6 * subject.vocabulary_weights
    return subject.matmul_flop(router=True) + subject.attention_flop(keys) + lookup
