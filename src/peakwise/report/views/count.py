"""A count on paper: the FLOPs of one token, by component, and by every other rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from peakwise.core.count import ComponentFlop, Count, Rule
from peakwise.core.units import to_percent
from peakwise.report.blocks import (
    Block,
    Column,
    Document,
    Gap,
    Hero,
    Over,
    Row,
    Sentence,
    Table,
    Title,
    Warned,
)
from peakwise.report.figures import UNKNOWN, counted, figure, gflop, percent
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

if TYPE_CHECKING:  # only documents in slots have one
    from peakwise.core.arrangement import Arrangement

ASIDE = 30  # the column where the exact figure begins


def describe(count: Count) -> Document:
    """The document of a count."""
    blocks: list[Block] = [
        Title(f"{count.model.name} · {_work(count)}", f"{count.model.name} · {_short_work(count)}"),
        Gap(),
        _hero(count),
        *_trained(count),
        *_lengths(count),
        *_hardware(count),
        Gap(),
        _components(count),
        *_traced(count),
        Gap(),
        *_other_rules(count),
    ]
    return Document(
        title=f"{count.model.name}: work {'per token' if count.workload.tokens else 'in all'}",
        blocks=tuple(blocks),
        warned=tuple(Warned(finding) for finding in count.warnings),
        footer=f"`{count.convention}` · Peakwise {count.version}",
    )


def render(count: Count, form: Shape = "text", paper: Paper | None = None) -> str:
    """The count in one form."""
    return draw(describe(count), form, paper)


def _work(count: Count) -> str:
    work = count.workload
    if work.encoder_len or work.image or work.mel:
        return f"{counted(work.n_sequences, 'sample', 'samples')} of {_sizes(count)} · {_how(count)}"
    tokens = figure(work.tokens if work.lengths else work.seq_len, 0)
    noun = ("document", "documents") if work.lengths else ("sequence", "sequences")
    total = " in all" if work.lengths and work.n_sequences > 1 else ""
    return f"{counted(work.n_sequences, *noun)} of {tokens} tokens{total} · {_how(count)}"


def _how(count: Count) -> str:
    """The pass and the pairs that are counted."""
    work = count.workload
    own_masks = work.attention == "causal" and count.model.looks_ahead
    parts = [
        "training" if count.ledger.trains else "forward only",
        "each part's own mask" if own_masks else f"{work.attention} attention",
        *([f"scans by the {work.ssm_rule} rule"] if count.model.has_scan else []),
        *(["MTP modules in"] if work.mtp else []),
    ]
    return ", ".join(parts)


def _sizes(count: Count) -> str:
    """The parts of one sample: `512 encoder and 128 decoder tokens`, `an image of 224 × 224 pixels`."""
    work = count.workload
    decodes = work.encoder_len is not None or work.mel is not None
    parts = [
        f"{figure(work.encoder_len, 0)} encoder tokens" if work.encoder_len else "",
        f"{figure(work.mel, 0)} mel frames" if work.mel else "",
        f"an image of {figure(work.image, 0)} × {figure(work.image, 0)} pixels" if work.image else "",
        f"{figure(work.seq_len, 0)} {'decoder ' if decodes else ''}tokens" if work.seq_len else "",
    ]
    return " and ".join(part for part in parts if part)


def _short_work(count: Count) -> str:
    work = count.workload
    how = "each part's own mask" if work.attention == "causal" and count.model.looks_ahead else work.attention
    if work.encoder_len or work.image or work.mel:
        return f"{_sizes(count)} · {'training' if count.ledger.trains else 'forward'}, {how}"
    scans = f", {work.ssm_rule} scans" if count.model.has_scan else ""
    return f"{figure(work.tokens, 0)} tokens · {'training' if count.ledger.trains else 'forward'}, {how}{scans}"


def _hero(count: Count) -> Hero:
    per_token = count.flop_per_token
    if per_token is None:
        text, aside = f"{gflop(count.ledger.model)} GFLOP in all", f"{figure(count.ledger.model, 0)} exactly"
        gap = max(3, ASIDE - 2 - len(text))
        return Hero(text, aside, gap=gap, about=f"{count.model.name}, {_work(count)}, {aside}")
    text = f"{gflop(per_token)} GFLOP per token"
    if count.convention != "exact":
        aside = f"{figure(per_token, 0)} by the rule {count.convention}"
    elif per_token == int(per_token):
        aside = f"{figure(int(per_token), 0)} exactly"
    else:
        aside = f"{figure(count.ledger.model, 0)} exactly for the {figure(count.workload.tokens, 0)} tokens"
    gap = max(3, ASIDE - 2 - len(text))
    return Hero(text, aside, gap=gap, about=f"{count.model.name}, {_work(count)}, {aside}")


def _trained(count: Count) -> list[Block]:
    if count.workload.train.kind == "full" or not count.ledger.trains:
        return []
    return [Sentence(f"{figure(count.ledger.n_trainable, 0)} weights train ({count.workload.train.text()})", indent=2)]


def _lengths(count: Count) -> list[Block]:
    """Useful, processed and trained tokens, and where the lengths are from."""
    work = count.workload
    lines: list[str] = []
    if work.quantiles is not None:
        points = ", ".join(f"p{to_percent(at):.10g} {figure(length, 0)}" for at, length in work.quantiles.points)
        lines.append(f"lengths assumed from {points}: flat outside them")
    if work.arranged is not None:
        lines.append(_slots(work.arranged))
    if work.tokens_trained is not None:
        share = percent(work.tokens_trained / work.tokens)
        digits = 0 if isinstance(work.tokens_trained, int) else 1
        lines.append(f"{figure(work.tokens_trained, digits)} trained tokens, {share} of the useful ones")
    return [Sentence(line, indent=2) for line in lines]


def _slots(arranged: Arrangement) -> str:
    useful = f"{figure(arranged.tokens, 0)} useful tokens of {figure(arranged.slots, 0)} processed"
    pairs = f"{percent(arranged.attention_ratio)} of the squared lengths"
    return f"{useful}: {percent(arranged.useful)} of the tokens, {pairs} ({_layout(arranged)})"


def _layout(arranged: Arrangement) -> str:
    size = figure(arranged.size, 0)
    match arranged.policy:
        case "max":
            return f"each padded to {size}"
        case "longest":
            return f"batches of {size} in their order, padded to the longest"
        case "grouped":
            return f"batches of {size} after sorting, padded to the longest"
        case "pack":
            return f"{counted(arranged.bins, 'pack', 'packs')} of {size}, run as one sequence each"
        case "varlen":
            return "no padding"
        case _ as unknown:
            assert_never(unknown)


def _hardware(count: Count) -> list[Block]:
    """What the hardware does beside the model's work: recompute, and padding."""
    ledger = count.ledger
    parts = [
        *([f"recompute ({count.workload.recompute.words()})"] if ledger.recompute else []),
        *([f"padding ({gflop(ledger.padding / _share_of(count))})"] if ledger.padding else []),
    ]
    if not parts:
        return []
    per = " per useful token" if ledger.padding else ""
    hardware = gflop(ledger.hardware / _share_of(count))
    return [Sentence(f"{hardware} GFLOP{per} with {' and '.join(parts)}: that gives HFU, never MFU", indent=2)]


