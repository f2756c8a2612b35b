"""Rules that papers and tools print as closed forms over nominal sizes."""

from __future__ import annotations

from peakwise.counting.conventions.exact import full_of_everything
from peakwise.counting.conventions.subject import Subject


def chinchilla(subject: Subject) -> float:
    """Full attention, the lookup counted as a matmul, softmax 3 FLOPs a pair and head.

    **Source** Hoffmann et al. 2022, appendix F, adapted to grouped heads and gated MLPs.
    """
    shape = subject.shape
    softmax = 9 * shape.n_heads * subject.seq_len * shape.n_layers  # 3 FLOPs × forward and backward (×3)
    return full_of_everything(subject) + 6 * subject.vocabulary_weights + softmax


def palm(subject: Subject) -> float:
    """6 N + 12·L·H·Q·T with N active, embedding in.

    **Source** Chowdhery et al. 2022, appendix B.
    """
    shape = subject.shape
    attention = 6 * shape.n_layers * shape.n_heads * (shape.d_qk + shape.d_v) * subject.seq_len
    return 6 * subject.parameters.active + attention


def nanogpt(subject: Subject) -> float:
    """6 (N − positions) + 12·L·h·T, all experts, lookup in. **Source** nanoGPT, `estimate_mfu`."""
    shape = subject.shape
    return (
        6 * (subject.parameters.total - shape.n_position_weights)
        + 12 * shape.n_layers * shape.d_model * subject.seq_len
    )


def megatron_2021(subject: Subject) -> float:
    """72·L·h²·(1 + s/6h + V/12Lh): GPT shapes, without recompute.

    **Source** Narayanan et al. 2021, equation 3, three quarters of it.
    """
    return _gpt(subject, blocks=72, attention=12)


def megatron_2021_recompute(subject: Subject) -> float:
    """96·L·h²·(1 + s/6h + V/16Lh): GPT shapes with full recompute. **Source** Narayanan et al. 2021, equation 3."""
    return _gpt(subject, blocks=96, attention=16)


def korthikanti_selective(subject: Subject) -> float:
    """72·L·h²·(1 + s/3h + V/12Lh): GPT shapes with selective recompute.

    **Source** Korthikanti et al. 2022, equation 9, which charges three times the recompute it describes.
    """
    return _gpt(subject, blocks=72, attention=24)


def _gpt(subject: Subject, *, blocks: int, attention: int) -> float:
    shape = subject.shape
    body = blocks * shape.n_layers * shape.d_model**2
    core = attention * shape.n_layers * shape.d_model * subject.seq_len
    return body + core + 6 * subject.vocabulary_weights


def mosaicml(subject: Subject) -> float:
    """6 N + 12·L·d_model·S with N active, embedding in. **Source** llm-foundry, `flops_per_batch`."""
    shape = subject.shape
    return 6 * subject.parameters.active + 12 * shape.n_layers * shape.d_model * subject.seq_len


def litgpt(subject: Subject) -> float:
    """6 N + 20·L·d_model·S, all parameters. **Source** litgpt, `estimate_flops` (attention added once per group)."""
    shape = subject.shape
    return 6 * subject.parameters.total + 20 * shape.n_layers * shape.d_model * subject.seq_len
