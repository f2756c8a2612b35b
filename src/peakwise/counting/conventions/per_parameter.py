"""Rules that start from a parameter count: 6N and its variants."""

from __future__ import annotations

from peakwise.counting.conventions.subject import Subject

# Two FLOPs per multiply-add, forward once and backward twice: 6 per parameter and token (Kaplan et al. 2020).
PER_PARAMETER = 6


def six_n(subject: Subject) -> float:
    """6 FLOPs per parameter and token; all experts, embedding in, attention out."""
    return PER_PARAMETER * subject.parameters.total


def six_n_active(subject: Subject) -> float:
    """6 FLOPs per active parameter and token; idle experts out, embedding in, attention out."""
    return PER_PARAMETER * subject.parameters.active


def kaplan(subject: Subject) -> float:
    """6 N + 6·L·S·d_attn with N active, non-embedding and without the head; logits left out.

    **Source** Kaplan et al. 2020, table 1 (forward 2N + 2·L·S·d_attn).
    """
    head = 0 if subject.model.tied else subject.vocabulary_weights
    body = subject.parameters.active - subject.embedding_weights - head
    shape = subject.shape
    attention = 3 * shape.n_layers * subject.seq_len * shape.n_heads * (shape.d_qk + shape.d_v)
    return PER_PARAMETER * body + attention


def hf_trainer(subject: Subject) -> float:
    """6 FLOPs per non-embedding parameter, all experts; a tied head falls with the embedding; attention out.

    **Source** transformers, `floating_point_ops`.
    """
    return PER_PARAMETER * (subject.parameters.total - subject.embedding_weights)
