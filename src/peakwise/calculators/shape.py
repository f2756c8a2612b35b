"""A decoder by the sizes that a person types, and the model that these sizes make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from peakwise.core.flow import Flow
from peakwise.core.model import Layer, Mask, Matmul, Model, Op, Scores, Shape, Weights

# Where the last matmul of a block may stand, for recompute that stops early. Shared experts run last and are added.
CLOSING = ("down", "shared.down")


class Sizes(NamedTuple):
    """The sizes of a decoder; None where it was not said, or does not apply.

    `d_q`, `d_kv`: heads × head width; or latent attention by its ranks. The last `n_moe_layers` layers hold experts,
    which work in `d_latent` where it is given. With `window`, one layer in `global_every` sees everything, the last
    of each group; without `global_every` none does. `n_mtp_modules`: each one more layer of the last kind.
    """

    n_layers: int = 0
    d_model: int = 0
    vocab_size: int = 0
    tied: bool = False
    d_q: int | None = None
    d_kv: int | None = None
    n_heads: int | None = None
    q_lora_rank: int | None = None
    kv_lora_rank: int | None = None
    d_qk_nope: int | None = None
    d_qk_rope: int | None = None
    d_v: int | None = None
    d_ff: int | None = None
    ffn_matrices: int = 3
    n_experts: int = 0
    top_k: int = 0
    n_shared_experts: int = 0
    d_expert: int | None = None
    d_latent: int | None = None
    n_moe_layers: int = 0
    window: int | None = None
    global_every: int | None = None
    n_mtp_modules: int = 0

    @property
    def latent_attention(self) -> bool:
        """Whether keys and values go through a latent of `kv_lora_rank`."""
        return self.kv_lora_rank is not None

    @property
    def head_widths(self) -> tuple[int, int]:
        """Width of all query–key heads together, and of all value heads."""
        if not self.latent_attention:
            return (self.d_q or 0, self.d_q or 0)
        heads = self.n_heads or 0
        return (heads * ((self.d_qk_nope or 0) + (self.d_qk_rope or 0)), heads * (self.d_v or 0))

    def is_global(self, layer: int) -> bool:
        """Does layer `layer`, from 0, see the whole sequence?"""
        return self.window is None or (self.global_every is not None and (layer + 1) % self.global_every == 0)


def build_model(sizes: Sizes, *, name: str = "these shapes") -> Model:
    """The model of these sizes, to be counted like any other.

    **Counts / leaves out** norms and biases have no size here and hold no weights (under 0.01 % of the parameters).
    """
    layers: dict[tuple[bool, bool], Layer] = {}
    stack: list[Layer] = []
    for index in range(sizes.n_layers):
        kind = (index >= sizes.n_layers - sizes.n_moe_layers, sizes.is_global(index))
        if kind not in layers:
            layers[kind] = Layer(ops=tuple(_layer(sizes, moe=kind[0], whole=kind[1])))
        stack.append(layers[kind])
    return Model(
        id="shapes",
        name=name,
        model_type="shapes",
        shape=_nominal(sizes),
        layers=tuple(stack),
        outside=(
            Weights(component="embedding", name="embedding", n=sizes.vocab_size * sizes.d_model),
            Weights(component="other", name="final_norm", n=0),
            _head(sizes, owned=not sizes.tied),
        ),
        tied=sizes.tied,
        mtp=(_module(sizes, stack[-1]),) * sizes.n_mtp_modules,
        flow=Flow(closing=CLOSING),
    )


def _layer(sizes: Sizes, *, moe: bool, whole: bool) -> Iterator[Op]:
    yield from _latent_attention(sizes) if sizes.latent_attention else _attention(sizes)
    d_qk, d_v = sizes.head_widths
    heads = sizes.n_heads or 1  # the FLOPs of a pair follow from all heads together
    mask = Mask() if whole else Mask(window=sizes.window)
    yield Scores(n_heads=heads, d_qk=d_qk // heads, d_v=d_v // heads, mask=mask)
    yield from _experts(sizes) if moe else _linears(sizes, "", sizes.d_model, sizes.d_ff or 0)
    yield Weights(component="other", name="norms", n=0)  # they stand here; their weights are not among the sizes


def _projection(name: str, d_in: int, d_out: int) -> Matmul:
    return Matmul(component="attn_proj", name=name, d_in=d_in, d_out=d_out)


def _attention(sizes: Sizes) -> Iterator[Op]:
    d_q, d_kv = sizes.d_q or 0, sizes.d_kv or 0
    yield _projection("q", sizes.d_model, d_q)
    yield _projection("k", sizes.d_model, d_kv)
    yield _projection("v", sizes.d_model, d_kv)
    yield _projection("o", d_q, sizes.d_model)


def _latent_attention(sizes: Sizes) -> Iterator[Op]:
    d_qk, d_v = sizes.head_widths
    rank, rope = sizes.kv_lora_rank or 0, sizes.d_qk_rope or 0
    if sizes.q_lora_rank is None:
        yield _projection("q", sizes.d_model, d_qk)
    else:
        yield _projection("q_a", sizes.d_model, sizes.q_lora_rank)
        yield _projection("q_b", sizes.q_lora_rank, d_qk)
    yield _projection("kv_a", sizes.d_model, rank + rope)
    yield _projection("kv_b", rank, (sizes.n_heads or 0) * (sizes.d_qk_nope or 0) + d_v)
    yield _projection("o", d_v, sizes.d_model)


def _linears(sizes: Sizes, prefix: str, outer: int, inner: int, *, stored: int = 1, used: int = 1) -> Iterator[Op]:
    """The two or three matrices of a feed-forward, of the routed experts or of the shared ones."""
    names = ("gate", "up") if sizes.ffn_matrices == 3 else ("up",)
    widths = [*((name, outer, inner) for name in names), ("down", inner, outer)]
    for name, d_in, d_out in widths:
        yield Matmul(
            component="experts" if prefix else "mlp",
            name=f"{prefix}.{name}" if prefix else name,
            d_in=d_in,
            d_out=d_out,
            stored=stored,
            used=used,
        )


def _experts(sizes: Sizes) -> Iterator[Op]:
    """The router, the routed experts in their own width, and shared experts as one wide feed-forward."""
    yield Matmul(component="router", name="router", d_in=sizes.d_model, d_out=sizes.n_experts)
    inner, outer = sizes.d_expert or 0, sizes.d_latent or sizes.d_model
    if sizes.d_latent is not None:
        yield Matmul(component="experts", name="latent_down", d_in=sizes.d_model, d_out=sizes.d_latent)
        yield Matmul(component="experts", name="latent_up", d_in=sizes.d_latent, d_out=sizes.d_model)
    yield from _linears(sizes, "experts", outer, inner, stored=sizes.n_experts, used=sizes.top_k)
    if sizes.n_shared_experts:
        yield from _linears(sizes, "shared", sizes.d_model, inner * sizes.n_shared_experts)


def _head(sizes: Sizes, *, owned: bool) -> Matmul:
    return Matmul(component="lm_head", name="head", d_in=sizes.d_model, d_out=sizes.vocab_size, owned=owned)


def _module(sizes: Sizes, last: Layer) -> Layer:
    projection = Matmul(component="other", name="mtp.projection", d_in=2 * sizes.d_model, d_out=sizes.d_model)
    return Layer(ops=(projection, *last.ops, _head(sizes, owned=False)))


def _nominal(sizes: Sizes) -> Shape:
    d_qk, d_v = sizes.head_widths
    heads = sizes.n_heads or 1
    return Shape(
        d_model=sizes.d_model,
        n_layers=sizes.n_layers,
        n_heads=heads,
        n_kv_heads=heads,
        d_qk=d_qk // heads,
        d_v=d_v // heads,
        d_ff=sizes.d_ff or sizes.d_expert or 0,
        gated=sizes.ffn_matrices == 3,
        vocab_size=sizes.vocab_size,
        latent_attention=sizes.latent_attention,
        n_experts=sizes.n_experts,
        top_k=sizes.top_k,
        d_expert=sizes.d_expert or 0,
        d_shared=(sizes.d_expert or 0) * sizes.n_shared_experts,
        n_moe_layers=sizes.n_moe_layers,
        windows=tuple(None if sizes.is_global(layer) else sizes.window for layer in range(sizes.n_layers)),
    )
