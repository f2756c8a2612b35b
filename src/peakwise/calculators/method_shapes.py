"""Passes of a model's ledger: what training methods are sums of, by shapes."""

from __future__ import annotations

from typing import NamedTuple, cast

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.counted import count_or_refuse
from peakwise.calculators.method_flops_fields import DECLARATION
from peakwise.calculators.method_passes import ROLLOUTS, Method
from peakwise.calculators.read import called
from peakwise.calculators.shape_inputs import fill_sizes
from peakwise.calculators.shape_read import read_model
from peakwise.calculators.shape_totals import check_totals, name_findings
from peakwise.calculators.token_work import Counting, TokenWork, read_counting, router_weights
from peakwise.core.finding import Finding
from peakwise.core.model import Model
from peakwise.core.training import FULL, GROUPS, Train
from peakwise.core.workload import Recompute
from peakwise.counting.methods import Passes
from peakwise.counting.params import count_params


class ByShapes:
    """Passes of one token of a model, by the ledger that `count` builds."""

    def __init__(self, checked: Checked, model: Model, counting: Counting) -> None:
        """`checked` says how adapters are and what runs again."""
        self._checked, self._model, self._counting = checked, model, counting
        router = 0 if counting.router else router_weights(model)
        self.n_params: float = count_params(model).matmul - router
        policy = checked.text("recompute") or "none"
        self.knows_recompute = policy != "fraction"
        early = bool(checked.flag("early_stop"))
        named = {"selective": Recompute(policy="selective", early_stop=early)}
        named["full"] = Recompute(policy="full", early_stop=early)
        self._recompute = named.get(policy, Recompute())
        self._counted: dict[Train, Passes] = {}  # methods share what they are sums of

    def full(self) -> Passes:
        """Everything trains."""
        return self._passes(FULL)

    def adapters(self, last: int | None) -> Passes | None:
        """Adapters train; a frozen weight costs its forward, and once more where its input needs a gradient."""
        rank, targets = self._checked.number("lora_rank"), self._checked.text("lora_targets") or "all"
        quantised = self._checked.text("method") == "qlora"
        names = GROUPS.get(targets, ())
        return self._passes(Train(kind="lora", rank=int(rank or 0), targets=names, last=last, quantised=quantised))

    def top(self, last: int) -> Passes | None:
        """The last layers train, and the head with them unless it is frozen."""
        return self._passes(Train(kind="last", last=last, head=bool(self._checked.flag("head_trained"))))

    def over(self, tokens: float) -> Passes:
        """One sequence; between two whole lengths the line between them."""
        low = int(tokens)
        part = tokens - low
        passes = self._sequence(low)
        return passes if not part else passes.times(1 - part) + self._sequence(low + 1).times(part)

    def _sequence(self, length: int) -> Passes:
        if not length:
            return Passes(forward=0)
        return _of(self._count(self._counting.of_length(length), FULL)).times(length)

    def _passes(self, train: Train) -> Passes:
        if train not in self._counted:
            self._counted[train] = _of(self._count(self._counting, train))
        return self._counted[train]

    def _count(self, counting: Counting, train: Train) -> TokenWork:
        return count_or_refuse(
            self._checked, DECLARATION, self._model, counting, train=train, recompute=self._recompute
        )


def _of(work: TokenWork) -> Passes:
    return Passes(forward=work.forward, backward=work.backward, recompute=work.recompute)


class Shaped(NamedTuple):
    """A model as a source of passes; `lacks_length`: the method's work hangs on a length that nobody said."""

    source: ByShapes
    inputs: Checked
    attention: str
    rule: str
    lacks_length: bool
    warnings: tuple[Finding, ...]


def shape_method(checked: Checked, named: Model | None) -> Shaped:
    """The source of passes of a named model or of typed shapes.

    **Raises** InputError where shapes lack or contradict each other, the stated parameters do not follow from them, or
    more layers are to be trained than there are.
    """
    model = read_model(checked, named, DECLARATION)
    assert model is not None  # shapes or a model were said
    problems = check_totals(checked, count_params(model), DECLARATION)
    trained = checked.number("trained_layers")
    method = cast(Method, checked.text("method"))
    if trained is not None and trained > len(model.layers) and method in ("adapters-top", "top-only"):
        problems.append(_too_many(checked, int(trained), len(model.layers)))
    if problems:
        raise refuse(problems, DECLARATION, checked.face)
    counting = read_counting(checked)
    return Shaped(
        source=ByShapes(checked, model, counting),
        inputs=fill_sizes(checked, named, DECLARATION),
        attention=counting.attention,
        rule=counting.say(),
        lacks_length=method not in ROLLOUTS and counting.lacks_length(model),
        warnings=tuple(name_findings(model, counting)) if named is not None else (),
    )


def _too_many(checked: Checked, trained: int, n_layers: int) -> Problem:
    name = called(DECLARATION.field("trained_layers"), checked.face)
    return Problem(
        field="trained_layers",
        code="E_RANGE",
        message=f"{name}: {trained:,} layers are more than the {n_layers:,} there are",
        got=str(trained),
        expected=f"at most {n_layers}",
        hint=f"--trained-layers {n_layers}",
    )
