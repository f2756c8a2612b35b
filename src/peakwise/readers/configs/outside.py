"""What stands outside the stack: embedding, positions, final norm, head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from peakwise.core.errors import ConfigError
from peakwise.core.fields import as_int, as_list, as_table, as_text
from peakwise.core.model import Matmul, Op, Weights
from peakwise.facts.heads import Head, match_head
from peakwise.readers.configs.layers import build_extra, list_biased
from peakwise.readers.configs.sizes import MODEL, Sizes


def find_head(
    config: Mapping[str, object], heads: Mapping[str, str], path: str = "$", usual: str = "ForCausalLM"
) -> Head | None:
    """The head that the first class of `architectures` says; the type's `usual` one where there is none.

    **Raises** ConfigError for a class whose ending says no known head.
    """
    value = config.get("architectures")
    names = as_list(value, f"{path}.architectures") if value is not None else []
    if not names:
        return match_head(usual)
    name = as_text(names[0], f"{path}.architectures[0]")
    head = match_head(heads.get(name, name))
    if head is None:
        raise ConfigError(
            f"the class {name} says no head that is known",
            where=f"{path}.architectures[0]",
            got=name,
            expected="a name that ends in ForCausalLM, LMHeadModel, ForSequenceClassification or the like",
            hint="correct architectures, or take it out to count the language head",
        )
    return head


def _labels(config: Mapping[str, object], path: str) -> int:
    if config.get("id2label") is not None:
        return max(1, len(as_table(config["id2label"], f"{path}.id2label")))
    if config.get("num_labels") is not None:
        return as_int(config["num_labels"], f"{path}.num_labels", least=1)
    return 2  # transformers: a config without labels has two


def is_tied(sizes: Sizes, head: Head | None) -> bool:
    """Is the head the embedding?"""
    return head is not None and head.outputs == "vocabulary" and bool(sizes.value(sizes.facts.tied))


def _head(sizes: Sizes, head: Head, tied: bool) -> Iterator[Op]:
    if head.outputs == "none":
        return
    if head.outputs == "vocabulary":
        biased = "head" in list_biased(sizes, MODEL)
        vocab_size = sizes.whole("V")
        bias = vocab_size if biased and not tied else 0
        d_in = sizes.whole("emb")
        yield Matmul(component="lm_head", name="head", d_in=d_in, d_out=vocab_size, bias=bias, owned=not tied)
        if biased and tied:
            yield Weights(component="lm_head", name="head_bias", n=vocab_size)
        return
    n = head.outputs if isinstance(head.outputs, int) else _labels(sizes.pool.config, sizes.pool.path)
    yield Matmul(
        component="lm_head",
        name="score",
        d_in=sizes.whole("emb"),
        d_out=n,
        bias=n if head.bias or "score" in list_biased(sizes, MODEL) else 0,
        over=head.over if head.over != "token" else sizes.facts.over,
    )


def build_outside(sizes: Sizes, head: Head | None) -> tuple[Op, ...]:
    """Everything that is not in a layer, in the order it runs."""
    h = sizes.whole("h")
    final = sizes.whole(sizes.facts.final_norms, least=0) * sizes.whole(sizes.facts.norm_weights, least=0)
    ops: list[Op] = [
        Weights(component="embedding", name="embedding", n=sizes.whole("V", least=0) * sizes.whole("emb")),
        Weights(component="embedding", name="positions", n=sizes.whole("positions", least=0) * h),
        *(build_extra(sizes, e, MODEL) for e in sizes.facts.extra if e.per == "model" and sizes.holds(e.when)),
        Weights(component="other", name="final_norm", n=final),
    ]
    if head is not None and sizes.facts.head:
        ops += _head(sizes, head, is_tied(sizes, head))
    return tuple(op for op in ops if not isinstance(op, Weights) or op.n)
