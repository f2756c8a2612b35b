"""The stack of a model: its layers' matmuls, scores and plain weights, from the row's formulas."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.core.errors import CatalogError, ConfigError
from peakwise.core.model import COMPONENTS, Component, Layer, Mask, Matmul, Op, Scores, Weights
from peakwise.facts.model_types import Extra
from peakwise.readers.configs.scans import build_scans
from peakwise.readers.configs.sizes import ATTENTION_KINDS, MIXER_KINDS, MODEL, Sizes


def component_of(extra: Extra) -> Component:
    """The component a row files an extra under. **Raises** CatalogError for a word that is none."""
    if extra.component not in COMPONENTS:
        where = f"model_types.toml, extra {extra.name}"
        raise CatalogError("no such component", where=where, got=extra.component, expected=", ".join(COMPONENTS))
    return extra.component


def is_moe(sizes: Sizes, layer: int) -> bool:
    """Does this layer hold experts?"""
    return bool(sizes.facts.moe) and bool(sizes.value(sizes.facts.moe, layer))


def mlp_kind(sizes: Sizes) -> str:
    """`gated` (three matrices) or `plain` (two). **Raises** CatalogError where the row says neither."""
    kind = sizes.facts.mlp
    word = kind if kind in ("gated", "plain") else sizes.value(kind)
    if word not in ("gated", "plain"):
        where = f"model_types.toml [{sizes.facts.name}]"
        raise CatalogError("no such MLP", where=where, got=str(word), expected="gated or plain")
    return str(word)


def list_biased(sizes: Sizes, layer: int) -> frozenset[str]:
    """The names of the linears that have a bias in this layer."""
    names: set[str] = set()
    for condition, linears in sizes.facts.bias.items():
        if sizes.holds(condition, layer):
            names.update(linears.split())
    return frozenset(names)


def build_extra(sizes: Sizes, extra: Extra, layer: int) -> Op:
    """The operation of one extra entry of the row."""
    component = component_of(extra)
    over = extra.over or sizes.facts.over
    if extra.heads:
        heads, width = sizes.whole(extra.heads, layer), sizes.whole(extra.d_head, layer)
        mask, keys = Mask(causal=False), extra.keys or over
        return Scores(n_heads=heads, d_qk=width, d_v=width, mask=mask, name=extra.name, queries=over, keys=keys)
    if not extra.d_in:
        return Weights(component=component, name=extra.name, n=sizes.whole(extra.n, layer, least=0))
    return Matmul(
        component=component,
        name=extra.name,
        d_in=sizes.whole(extra.d_in, layer),
        d_out=sizes.whole(extra.d_out, layer),
        bias=sizes.whole(extra.bias, layer, least=0),
        stored=sizes.whole(extra.stored, layer),
        used=sizes.whole(extra.used, layer),
        over=over,
        input_grad=sizes.holds(extra.input_grad, layer),
        owned=sizes.holds(extra.owned, layer),
    )


def mask_of(sizes: Sizes, layer: int) -> Mask:
    """Which keys a query of this layer may see."""
    kind = sizes.kind(layer)
    windows = {"sliding_attention": "window", "full_attention": "full_window"}
    window = sizes.whole(windows[kind], layer, least=0) if kind in windows else 0
    chunk = sizes.whole("chunk", layer, least=0) if kind == "chunked_attention" else 0
    causal = bool(sizes.value(sizes.facts.causal))
    dims = next((int(stream.dims) for stream in sizes.facts.streams if stream.name == sizes.facts.over), 1)
    return Mask(causal=causal, window=window or None, chunk=chunk or None, dims=dims if chunk else 1)


def _attention(sizes: Sizes, layer: int, biased: frozenset[str]) -> Iterator[Op]:
    owned = sizes.holds(sizes.facts.owned, layer)
    for linear in sizes.facts.attention:
        if not sizes.holds(linear.when, layer):
            continue
        d_out = sizes.whole(linear.d_out, layer)
        yield Matmul(
            component="attn_proj",
            name=linear.name,
            d_in=sizes.whole(linear.d_in, layer),
            d_out=d_out,
            bias=d_out if linear.name in biased else 0,
            over=sizes.facts.over,
            owned=owned,
        )
    yield Scores(
        n_heads=sizes.whole("sn", layer),
        d_qk=sizes.whole("dqk", layer),
        d_v=sizes.whole("dv", layer),
        mask=mask_of(sizes, layer),
        queries=sizes.facts.over,
        keys=sizes.facts.over,
    )


def _cross(sizes: Sizes, layer: int, biased: frozenset[str]) -> Iterator[Op]:
    """Attention over the other part's positions: its keys and values are made there, queries and output here."""
    facts = sizes.facts
    for linear in facts.cross:
        d_out = sizes.whole(linear.d_out, layer)
        yield Matmul(
            component="attn_proj",
            name=f"cross.{linear.name}",
            d_in=sizes.whole(linear.d_in, layer),
            d_out=d_out,
            bias=d_out if linear.name in biased else 0,
            over=facts.cross_over if linear.name in ("k", "v") else facts.over,
        )
    yield Scores(
        n_heads=sizes.whole("sn", layer),
        d_qk=sizes.whole("dqk", layer),
        d_v=sizes.whole("dv", layer),
        mask=Mask(causal=False),
        name="cross.scores",
        queries=facts.over,
        keys=facts.cross_over,
    )


