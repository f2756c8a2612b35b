"""Words of choices that are the same in a link as anywhere else."""

from __future__ import annotations

from peakwise.core.declaration import Choice


def same(*words: str) -> tuple[Choice, ...]:
    """The choices of these words, each its own link word."""
    return tuple(Choice(word=word, link=word) for word in words)


PRECISIONS = same("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")
