"""What the method page draws: methods by their work, or the phases of a step by FLOPs and by time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from peakwise.calculators.check import Checked
from peakwise.calculators.method_passes import ROLLOUTS, Method, Source, count_method
from peakwise.calculators.method_time import StepTime
from peakwise.core.chart import Axis, Bar, BarChart, DotChart, Pair
from peakwise.core.declaration import Display
from peakwise.core.errors import InputError
from peakwise.core.units import from_giga

_PERCENT = Display(form="percent", decimals=1)
_TIMES = Display(form="number", decimals=2)


def draw_step(time: StepTime) -> DotChart:
    """Each phase's share of the step's FLOPs and of its time; phases that do not run are left out."""
    rows = tuple(
        Pair(phase, flop / time.flop, time.share_of(phase)) for phase, flop in time.step.phases.items() if flop
    )
    return DotChart(name="phases", axis=Axis("share", _PERCENT), a="share_flop", b="share_time", rows=rows)


def draw_methods(checked: Checked, source: Source) -> BarChart:
    """FLOPs per parameter and token of every method that these inputs give; the chosen one is ours."""
    return BarChart(name="methods", axis=Axis("multiplier", _TIMES), bars=tuple(_bars(checked, source)))


def _bars(checked: Checked, source: Source) -> Iterator[Bar]:
    for method in get_args(Method):
        value = None if method in ROLLOUTS else _multiplier(checked, method, source)
        if value is not None:
            yield Bar(method, value, style="ours" if method == checked.text("method") else "measured")


def _multiplier(checked: Checked, method: Method, source: Source) -> float | None:
    last, teacher = checked.number("trained_layers"), checked.number("teacher_params_b")
    if (method in ("adapters-top", "top-only") and last is None) or (method == "distillation" and teacher is None):
        return None
    try:
        passes = count_method(method, source, last=int(last or 0), n_teacher=from_giga(teacher or 0))
    except InputError:  # a method that this model cannot take is no row; choosing it says why
        return None
    return None if passes is None else passes.model / source.n_params