def _mlp(
    sizes: Sizes, prefix: str, biased: frozenset[str], *, layer: int, width: int, stored: int = 1, used: int = 1
) -> Iterator[Op]:
    """The two or three matrices of a dense MLP (no prefix), of the experts or of the shared experts."""
    h = sizes.whole("eh" if prefix == "experts" else "h")
    owned = sizes.holds(sizes.facts.owned, layer)
    component: Component = "experts" if prefix else "mlp"
    linears = (("up", h, width), ("down", width, h))
    if mlp_kind(sizes) == "gated":
        linears = (("gate", h, width), *linears)
    for name, d_in, d_out in linears:
        yield Matmul(
            component=component,
            name=f"{prefix}.{name}" if prefix else name,
            d_in=d_in,
            d_out=d_out,
            bias=d_out if (prefix or name) in biased else 0,
            stored=stored,
            used=used,
            over=sizes.facts.over,
            owned=owned,
        )


def _experts(sizes: Sizes, layer: int, biased: frozenset[str]) -> Iterator[Op]:
    n_experts, top_k = sizes.whole("E", layer), sizes.whole("k", layer)
    if top_k > n_experts:
        field = sizes.field("k")
        raise ConfigError(
            f"{field} is larger than the number of experts",
            where=sizes.pool.place(field),
            got=f"{top_k} of {n_experts}",
            expected=f"at most {n_experts}",
        )
    if sizes.facts.router:
        bias = n_experts if "router" in biased else 0
        h, over = sizes.whole("h"), sizes.facts.over
        yield Matmul(component="router", name="router", d_in=h, d_out=n_experts, bias=bias, over=over)
    width = sizes.whole("e", layer)
    yield from _mlp(sizes, "experts", biased, layer=layer, width=width, stored=n_experts, used=top_k)
    shared = sizes.whole("shared", layer, least=0)
    if shared:
        yield from _mlp(sizes, "shared", biased, layer=layer, width=shared)


