"""The sizes that a person would type for a model, where the fields for shapes can say all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from peakwise.calculators.shape import Sizes, build_model
from peakwise.calculators.shape_faults import find_faults, find_lacking
from peakwise.core.model import Layer, Matmul, Model, Op, Scores


def find_sizes(model: Model) -> Sizes | None:
    """The sizes of a model; None where a model of these sizes would not do the same work with as many matrices.

    **Counts / leaves out** norms and biases have no size and are not compared; neither is the order of the layers.
    """
    if not model.is_text_decoder:
        return None
    sizes = _read(model)
    if sizes is None or find_faults(sizes) or find_lacking(sizes, frozenset()):
        return None
    if _signature(build_model(sizes)) != _signature(model):
        return None
    return sizes


def _signature(model: Model) -> Counter[tuple[object, ...]]:
    """How often each kind of work stands in the model, by its size and not by its name."""
    found: Counter[tuple[object, ...]] = Counter()
    layers = {id(layer): layer for layer in model.layers}
    for key, times in Counter(id(layer) for layer in model.layers).items():
        for op in layers[key].ops:
            found[_kind(op)] += times
    for place, ops in (("outside", model.outside), *(("mtp", module.ops) for module in model.mtp)):
        found.update((place, *_kind(op)) for op in ops)
    return Counter({kind: times for kind, times in found.items() if "weights" not in kind})


def _kind(op: Op) -> tuple[object, ...]:
    if isinstance(op, Matmul):
        return ("matmul", op.component, op.matrix_weights, op.stored, op.used, op.groups, op.owned, op.over)
    if isinstance(op, Scores):
        return ("scores", op.n_heads * op.d_qk, op.n_heads * op.d_v, op.mask)
    return ("weights",)


def _read(model: Model) -> Sizes | None:
    """The sizes by the names that linears have; a wrong guess is found by the comparison that follows."""
    linears = {op.name: op for layer in _distinct(model) for op in layer.ops if isinstance(op, Matmul)}
    cores = [op for layer in model.layers for op in layer.ops if isinstance(op, Scores)]
    head = next((op for op in model.outside if isinstance(op, Matmul) and op.component == "lm_head"), None)
    if not cores or head is None or not {"o"} <= set(linears):
        return None
    sizes = Sizes(
        n_layers=len(model.layers),
        d_model=head.d_in,
        vocab_size=head.d_out,
        tied=model.tied,
        n_mtp_modules=len(model.mtp),
    )
    return _with_window(_with_feed_forward(_with_attention(sizes, linears, cores[0]), linears, model), cores)


def _distinct(model: Model) -> Iterator[Layer]:
    yield from {id(layer): layer for layer in model.layers}.values()


def _with_attention(sizes: Sizes, linears: dict[str, Matmul], core: Scores) -> Sizes:
    if "kv_a" in linears and "kv_b" in linears:
        rank = linears["kv_b"].d_in
        rope = linears["kv_a"].d_out - rank
        return sizes._replace(
            n_heads=core.n_heads,
            q_lora_rank=linears["q_a"].d_out if "q_a" in linears else None,
            kv_lora_rank=rank,
            d_qk_nope=core.d_qk - rope,
            d_qk_rope=rope,
            d_v=core.d_v,
        )
    return sizes._replace(
        d_q=core.n_heads * core.d_qk,
        d_kv=linears["k"].d_out if "k" in linears else None,
    )


def _with_feed_forward(sizes: Sizes, linears: dict[str, Matmul], model: Model) -> Sizes:
    down = linears.get("down")
    expert, shared = linears.get("experts.down"), linears.get("shared.down")
    gated = "gate" in linears or "experts.gate" in linears
    sizes = sizes._replace(d_ff=None if down is None else down.d_in, ffn_matrices=3 if gated else 2)
    if expert is None:
        return sizes
    holds = [any(isinstance(op, Matmul) and op.name == expert.name for op in layer.ops) for layer in model.layers]
    latent = linears.get("latent_down")
    return sizes._replace(
        n_experts=expert.stored,
        top_k=expert.used,
        n_shared_experts=0 if shared is None else shared.d_in // expert.d_in,
        d_expert=expert.d_in,
        d_latent=None if latent is None else latent.d_out,
        n_moe_layers=sum(holds),
    )


def _with_window(sizes: Sizes, cores: list[Scores]) -> Sizes:
    windows = [core.mask.window for core in cores]
    window = next((size for size in windows if size is not None), None)
    if window is None:
        return sizes
    n_global = windows.count(None)
    return sizes._replace(window=window, global_every=len(windows) // n_global if n_global else None)
