"""A model as a list of what it holds and what runs: matmuls, attention scores, plain weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from peakwise.core.errors import ConfigError
from peakwise.core.flow import Flow
from peakwise.core.scan import Scan

Component = Literal[
    "attn_proj", "attn_scores", "mlp", "experts", "router", "ssm", "conv", "lm_head", "embedding", "other"
]
COMPONENTS: tuple[Component, ...] = (
    "attn_proj",
    "attn_scores",
    "mlp",
    "experts",
    "router",
    "ssm",
    "conv",
    "lm_head",
    "embedding",
    "other",
)

# What an operation repeats over: `token` (text; of an encoder-decoder the decoder's), `encoder` (its encoder's text),
# `sequence` (once a sample), or the name of one of the model's streams.
Over = str
Origin = Literal["text", "encoder", "image", "mel"]


def _positive(what: str, **sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise ConfigError(
                f"{name} of {what} must be positive", where=what, got=str(size), expected="a whole number of at least 1"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Which keys a query may see: earlier ones (causal), and of these a window or its own chunk.

    `window` W counts W keys, the token itself included; `chunk` c cuts the sequence into blocks of c. Where `causal` is
    false a window lets |i - j| <= W see each other. `dims`: chunks cut each side of a
    square (2 for an image's patches).
    """

    causal: bool = True
    window: int | None = None
    chunk: int | None = None
    dims: int = 1

    def __post_init__(self) -> None:
        if self.window is not None:
            _positive("the attention mask", window=self.window)
        if self.chunk is not None:
            _positive("the attention mask", chunk=self.chunk)


