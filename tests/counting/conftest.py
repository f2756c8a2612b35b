"""Made-up decoder models for the laws of counting."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peakwise.core.model import Layer, Mask, Matmul, Model, Op, Scores, Shape, Weights


def _mlp(width: int, inner: int, gated: bool) -> list[Op]:
    names = ("gate", "up") if gated else ("up",)
    up: list[Op] = [Matmul(component="mlp", name=name, d_in=width, d_out=inner) for name in names]
    return [*up, Matmul(component="mlp", name="down", d_in=inner, d_out=width)]


def _experts(width: int, inner: int, n_experts: int, top_k: int) -> list[Op]:
    router = Matmul(component="router", name="router", d_in=width, d_out=n_experts)
    sizes = (("gate", width, inner), ("up", width, inner), ("down", inner, width))
    experts: list[Op] = [
        Matmul(component="experts", name=name, d_in=a, d_out=b, stored=n_experts, used=top_k) for name, a, b in sizes
    ]
    return [router, *experts]


def _attention(width: int, heads: int, kv_heads: int, head: int, mask: Mask) -> list[Op]:
    sizes = (("q", width, heads * head), ("k", width, kv_heads * head), ("v", width, kv_heads * head))
    projections: list[Op] = [Matmul(component="attn_proj", name=name, d_in=a, d_out=b) for name, a, b in sizes]
    out = Matmul(component="attn_proj", name="o", d_in=heads * head, d_out=width)
    return [*projections, out, Scores(n_heads=heads, d_qk=head, d_v=head, mask=mask)]


def _outside(width: int, vocab: int, tied: bool) -> tuple[Op, ...]:
    return (
        Weights(component="embedding", name="tokens", n=vocab * width),
        Weights(component="other", name="final norm", n=width),
        Matmul(component="lm_head", name="lm_head", d_in=width, d_out=vocab, owned=not tied),
    )


def build_model(
    *,
    width: int = 64,
    layers: int = 3,
    heads: int = 4,
    kv_heads: int = 2,
    head: int = 24,
    inner: int = 96,
    vocab: int = 101,
    gated: bool = True,
    tied: bool = False,
    experts: int = 0,
    top_k: int = 0,
    window: int | None = None,
    chunk: int | None = None,
) -> Model:
    """A decoder with softmax attention; every size may be drawn."""
    attention = _attention(width, heads, kv_heads, head, Mask(window=window, chunk=chunk))
    feed = _experts(width, inner, experts, top_k) if experts else _mlp(width, inner, gated)
    layer = Layer(ops=(*attention, *feed, Weights(component="other", name="norms", n=2 * width)))
    shape = Shape(
        d_model=width,
        n_layers=layers,
        n_heads=heads,
        n_kv_heads=kv_heads,
        d_qk=head,
        d_v=head,
        d_ff=inner,
        gated=gated,
        vocab_size=vocab,
        n_experts=experts,
        top_k=top_k,
        d_expert=inner if experts else 0,
        n_moe_layers=layers if experts else 0,
        windows=(window or chunk,) * layers,
    )
    return Model(
        id="made-up",
        name="Made-up",
        model_type="made-up",
        shape=shape,
        layers=(layer,) * layers,
        outside=_outside(width, vocab, tied),
        tied=tied,
    )


@pytest.fixture(scope="session")
def make() -> Callable[..., Model]:
    """The builder of made-up models."""
    return build_model
