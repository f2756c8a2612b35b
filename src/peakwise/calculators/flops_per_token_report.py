"""What FLOPs per token tells: its results with what stands around them, one line of news, and the rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from peakwise.calculators.check import Checked
from peakwise.core.calculation import Lack, Report
from peakwise.core.declaration import Value
from peakwise.core.finding import Finding
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

RULE = "Training = 3 × forward: the gradients of inputs and of weights cost a forward each"


class Told(NamedTuple):
    """The results, and what is said of them.

    `rule`: what is counted; `at`: the length, in words; `attention`: as the field says it, `none` where it is left
    out; `charts`: as in a Calculation.
    """

    checked: Checked
    results: Mapping[str, Value | None]
    rule: str
    attention: str = "none"
    at: str = ""
    charts: Callable[[], tuple[Chart, ...]] | None = None
    warnings: tuple[Finding, ...] = ()
    missing: tuple[Lack, ...] = ()


def write_report(told: Told) -> Report:
    """The report of one calculation; numbers in the units that people read."""
    return Report(
        headline=_headline(told),
        facts=(),
        rule=(RULE, told.rule),
        hero="training_flop_per_token",
        label="Training, per token",
    )


def _headline(told: Told) -> str:
    forward, share = told.results["forward_flop_per_token"], told.results["attention_share"]
    if not isinstance(forward, int | float):
        return "the length of a sequence is missing"
    said = f"{format_fixed(to_giga(forward), 2)} GFLOP forward"
    if isinstance(share, int | float) and share:
        said += f"; attention is {format_fixed(to_percent(share), 1)} % of it at {told.at}"
    return said
