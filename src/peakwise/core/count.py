"""What `count` answers: a model's FLOPs under one workload, by component and by every known rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from peakwise.core.drawn import drawn
from peakwise.core.errors import InputError, Json
from peakwise.core.finding import Finding
from peakwise.core.ledger import Ledger
from peakwise.core.model import COMPONENTS, Model
from peakwise.core.quantity import Basis, Quantity
from peakwise.core.workload import Workload

if TYPE_CHECKING:  # only a count with --trace has one
    from peakwise.core.flop_trace import LedgerCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentFlop:
    """FLOPs of one component over the whole workload, and its weights."""

    name: str
    weights: int
    forward: int
    backward: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One counting convention applied to this work.

    `kind`: `model` or `hardware` (recompute included, so it gives HFU, never MFU). `flop_per_token` is None where
    the rule does not apply, and `why_not` says why; `note` says what it was made for where that is something else.
    `short`: its formula in a few words, where `text` is longer than a column.
    `listed`: whether the report shows it; rules of one producer's old logs it leaves out.
    """

    id: str
    kind: Literal["model", "hardware"]
    text: str
    flop_per_token: float | None
    why_not: str = ""
    note: str = ""
    short: str = ""
    listed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameter counts: all; idle routed experts out; weights multiplied per token (router and head in, lookup out)."""

    total: int
    active: int
    matmul: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The FLOPs of a model under a workload.

    `convention` is the rule of `flop_per_token`; the ledger is always `exact`. `trace`: the check that was asked
    for. `draw` is set by the verb.
    """

    model: Model
    workload: Workload
    ledger: Ledger
    parameters: Parameters
    convention: str
    rules: tuple[Rule, ...]
    basis: Basis
    version: str
    warnings: tuple[Finding, ...] = ()
    trace: LedgerCheck | None = None
    draw: Callable[[Any, Any], str] | None = field(default=None, compare=False, repr=False)

    @property
    def flop_per_token(self) -> float | None:
        """FLOPs per text token under `convention`, an int wherever the figure is exact; None where there is no text."""
        return self.under(self.convention).flop_per_token

    @property
    def components(self) -> Mapping[str, ComponentFlop]:
        """FLOPs and weights by component, in the order of the table of components."""
        found = {term.component for term in self.ledger}
        return {name: self._component(name) for name in COMPONENTS if name in found}

    def _component(self, name: str) -> ComponentFlop:
        terms = [term for term in self.ledger if term.component == name]
        backward = sum(term.backward_input + term.backward_weight for term in terms) if self.ledger.trains else 0
        return ComponentFlop(
            name=name,
            weights=sum(term.weights for term in terms),
            forward=sum(term.forward for term in terms),
            backward=backward,
        )

    def under(self, convention: str) -> Rule:
        """The same work under another rule, by id. **Raises** InputError for an unknown id."""
        for rule in self.rules:
            if rule.id == convention:
                return rule
        raise InputError(
            f'unknown convention "{convention}"',
            where="--convention",
            got=convention,
            expected=", ".join(rule.id for rule in self.rules),
            hint="--convention exact",
        )

    def _quantity(self, value: float | None, unit: str) -> Json | None:
        if value is None:
            return None
        source = f"{self.model.name} by the rule {self.convention}"
        return Quantity(value=value, unit=unit, basis=self.basis, source=source).to_dict()

    def _model(self) -> Json:
        return {
            "id": self.model.id,
            "name": self.model.name,
            "model_type": self.model.model_type,
            "n_params": self.parameters.total,
            "n_active_params": self.parameters.active,
            "n_matmul_params": self.parameters.matmul,
            "n_trainable_params": self.ledger.n_trainable,
        }

    def to_dict(self) -> Json:
        """The document `peakwise.count/1`."""
        exact = self.under("exact").flop_per_token
        return {
            "schema": "peakwise.count/1",
            "version": self.version,
            "model": self._model(),
            "workload": self.workload.to_dict(),
            "convention": self.convention,
            "flop": {
                "forward": self.ledger.forward,
                "backward": self.ledger.backward,
                "model": self.ledger.model,
                "recompute": self.ledger.recompute,
                "padding": self.ledger.padding,
                "hardware": self.ledger.hardware,
            },
            "flop_per_token": self._quantity(self.flop_per_token, "FLOP/token"),
            "components": [
                {"name": part.name, "weights": part.weights, "forward": part.forward, "backward": part.backward}
                for part in self.components.values()
            ],
            "conventions": [
                {
                    "name": rule.id,
                    "kind": rule.kind,
                    "flop_per_token": rule.flop_per_token,
                    "ratio_to_exact": _ratio(rule.flop_per_token, exact),
                    "why_not": rule.why_not,
                    "note": rule.note,
                }
                for rule in self.rules
            ],
            "trace": None if self.trace is None else self.trace.to_dict(),
            "warnings": [warning.to_dict() for warning in self.warnings],
        }

    def to_markdown(self) -> str:
        """The count as Markdown."""
        return drawn(self, "markdown")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


def _ratio(value: float | None, exact: float | None) -> float | None:
    return None if value is None or not exact else value / exact
