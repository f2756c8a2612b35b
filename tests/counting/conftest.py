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


def build_model(  # one decoder of each kind that the laws speak of
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
    mask = Mask(window=window, chunk=chunk)
    attention: list[Op] = [
        Matmul(component="attn_proj", name="q", d_in=width, d_out=heads * head),
        Matmul(component="attn_proj", name="k", d_in=width, d_out=kv_heads * head),
        Matmul(component="attn_proj", name="v", d_in=width, d_out=kv_heads * head),
        Matmul(component="attn_proj", name="o", d_in=heads * head, d_out=width),
        Scores(n_heads=heads, d_qk=head, d_v=head, mask=mask),
    ]
    feed = _experts(width, inner, experts, top_k) if experts else _mlp(width, inner, gated)
    layer = Layer(ops=(*attention, *feed, Weights(component="other", name="norms", n=2 * width)))
    outside: tuple[Op, ...] = (
        Weights(component="embedding", name="tokens", n=vocab * width),
        Weights(component="other", name="final norm", n=width),
        Matmul(component="lm_head", name="lm_head", d_in=width, d_out=vocab, owned=not tied),
    )
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
        outside=outside,
        tied=tied,
    )


@pytest.fixture(scope="session")
def make() -> Callable[..., Model]:
    """The builder of made-up models."""
    return build_model
