"""One row read over one table of fields: a whole decoder, an encoder, an image tower, or what joins these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from peakwise.core.errors import CatalogError, ConfigError
from peakwise.core.fields import shown
from peakwise.core.model import Layer, Op, Origin, Step, Stream, Weights
from peakwise.facts.heads import Head
from peakwise.facts.model_types import StreamFacts
from peakwise.facts.synonyms import load_synonyms
from peakwise.readers.configs.agreement import check_agreement
from peakwise.readers.configs.layers import build_extra, build_layers
from peakwise.readers.configs.outside import build_outside, is_tied
from peakwise.readers.configs.pool import Pool
from peakwise.readers.configs.resnet import build_resnet
from peakwise.readers.configs.sizes import MODEL, Sizes
from peakwise.readers.configs.stack import Stack

ORIGINS: Mapping[str, Origin] = {"text": "text", "encoder": "encoder", "image": "image", "mel": "mel"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower:
    """What one row gives: its layers, what stands outside them, and the streams they repeat over."""

    sizes: Sizes
    layers: tuple[Layer, ...]
    outside: tuple[Op, ...]
    streams: tuple[Stream, ...]
    tied: bool


def open_tower(pool: Pool, head: Head | None, named: Mapping[str, Sizes] | None = None) -> Sizes:
    """The sizes that a row says of the fields of `pool`. `named`: the sizes of the parts read before it.

    **Raises** ConfigError for a stub, a class whose head is not counted, and what the row refuses.
    """
    _check_needs(pool)
    _check_class(pool, head)
    sizes = Sizes(pool, suffix="" if head is None else head.suffix, named=named)
    for condition, what in pool.facts.refuse.items():
        if sizes.holds(condition):
            raise _not_counted(pool, condition, what)
    check_agreement(sizes)
    return sizes


def build_tower(sizes: Sizes, head: Head | None) -> Tower:
    """The operations of one row. **Raises** ConfigError for what is missing or contradicts itself."""
    pool = sizes.pool
    stack = _STACKS[pool.facts.stack](sizes)
    streams = tuple(build_stream(sizes, stream) for stream in pool.facts.streams)
    outside = stack.outside if pool.facts.stack == "joint" else (*stack.outside, *build_outside(sizes, head))
    return Tower(
        sizes=sizes,
        layers=stack.layers,
        outside=outside,
        streams=(*streams, *stack.streams),
        tied=pool.facts.stack == "layers" and is_tied(sizes, head),
    )


def _layers(sizes: Sizes) -> Stack:
    return Stack(layers=build_layers(sizes))


def _joint(sizes: Sizes) -> Stack:
    """What stands between the parts of a composite: projectors, mergers, similarities."""
    ops = [build_extra(sizes, e, MODEL) for e in sizes.facts.extra if sizes.holds(e.when)]
    return Stack(layers=(), outside=tuple(op for op in ops if not isinstance(op, Weights) or op.n))


# How a row's layers are built, by the word of its `stack`.
_STACKS: Mapping[str, Callable[[Sizes], Stack]] = {"layers": _layers, "joint": _joint, "resnet": build_resnet}


def build_stream(sizes: Sizes, facts: StreamFacts) -> Stream:
    """The stream of a row's formulas. **Raises** CatalogError for an origin that no workload has."""
    where = f"model_types.toml [{sizes.facts.name}] stream {facts.name}"
    if facts.origin not in ORIGINS or (facts.across and facts.across not in ORIGINS):
        got = f"{facts.origin} {facts.across}"
        raise CatalogError("a stream comes from nothing known", where=where, got=got, expected=", ".join(ORIGINS))
    return Stream(
        name=facts.name,
        origin=ORIGINS[facts.origin],
        steps=tuple(_step(sizes, text) for text in facts.steps),
        dims=sizes.whole(facts.dims),
        merge=sizes.whole(facts.merge),
        extra=sizes.whole(facts.extra, least=-1),
        fixed=sizes.whole(facts.fixed) if facts.fixed else None,
        multiple=sizes.whole(facts.multiple),
        most=sizes.whole(facts.most) if facts.most else None,
        across=ORIGINS[facts.across] if facts.across else None,
        also=tuple(facts.also.split()),
    )


def _step(sizes: Sizes, text: str) -> Step:
    kernel, stride, *padding = (word.strip() for word in text.split(","))
    return Step(sizes.whole(kernel), sizes.whole(stride), sizes.whole(padding[0], least=0) if padding else 0)


def _check_class(pool: Pool, head: Head | None) -> None:
    known = pool.facts.suffixes
    if head is None or not known or head.suffix in known:
        return
    raise ConfigError(
        f"the head of this class is not counted for the model type {pool.facts.name}",
        where=f"{pool.path}.architectures[0]",
        got=shown(pool.config.get("architectures")),
        expected=f"a class whose name ends in {', '.join(known)}",
    )


def _check_needs(pool: Pool) -> None:
    for group in pool.facts.needs:
        if any(pool.is_given(field) for field in group):
            continue
        raise ConfigError(
            f"a {pool.facts.name} without any of {', '.join(group)} is a stub; its class defaults would be a guess",
            where=pool.path,
            got="none of them",
            expected=f"the fields that make it a {pool.facts.name}",
            hint="give the full config.json of the model",
        )


def _not_counted(pool: Pool, condition: str, what: str) -> ConfigError:
    known = load_synonyms().kinds.keys() | pool.facts.fields.keys()
    field = next((word for word in condition.split() if word in known), condition)
    return ConfigError(
        f"{field} = {shown(pool.get(field))} adds {what}, which is not counted",
        where=pool.place(field),
        got=shown(pool.get(field)),
        expected=f"a config without {what}",
    )
