"""The nominal sizes of a model, for the closed forms that are written in them."""

from __future__ import annotations

from peakwise.core.model import Shape
from peakwise.readers.configs.layers import is_moe, mask_of, mlp_kind
from peakwise.readers.configs.sizes import ATTENTION_KINDS, MIXER_KINDS, Sizes


def _window(sizes: Sizes, layer: int) -> int | None:
    if sizes.kind(layer) not in ATTENTION_KINDS:
        return None
    mask = mask_of(sizes, layer)
    return mask.window if mask.window is not None else mask.chunk


def build_shape(sizes: Sizes) -> Shape:
    """The sizes of the first layer of each kind, and the window of every layer."""
    layers = range(sizes.n_layers)
    moe = [layer for layer in layers if is_moe(sizes, layer)]
    dense = next((layer for layer in layers if layer not in moe and sizes.whole("f", layer, least=0)), 0)
    attention = next((layer for layer in layers if sizes.kind(layer) in ATTENTION_KINDS), None)
    heads = {"n": 0, "g": 0, "dqk": 0, "dv": 0}
    if attention is not None:
        heads = {name: sizes.whole(name, attention) for name in heads}
    h = sizes.whole("h")
    d_expert = sizes.whole("e", moe[0]) if moe else 0
    return Shape(
        d_model=h,
        n_layers=sizes.n_layers,
        n_heads=heads["n"],
        n_kv_heads=heads["g"],
        d_qk=heads["dqk"],
        d_v=heads["dv"],
        d_ff=sizes.whole("f", dense, least=0) or d_expert,
        gated=mlp_kind(sizes) == "gated",
        vocab_size=sizes.whole("V", least=0),
        latent_attention=sizes.facts.latent,
        n_experts=sizes.whole("E", moe[0]) if moe else 0,
        top_k=sizes.whole("k", moe[0]) if moe else 0,
        d_expert=d_expert,
        d_shared=sizes.whole("shared", moe[0], least=0) if moe else 0,
        n_moe_layers=len(moe),
        n_position_weights=sizes.whole("positions", least=0) * h,
        windows=tuple(_window(sizes, layer) for layer in layers),
        n_scan_layers=sum(sizes.kind(layer) in MIXER_KINDS for layer in layers),
    )
