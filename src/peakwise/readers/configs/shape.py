"""The nominal sizes of a model, for the closed forms that are written in them."""

from __future__ import annotations

from peakwise.core.model import Shape
from peakwise.readers.configs.layers import is_moe, mask_of, mlp_kind
from peakwise.readers.configs.sizes import Sizes


def _window(sizes: Sizes, layer: int) -> int | None:
    mask = mask_of(sizes, layer)
    return mask.window if mask.window is not None else mask.chunk


def build_shape(sizes: Sizes) -> Shape:
    """The sizes of the first layer of each kind, and the window of every layer."""
    layers = range(sizes.n_layers)
    moe = [layer for layer in layers if is_moe(sizes, layer)]
    dense = next((layer for layer in layers if layer not in set(moe)), 0)
    h = sizes.whole("h")
    d_expert = sizes.whole("e", moe[0]) if moe else 0
    return Shape(
        d_model=h,
        n_layers=sizes.n_layers,
        n_heads=sizes.whole("n", 0),
        n_kv_heads=sizes.whole("g", 0),
        d_qk=sizes.whole("dqk", 0),
        d_v=sizes.whole("dv", 0),
        d_ff=sizes.whole("f", dense, least=0) or d_expert,
        gated=mlp_kind(sizes) == "gated",
        vocab_size=sizes.whole("V"),
        latent_attention=sizes.facts.latent,
        n_experts=sizes.whole("E", moe[0]) if moe else 0,
        top_k=sizes.whole("k", moe[0]) if moe else 0,
        d_expert=d_expert,
        d_shared=sizes.whole("shared", moe[0], least=0) if moe else 0,
        n_moe_layers=len(moe),
        n_position_weights=sizes.whole("positions", least=0) * h,
        windows=tuple(_window(sizes, layer) for layer in layers),
    )
