"""What of a model's blocks decides which gradients are needed: what reads what, and what is kept at the end."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """How values pass through a block.

    `parallel`: the feed-forward reads what attention reads. `normed`: norm weights stand before the first projections,
    so that these need the gradient of their input where norms train. `fused`: linears that are one matrix in the
    framework, so that an adapter on all of them has one A. `closing`: the linear that is the last to run and after
    which nothing is kept for the backward pass; of several names a block has at most one; empty where there is none.
    """

    parallel: bool = False
    normed: bool = True
    fused: tuple[tuple[str, ...], ...] = ()
    closing: tuple[str, ...] = ("down",)
