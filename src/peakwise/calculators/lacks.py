"""Inputs that results of a model's work lack."""

from __future__ import annotations

from peakwise.core.calculation import Lack


def lack_shapes(results: str) -> Lack:
    """The shapes, which some results lack."""
    return Lack(input="n_layers", why=f"{results}: the shapes are not known", how="--model MODEL")


def lack_length(results: str) -> Lack:
    """The length, which some results lack."""
    return Lack(input="seq_len", why=f"{results}: attention grows with the length", how="--seq N")
