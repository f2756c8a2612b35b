"""The table of counting rules: id, kind, what it counts, where it applies, and the function that gives its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from peakwise.core.count import Rule
from peakwise.core.model import Shape
from peakwise.counting.conventions import closed_form, exact, full_square, half_square, megatron, per_parameter
from peakwise.counting.conventions.subject import Subject

# What a rule is for a forward pass alone: the whole figure is three forwards, or it was written for training.
Forward = Literal["third", "none"]
Excuse = Callable[[Shape], str]

GPT_NOTE = "made for GPT shapes: full heads and a plain 4h MLP"

# The rules that are sums over the ledger itself: they hold for every kind of model.
EVERY_MODEL = ("exact", "full")
NO_TEXT = "no text tokens"
# The rules that count weights alone hold for a recurrence too, which has few FLOPs of its own.
PER_WEIGHT = ("6n", "6n_active", "hf_trainer")
NO_SCAN = "has no term for a recurrence or a short convolution"


def _always(shape: Shape) -> str:
    del shape
    return ""


def _no_latent(shape: Shape) -> str:
    return "has no term for latent attention" if shape.latent_attention else ""


def _latent_only(shape: Shape) -> str:
    return "" if shape.latent_attention else "made for latent attention"


def _one_width(shape: Shape) -> str:
    if shape.n_experts and shape.d_expert != shape.d_ff:
        return "has one feed-forward width, the experts have their own"
    return _no_latent(shape)


def _not_gpt(shape: Shape) -> bool:
    plain_heads = shape.n_kv_heads == shape.n_heads and shape.n_heads * shape.d_qk == shape.d_model
    return not plain_heads or shape.gated or shape.d_ff != 4 * shape.d_model or shape.n_experts > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """One counting rule. `excuse` says why it does not apply to a shape, or gives an empty text.

    `listed` is false for rules of one producer's logs alone, which no list of rules shows unasked.
    """

    id: str
    kind: Literal["model", "hardware"]
    text: str
    flop_per_token: Callable[[Subject], float]
    forward: Forward = "third"
    excuse: Excuse = _always
    gpt_only: bool = False
    listed: bool = True
    short: str = ""


CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        id="exact", kind="model", text="visible pairs, router and head in, lookup out", flop_per_token=exact.exact
    ),
    Convention(
        id="full",
        kind="model",
        text="as exact, every query sees every key, windows ignored (what the framework's counter reports)",
        flop_per_token=exact.full,
    ),
    Convention(
        id="6n",
        kind="model",
        text="6 per parameter, all experts, embedding in",
        flop_per_token=per_parameter.six_n,
    ),
    Convention(
        id="6n_active",
        kind="model",
        text="6 per active parameter, embedding in",
        flop_per_token=per_parameter.six_n_active,
    ),
    Convention(
        id="kaplan",
        kind="model",
        text="6 N non-embedding + 6 L S d_attn, logits left out",
        flop_per_token=per_parameter.kaplan,
    ),
    Convention(
        id="hf_trainer",
        kind="model",
        text="6 per non-embedding parameter, all experts, tied head dropped",
        flop_per_token=per_parameter.hf_trainer,
    ),
    Convention(
        id="chinchilla",
        kind="model",
        text="embedding as matmul, full attention, softmax counted",
        flop_per_token=closed_form.chinchilla,
    ),
    Convention(id="palm", kind="model", text="6 N active with embedding + 12 L H Q T", flop_per_token=closed_form.palm),
    Convention(
        id="nanogpt",
        kind="model",
        text="6 (N all - positions) + 12 L H (h/H) T",
        flop_per_token=closed_form.nanogpt,
    ),
    Convention(
        id="torchtitan",
        kind="model",
        text="6 (N active - embedding) + 6 L H (d_qk + d_v) T",
        short="6 (N − embedding) + full attention",
        flop_per_token=full_square.torchtitan,
    ),
    Convention(
        id="nanochat",
        kind="model",
        text="6 N matmul + 12 L h min(W, T)",
        flop_per_token=full_square.nanochat,
        excuse=_no_latent,
    ),
    Convention(
        id="olmo_core",
        kind="model",
        text="6 per parameter with norms + 12 H d min(W, T)",
        flop_per_token=full_square.olmo_core,
        excuse=_no_latent,
    ),
    Convention(
        id="megatron_2021",
        kind="model",
        text="72 L h^2 (1 + s/6h + V/12Lh): made for GPT (MHA, 4h MLP); elsewhere printed with that note",
        flop_per_token=closed_form.megatron_2021,
        gpt_only=True,
    ),
    Convention(
        id="megatron_2021_recompute",
        kind="hardware",
        text="96 L h^2 (1 + s/6h + V/16Lh): full recompute included",
        flop_per_token=closed_form.megatron_2021_recompute,
        forward="none",
        gpt_only=True,
    ),
    Convention(
        id="korthikanti_selective",
        kind="hardware",
        text="72 L h^2 (1 + s/3h + V/12Lh): selective recompute included",
        flop_per_token=closed_form.korthikanti_selective,
        forward="none",
        gpt_only=True,
    ),
    Convention(
        id="megatron@2025-03",
        kind="model",
        text="S/2 keys per query, windows ignored, router out, padded vocabulary",
        flop_per_token=half_square.megatron_2025_03,
    ),
    Convention(
        id="megatron_bridge",
        kind="model",
        text="S/2 keys, windows honoured, router out",
        flop_per_token=half_square.megatron_bridge,
    ),
    Convention(
        id="maxtext",
        kind="model",
        text="S/2 keys, T W - W^2/2 in windows, router in",
        flop_per_token=half_square.maxtext,
    ),
    Convention(
        id="deepseek",
        kind="model",
        text="S/2 keys, router out, MTP out (the 250 GFLOP/token of its report)",
        flop_per_token=half_square.megatron_2025_03,
        excuse=_latent_only,
    ),
    Convention(
        id="verl",
        kind="model",
        text="S/2 keys, W/2 in windows, embedding as matmul",
        flop_per_token=half_square.verl,
    ),
    Convention(
        id="mosaicml",
        kind="model",
        text="6 N active with embedding + 12 L d_model S",
        flop_per_token=closed_form.mosaicml,
    ),
    Convention(
        id="litgpt",
        kind="model",
        text="6 N all + 20 L d_model S",
        flop_per_token=closed_form.litgpt,
        forward="none",
    ),
    Convention(
        id="llama_factory",
        kind="model",
        text="dense FFN only, h/H heads, full attention",
        flop_per_token=full_square.llama_factory,
    ),
    Convention(
        id="eleutherai",
        kind="hardware",
        text="x4 with full recompute, head forward only, full attention",
        flop_per_token=full_square.eleutherai,
        forward="none",
        excuse=_one_width,
    ),
    Convention(
        id="megatron@2023-11",
        kind="model",
        text="every key per query, gate and top-k experts in, router out, padded vocabulary",
        flop_per_token=megatron.megatron_2023_11,
        listed=False,
    ),
    Convention(
        id="megatron@2023-11-4h",
        kind="model",
        text="as megatron@2023-11, every MLP a plain 4h one (until 2024-03)",
        flop_per_token=megatron.megatron_2023_11_4h,
        excuse=_no_latent,
        listed=False,
    ),
    Convention(
        id="megatron_deepspeed",
        kind="hardware",
        text="every key per query, recompute as the run has it, k and v dropped for wide groups",
        flop_per_token=megatron.megatron_deepspeed,
        forward="none",
        excuse=_no_latent,
        listed=False,
    ),
    Convention(
        id="megatron_deepspeed@2021",
        kind="hardware",
        text="8 per parameter: full recompute included, attention left out",
        flop_per_token=megatron.megatron_deepspeed_2021,
        forward="none",
        listed=False,
    ),
)


def apply_rules(subject: Subject) -> tuple[Rule, ...]:
    """The figure of every convention for one subject, in the order of the table.

    FLOPs per token of a training step; of the forward pass where the workload is one, for rules that are three
    forwards. A rule that does not apply says why instead of a number.
    """
    return tuple(_apply(convention, subject) for convention in CONVENTIONS)


def _apply(convention: Convention, subject: Subject) -> Rule:
    why_not = _why_not_here(convention, subject) or convention.excuse(subject.shape)
    trains = subject.workload.mode == "train"
    if not why_not and not trains and convention.forward == "none":
        why_not = "written for training"
    figure: float | None = None
    if not why_not:
        figure = convention.flop_per_token(subject)
        if not trains:
            figure = _third(figure)
    note = GPT_NOTE if convention.gpt_only and _not_gpt(subject.shape) else ""
    return Rule(
        id=convention.id,
        kind=convention.kind,
        text=convention.text,
        flop_per_token=figure,
        why_not=why_not,
        note=note,
        short=convention.short,
        listed=convention.listed,
    )


def _third(figure: float) -> float:
    return figure // 3 if isinstance(figure, int) and figure % 3 == 0 else figure / 3


def _why_not_here(convention: Convention, subject: Subject) -> str:
    """Why a rule says nothing of this kind of model or workload; empty where it does."""
    if not subject.workload.tokens:
        return NO_TEXT
    if convention.id not in EVERY_MODEL and not subject.model.is_text_decoder:
        return "made for decoders over text alone"
    if subject.shape.n_scan_layers and convention.id not in (*EVERY_MODEL, *PER_WEIGHT):
        return NO_SCAN
    return ""