# The table of components

_COMPONENTS = (
    Column("component", width=11),
    Column("weights", width=18, from_width=72),
    Column("forward", width=10),
    Column("backward", width=10),
    Column("both", width=9),
    Column("share", width=9, from_width=62),
    Column("what it is", words=True, from_width=100),
)


def _components(count: Count) -> Table:
    parts = list(count.components.values())
    tokens = _share_of(count)
    whole = count.ledger.model
    rows = [
        Row(
            (
                part.name,
                figure(part.weights, 0),
                *_passes(part.forward, part.backward, tokens),
                _share(part.forward + part.backward, whole),
                _what_it_is(count, part),
            )
        )
        for part in parts
    ]
    total = Row(
        (
            "all",
            figure(sum(part.weights for part in parts), 0),
            *_passes(count.ledger.forward, count.ledger.backward, tokens),
            _share(whole, whole),
            "",
        ),
        style="bold",
    )
    per = "GFLOP per token" if count.workload.tokens else "GFLOP in all"
    return Table(_COMPONENTS, (*rows, total), over=Over(per, 2, 4))


def _share_of(count: Count) -> int:
    """What figures are per: a token, or the whole work where there is no text."""
    return count.workload.tokens or 1


def _passes(forward: int, backward: int, tokens: int) -> tuple[str, str, str]:
    return gflop(forward / tokens), gflop(backward / tokens), gflop((forward + backward) / tokens)