def _build(sizes: Sizes, layer: int) -> Layer:
    biased = list_biased(sizes, layer)
    kind, moe = sizes.kind(layer), is_moe(sizes, layer)
    has_attention = kind in ATTENTION_KINDS
    ops: list[Op] = []
    if has_attention:
        ops += _attention(sizes, layer, biased)
        ops += _cross(sizes, layer, biased) if sizes.facts.cross else ()
    ops += build_scans(sizes, layer)
    ops += _experts(sizes, layer, biased) if moe else _dense(sizes, layer, biased)
    norms = sizes.whole(sizes.facts.norms, layer, least=0) * sizes.whole(sizes.facts.norm_weights, least=0)
    ops.append(Weights(component="other", name="norms", n=norms))
    if has_attention:
        n = sizes.whole(sizes.facts.qk_norm, layer, least=0)
        ops.append(Weights(component="other", name="qk_norm", n=n))
    here = {"layer", "moe" if moe else "dense"} | ({"attention"} if has_attention else set[str]())
    here |= {"mixer"} if kind in MIXER_KINDS else set[str]()
    ops += [build_extra(sizes, e, layer) for e in sizes.facts.extra if e.per in here and sizes.holds(e.when, layer)]
    return Layer(ops=tuple(op for op in ops if not isinstance(op, Weights) or op.n))


def _dense(sizes: Sizes, layer: int, biased: frozenset[str]) -> Iterator[Op]:
    width = sizes.whole("f", layer, least=0)
    return _mlp(sizes, "", biased, layer=layer, width=width) if width else iter(())


def _layer_formulas(sizes: Sizes) -> tuple[str, ...]:
    facts = sizes.facts
    texts = [facts.moe, facts.norms, facts.qk_norm, facts.owned, *facts.bias, *facts.sizes]
    for scan in facts.scans:
        texts += scan.formulas
    for linear in (*facts.attention, *facts.cross):
        texts += [linear.d_in, linear.d_out, linear.when]
    for extra in facts.extra:
        texts += [extra.n, extra.d_in, extra.d_out, extra.bias, extra.stored, extra.used, extra.when]
    return tuple(text for text in texts if text not in ("", "true") and sizes.varies(text))


def build_layers(sizes: Sizes) -> tuple[Layer, ...]:
    """Every layer in order; alike layers are the same object."""
    _check_heads(sizes)
    texts = _layer_formulas(sizes)
    alike: dict[tuple[object, ...], Layer] = {}
    layers: list[Layer] = []
    for layer in range(sizes.n_layers):
        key = (sizes.kind(layer), *sizes.signature(texts, layer))
        if key not in alike:
            alike[key] = _build(sizes, layer)
        layers.append(alike[key])
    return tuple(layers)


def _check_heads(sizes: Sizes) -> None:
    first = next((layer for layer in range(sizes.n_layers) if sizes.kind(layer) in ATTENTION_KINDS), None)
    if first is None:
        return
    sizes.whole("d", first)
    n, g = sizes.whole("n", first), sizes.whole("g", first)
    if n % g:
        field = sizes.field("n")
        other = sizes.facts.sizes["g"].split()[0]
        other = other if sizes.pool.knows(other) else "num_key_value_heads"
        raise ConfigError(
            f"{field} {n} is not a multiple of {other} {g}",
            where=sizes.pool.place(other),
            got=f"{n} heads over {g} key/value heads",
            expected=f"key/value heads that divide {n}",
            hint="correct the config",
        )


def build_mtp(sizes: Sizes, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """The multi-token-prediction modules: one more layer each, a 2h × h projection, three norms, the shared head."""
    n_modules = sizes.whole(sizes.facts.mtp, least=0)
    if not n_modules:
        return ()
    if n_modules > sizes.n_layers:
        where = sizes.pool.place("num_nextn_predict_layers")
        raise ConfigError("more prediction modules than layers", where=where, got=str(n_modules), expected="fewer")
    h = sizes.whole("h")
    module = Layer(
        ops=(
            Matmul(component="other", name="mtp.projection", d_in=2 * h, d_out=h),
            *layers[-1].ops,
            Weights(component="other", name="mtp.norms", n=3 * sizes.whole(sizes.facts.norm_weights, MODEL, least=0)),
            Matmul(component="lm_head", name="head", d_in=h, d_out=sizes.whole("V"), owned=False),
        )
    )
    return (module,) * n_modules