class Step(NamedTuple):
    """One convolution or pooling on the way to a stream's positions, the same along each dimension."""

    kernel: int
    stride: int
    padding: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Positions that some operations repeat over: image patches, audio frames, merged patches.

    **Formula** the workload's size of `origin` goes through `steps`, (n + 2·padding − kernel) // stride + 1 each; the
    result to the power `dims` (2 for an image), divided by `merge`, plus `extra` (class tokens, registers).
    `fixed` replaces all of it where the model always has that many. `multiple`: the size must divide by it;
    `most`: more positions than that the model has no place for. `across`: every sample meets every one of the batch,
    where the workload has the part `across` too (the similarities of image and text). `also`: what else takes positions
    in it, each with its own (attention over image and text together).
    """

    name: str
    origin: Origin
    steps: tuple[Step, ...] = ()
    dims: int = 1
    merge: int = 1
    extra: int = 0
    fixed: int | None = None
    multiple: int = 1
    most: int | None = None
    across: Origin | None = None
    also: tuple[Over, ...] = ()

    def __post_init__(self) -> None:
        _positive(f"the stream {self.name}", dims=self.dims, merge=self.merge, multiple=self.multiple)
        for step in self.steps:
            _positive(f"the stream {self.name}", kernel=step.kernel, stride=step.stride)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matmul:
    """One weight matrix (or `stored` alike, of which one token meets `used`), d_in × d_out.

    `groups` cuts the matrix into a block diagonal. `bias` counts bias weights of one copy. `owned` is
    false where the weights live elsewhere (a tied head, a layer that shares its block): the FLOPs count,
    the weights do not. `over` says what it repeats over. `input_grad` is false where the input is data (pixels).
    """

    component: Component
    name: str
    d_in: int
    d_out: int
    bias: int = 0
    stored: int = 1
    used: int = 1
    groups: int = 1
    owned: bool = True
    over: Over = "token"
    input_grad: bool = True

    def __post_init__(self) -> None:
        _positive(self.name, d_in=self.d_in, d_out=self.d_out, stored=self.stored, used=self.used, groups=self.groups)
        if self.used > self.stored:
            raise ConfigError(
                "more experts per token than there are experts",
                where=self.name,
                got=f"{self.used} of {self.stored}",
                expected="at most as many as there are",
            )
        if (self.d_in % self.groups) or (self.d_out % self.groups):
            raise ConfigError(
                "groups must divide both widths",
                where=self.name,
                got=f"{self.d_in} × {self.d_out} in {self.groups} groups",
                expected="widths that are multiples of the groups",
            )

    @property
    def matrix_weights(self) -> int:
        """Weights of one copy of the matrix, bias left out."""
        return self.d_in * self.d_out // self.groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The two products of softmax attention: n_heads × (d_qk + d_v) multiply-adds per visible pair.

    `queries` and `keys` name what they run over; where the two differ, every query sees every key.
    """

    n_heads: int
    d_qk: int
    d_v: int
    mask: Mask
    name: str = "scores"
    queries: Over = "token"
    keys: Over = "token"

    def __post_init__(self) -> None:
        _positive("attention scores", n_heads=self.n_heads, d_qk=self.d_qk, d_v=self.d_v)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights that no matmul multiplies: a lookup table, norms, sinks, lone biases."""

    component: Component
    name: str
    n: int

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ConfigError("a count of weights is negative", where=self.name, got=str(self.n), expected="0 or more")


Op = Matmul | Scores | Scan | Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One block of the stack: its operations in order."""

    ops: tuple[Op, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The model's nominal sizes, as its config says them; the older closed forms are written in these.

    `d_qk`, `d_v`: width of a query–key and of a value head (alike but for latent attention). `d_ff`: the dense
    feed-forward's inner width as the config names it, in layers or not (the
    expert's where it names none). `n_moe_layers` layers hold `n_experts` experts of width `d_expert`, `top_k` a
    token, and shared ones of `d_shared` in all. `n_position_weights`: a learned position table.
    `windows`: one entry a layer, the keys a query may see at most, None where it sees all. `n_scan_layers` layers mix
    their tokens by a recurrence or a short convolution; a model of these alone has no heads (`n_heads` 0).
    """

    d_model: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_qk: int
    d_v: int
    d_ff: int
    gated: bool
    vocab_size: int
    latent_attention: bool = False
    n_experts: int = 0
    top_k: int = 0
    d_expert: int = 0
    d_shared: int = 0
    n_moe_layers: int = 0
    n_position_weights: int = 0
    windows: tuple[int | None, ...] = ()
    n_scan_layers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model to count: its layers one by one, and what stands outside them.

    `layers`: every layer in order (alike layers may be the same object). `outside`: embedding, final norm, head.
    `mtp`: multi-token-prediction modules, never in `n_params` and only counted on request.
    `streams`: what its operations repeat over beside text. `asks`: the parts of a workload without which nothing of it
    runs (`text` for a decoder, `encoder` and `text` for an encoder-decoder, `image` for a vision model); empty for a
    composite, of which any part runs alone.
    `flow`: how values pass through a block, which decides what a frozen weight costs.
    `defaults_used`, `assumed_like`, `unread`: what the reader took from class defaults, from `--like`, or passed over.
    """

    id: str
    name: str
    model_type: str
    shape: Shape
    layers: tuple[Layer, ...]
    outside: tuple[Op, ...]
    tied: bool
    mtp: tuple[Layer, ...] = ()
    streams: tuple[Stream, ...] = ()
    asks: tuple[Origin, ...] = ("text",)
    flow: Flow = field(default_factory=Flow)
    defaults_used: tuple[str, ...] = field(default=())
    assumed_like: str = ""
    unread: tuple[str, ...] = field(default=())

    @property
    def is_text_decoder(self) -> bool:
        """Is it a decoder over text alone? The rules that people print were made for those."""
        return self.asks == ("text",) and not self.streams and not self.looks_ahead

    @property
    def has_scan(self) -> bool:
        """Does a layer hold a recurrence or a short convolution, whose FLOPs the workload's `ssm_rule` defines?"""
        ops = [op for layer in {id(layer): layer for layer in self.layers}.values() for op in layer.ops]
        return any(isinstance(op, Scan) for op in ops)

    @property
    def looks_ahead(self) -> bool:
        """Does a query see later keys somewhere in it (an encoder, a tower, cross-attention)?"""
        ops = [op for layer in {id(layer): layer for layer in self.layers}.values() for op in layer.ops]
        return any(
            isinstance(op, Scores) and (not op.mask.causal or op.queries != op.keys) for op in (*ops, *self.outside)
        )

    def __post_init__(self) -> None:
        if not self.layers:
            raise ConfigError("the model has no layers", where=self.id, got="0 layers", expected="at least one")