def _share(part: int, whole: int) -> str:
    return percent(part / whole if whole else None)


def _what_it_is(count: Count, part: ComponentFlop) -> str:
    """A few words on a component, from the ledger's own names and the model's shape."""
    shape = count.model.shape
    match part.name:
        case "attn_scores":
            return f"the two products over {'visible' if count.workload.attention == 'causal' else 'all'} pairs"
        case "lm_head":
            return "tied" if count.model.tied else "untied"
        case "embedding" if not part.forward:
            return "a lookup, no FLOPs"
        case "other" if not part.forward:
            return "norms, left out of the count"
        case "experts" if shape.n_experts:
            return f"{_names(count, part.name)}; {shape.top_k} of {shape.n_experts} a token"
        case _:
            return _names(count, part.name)


def _names(count: Count, component: str) -> str:
    """`q, k, v, o of 32 layers`: what the component's terms are called, and the layers of the commonest."""
    layers: dict[str, int] = {}
    for term in count.ledger:
        if term.component == component and (term.is_matmul or not term.plain_weights):
            layers[term.name] = layers.get(term.name, 0) + term.layers
    if not layers:
        return ""
    words = dict.fromkeys(
        name.rpartition(".")[2] for name in layers
    )  # routed and shared experts have the same matrices
    return f"{', '.join(words)} of {_layers(max(layers.values()))}"


def _layers(number: int) -> str:
    return f"{number} layer" if number == 1 else f"{number} layers"


# The table of rules

_RULES = (
    Column("rule", width=24),
    Column("GFLOP", width=7),
    Column("ratio", width=8),
    Column("what it counts", words=True),
)


def _traced(count: Count) -> list[Block]:
    if count.trace is None:
        return []
    from peakwise.report.views.trace import compare

    return compare(count.trace, count.workload.attention)


def _other_rules(count: Count) -> list[Block]:
    if not count.workload.tokens:
        return [Sentence("The rules are per token, and this work has no text tokens", "dim")]
    return [Sentence("The same work under other rules", "dim"), Gap(), _rules(count)]


def _rules(count: Count) -> Table:
    exact = count.under("exact").flop_per_token
    listed = [rule for rule in count.rules if rule.listed or rule.id == count.convention]
    model = ordered(tuple(rule for rule in listed if rule.kind == "model"))
    hardware = ordered(tuple(rule for rule in listed if rule.kind == "hardware"))
    rows = [_rule(rule, exact) for rule in model]
    if hardware:
        rows += [Row(), Row(span="with recompute: these give HFU, never MFU", style="dim")]
        rows += [_rule(rule, exact) for rule in hardware]
    return Table(_RULES, tuple(rows))


def ordered(rules: tuple[Rule, ...]) -> list[Rule]:
    """Rules in the order they are printed: `exact`, then ascending, then those that do not apply."""
    exact = [rule for rule in rules if rule.id == "exact"]
    others = [rule for rule in rules if rule.id != "exact"]
    known = [(rule.flop_per_token, rule) for rule in others if rule.flop_per_token is not None]
    known.sort(key=lambda pair: pair[0])
    return [*exact, *(rule for _, rule in known), *(rule for rule in others if rule.flop_per_token is None)]


def _rule(rule: Rule, exact: float | None) -> Row:
    if rule.flop_per_token is None:
        return Row((rule.id, UNKNOWN, UNKNOWN, rule.why_not))
    ratio = figure(rule.flop_per_token / exact, 2) if exact else UNKNOWN
    return Row((rule.id, gflop(rule.flop_per_token), ratio, rule.text))
