"""Which sizes of a decoder contradict each other, and which it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from peakwise.calculators.shape import Sizes

PLAIN = ("d_q", "d_kv")
LATENT = ("n_heads", "kv_lora_rank", "d_qk_nope", "d_qk_rope", "d_v")


class Fault(NamedTuple):
    """One size that cannot be: its key, what it is, what it may be, and why in one sentence."""

    key: str
    got: int
    expected: str
    message: str


def find_faults(sizes: Sizes) -> tuple[Fault, ...]:
    """The sizes that contradict each other; sizes that lack are none of these."""
    return (*_attention(sizes), *_experts(sizes))


def _attention(sizes: Sizes) -> Iterator[Fault]:
    heads, d_q, d_kv = sizes.n_heads, sizes.d_q, sizes.d_kv
    if sizes.latent_attention:
        if sizes.d_qk_nope == 0 and sizes.d_qk_rope == 0:
            yield Fault("d_qk_rope", 0, "at least 1", "queries and keys have no width, with or without position")
        return
    if d_q is not None and d_kv is not None and d_kv > d_q:
        message = (
            f"{d_kv:,} of keys is more than {d_q:,} of queries: there are no more key-value heads than query heads"
        )
        yield Fault("d_kv", d_kv, f"at most {d_q}", message)
    if d_q is not None and heads is not None and d_q % heads:
        yield Fault("n_heads", heads, f"a divisor of {d_q}", f"{d_q:,} does not divide into {heads:,} heads")


def _experts(sizes: Sizes) -> Iterator[Fault]:
    if sizes.n_layers and sizes.n_moe_layers > sizes.n_layers:
        message = f"{sizes.n_moe_layers:,} layers with experts are more than the {sizes.n_layers:,} there are"
        yield Fault("n_moe_layers", sizes.n_moe_layers, f"at most {sizes.n_layers}", message)
    if sizes.n_experts and sizes.top_k > sizes.n_experts:
        message = f"{sizes.top_k:,} experts a token are more than the {sizes.n_experts:,} there are"
        yield Fault("top_k", sizes.top_k, f"at most {sizes.n_experts}", message)


def find_lacking(sizes: Sizes, stated: frozenset[str]) -> tuple[str, ...]:
    """The keys without which these sizes make no model, in the order of the fields; `stated`: those that were said."""
    lacks = [key for key in ("n_layers", "d_model") if not getattr(sizes, key)]
    if sizes.latent_attention or stated & {"q_lora_rank", "d_qk_nope", "d_qk_rope", "d_v"}:
        lacks += [key for key in LATENT if getattr(sizes, key) is None]
    else:
        lacks += [key for key in PLAIN if getattr(sizes, key) is None]
    if sizes.d_ff is None and sizes.n_moe_layers < (sizes.n_layers or 1):
        lacks.append("d_ff")
    if not sizes.vocab_size:
        lacks.append("vocab_size")
    if sizes.n_moe_layers:
        lacks += [key for key in ("n_experts", "top_k") if not getattr(sizes, key)]
        lacks += ["d_expert"] if sizes.d_expert is None else []
    elif "n_moe_layers" not in stated and (sizes.n_experts or sizes.d_expert or sizes.d_latent):
        lacks.append("n_moe_layers")
    return tuple(lacks)
