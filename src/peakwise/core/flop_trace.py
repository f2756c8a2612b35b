"""What a traced module did: FLOPs by pass, by module and by operator, and what could not be counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from peakwise.core.drawn import drawn
from peakwise.core.errors import Json

# `fake`: tensors that are shapes, types and devices alone. `real`: a copy was computed.
Ran = Literal["fake", "real"]
TracedAttention = Literal["full", "causal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedPart:
    """FLOPs of one module, its children's included, or of one operator. `calls`: of an operator, in all passes."""

    name: str
    forward: int
    backward: int
    recompute: int = 0
    calls: int = 0

    def to_dict(self) -> Json:
        """The entry of the document."""
        return {
            "name": self.name,
            "forward": self.forward,
            "backward": self.backward,
            "recompute": self.recompute,
            "calls": self.calls,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncounted:
    """A heavy operator that ran and that no formula counts: how often. Its share of the time is unknown."""

    op: str
    calls: int
    why: str

    def to_dict(self) -> Json:
        """The entry of the document."""
        return {"op": self.op, "calls": self.calls, "why": self.why, "share_of_time": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlopTrace:
    """FLOPs of one forward and backward of a module, as its operators did them.

    `forward` and `backward` are model FLOPs; `recompute` is what ran a second time: checkpointed forwards, and the
    scores that a fused attention kernel computes again in its backward. `ran` says on what it was traced.
    """

    module: str
    attention: TracedAttention
    ran: Ran
    forward: int
    backward: int
    recompute: int
    modules: tuple[TracedPart, ...]
    ops: tuple[TracedPart, ...]
    uncounted: tuple[Uncounted, ...]
    notes: tuple[str, ...]
    version: str
    draw: Callable[[Any, Any], str] | None = field(default=None, compare=False, repr=False)

    @property
    def model(self) -> int:
        """Model FLOPs: forward + backward."""
        return self.forward + self.backward

    @property
    def hardware(self) -> int:
        """Hardware FLOPs: model + recompute."""
        return self.model + self.recompute

    @property
    def is_complete(self) -> bool:
        """Whether every heavy operator was counted; otherwise the totals are a lower bound."""
        return not self.uncounted

    def to_dict(self) -> Json:
        """The document `peakwise.trace/1`."""
        return {
            "schema": "peakwise.trace/1",
            "version": self.version,
            "module": self.module,
            "attention": self.attention,
            "ran": self.ran,
            "flop": {
                "forward": self.forward,
                "backward": self.backward,
                "model": self.model,
                "recompute": self.recompute,
                "hardware": self.hardware,
            },
            "complete": self.is_complete,
            "modules": [part.to_dict() for part in self.modules],
            "ops": [part.to_dict() for part in self.ops],
            "uncounted": [one.to_dict() for one in self.uncounted],
            "notes": list(self.notes),
        }

    def to_markdown(self) -> str:
        """The trace as Markdown."""
        return drawn(self, "markdown")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheck:
    """The ledger beside a trace of the same model by the framework, both with full attention.

    `library_forward`, `library_backward`: what the library's code of a recurrence is known to do apart from the model's
    work (systems that it solves; gradients that its first and last chunk need not), 0 without recurrences. `seconds`:
    CPU time that building and tracing the model took.
    """

    ledger_forward: int
    ledger_backward: int
    trace: FlopTrace
    seconds: float
    library_forward: int = 0
    library_backward: int = 0

    @property
    def difference_forward(self) -> int:
        """Ledger + library − trace, FLOPs of the forward pass."""
        return self.ledger_forward + self.library_forward - self.trace.forward

    @property
    def difference_backward(self) -> int:
        """Ledger + library − trace, FLOPs of the backward pass."""
        return self.ledger_backward + self.library_backward - self.trace.backward

    @property
    def agrees(self) -> bool:
        """Whether both passes are equal to the integer and nothing went uncounted."""
        return not self.difference_forward and not self.difference_backward and self.trace.is_complete

    def to_dict(self) -> Json:
        """The `trace` of the count document."""
        return {
            "attention": self.trace.attention,
            "ran": self.trace.ran,
            "ledger": {"forward": self.ledger_forward, "backward": self.ledger_backward},
            "library": {"forward": self.library_forward, "backward": self.library_backward},
            "trace": {"forward": self.trace.forward, "backward": self.trace.backward},
            "difference": {"forward": self.difference_forward, "backward": self.difference_backward},
            "uncounted": [one.to_dict() for one in self.trace.uncounted],
            "seconds": self.seconds,
        }
