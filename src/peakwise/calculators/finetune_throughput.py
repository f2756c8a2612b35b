"""Examples a second of a fine-tuning run, from the rate of one accelerator and the scaling efficiency."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from peakwise.calculators.check import Checked
from peakwise.calculators.finetune_throughput_fields import DECLARATION
from peakwise.calculators.finetune_throughput_findings import find_causes, find_warnings
from peakwise.calculators.finetune_throughput_read import resolve
from peakwise.calculators.finetune_throughput_work import MARKS, Work
from peakwise.calculators.finite import require_finite
from peakwise.calculators.link import make_link
from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.spread import quantile
from peakwise.core.calculation import Calculation, Lack, Report
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Display, Step, Value
from peakwise.core.rounding import format_fixed
from peakwise.core.units import KILO, S_PER_DAY, S_PER_HOUR, S_PER_MINUTE, to_percent
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate"]


_RATE = Display(form="number", unit="token/s", decimals=0)
_FACTOR = Display(form="number", decimals=0)


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """Examples per second, and what else follows from the same inputs.

    **Formula** token/s = accelerators × rate of one × efficiency; examples/s = token/s ÷ tokens of an example;
    mfu = FLOPs per token × token/s ÷ (peak × accelerators), FLOPs per token 6N where parameters are given.

    **Raises** InputError where inputs contradict each other.
    """
    del catalogue  # nothing is looked up
    work = resolve(checked)
    results = _results(work)
    require_finite(results, DECLARATION, checked, ("tokens_per_example", "tokens_per_s_per_device", "rate_lo"))
    causes = find_causes(work)
    return Calculation(
        name=DECLARATION.id,
        inputs=checked.inputs,
        results=results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": "none", "denominator": "dense"},
        report=_report(work, checked),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=(*find_warnings(work, causes), *checked.notes),
        charts=partial(_charts, work),
        missing=tuple(_missing(work)),
        causes=causes,
        working=tuple(_steps(work, checked)),
        symbols={"rate_per_device": (work.rate_per_device or 0, _RATE), "factor": (work.factor or 0, _FACTOR)},
    )


def _charts(work: Work) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.finetune_throughput_chart import draw_charts

    return draw_charts(work)


def _results(work: Work) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    examples, tokens = work.examples_per_s, work.tokens_per_s

    def over(rate: float | None, seconds: int) -> float | None:
        return None if rate is None else rate * seconds

    return {
        "examples_per_s": examples,
        "tokens_per_s": tokens,
        "examples_per_min": over(examples, S_PER_MINUTE),
        "tokens_per_min": over(tokens, S_PER_MINUTE),
        "examples_per_hour": over(examples, S_PER_HOUR),
        "examples_per_day": over(examples, S_PER_DAY),
        "device_s_per_1000_examples": work.devices * KILO / examples if examples else None,
        "tokens_per_example_used": work.tokens_per_example,
        "efficiency_used": work.efficiency,
        "scaling_c": work.scaling_c,
        "mfu": work.mfu,
    }


def _missing(work: Work) -> Iterator[Lack]:
    """The inputs that null results lack."""
    if work.points is not None and not work.points.is_inside:
        yield Lack(input="batch", why="every rate: the batch lies outside the measured points", how="--batch N")
    elif not work.examples_per_s:
        why = "device_s_per_1000_examples: at a rate of 0 no example is ever done"
        yield Lack(input="tokens_per_s_per_device", why=why, how="--rate-per-device R")
    if work.scaling_c is None:
        why = "scaling_c: it follows from the rates of two sizes"
        yield Lack(input="rate_at_1", why=why, how="--rate-at-1 R --devices-at-n N --rate-at-n R")
    if work.flop_per_token is None:
        yield Lack(input="params_b", why="mfu: the work of a token is not known", how="--params N")
    if work.peak_per_device is None:
        yield Lack(input="peak_tflops", why="mfu: the peak is not known", how='--peak "N TFLOP/s"')


def _steps(work: Work, checked: Checked) -> Iterator[Step]:
    """How the results follow from the inputs, for people."""
    rate = "rate_per_device" if work.points else "tokens_per_s_per_device"
    if work.scaling_c is not None and work.devices == checked.number("devices_at_n"):
        yield Step("efficiency_used", "{rate_at_n}", "{devices_at_n} × {rate_at_1}")
    elif work.scaling_c is not None:
        yield Step("efficiency_used", "1", "1 + {scaling_c} × log₂ {accelerators}")
    if work.tokens_per_s is not None:
        yield Step("tokens_per_s", f"{{accelerators}} × {{{rate}}} × {{efficiency_used}}")
        yield Step("examples_per_s", "{tokens_per_s}", "{tokens_per_example_used}")
    if work.mfu is not None:
        flop = "{flop_per_token}" if work.factor is None else "{factor} × {params_b}"
        yield Step("mfu", f"{flop} × {{tokens_per_s}}", "{peak_tflops} × {accelerators}")


def _report(work: Work, checked: Checked) -> Report:
    rate = work.rate_per_device
    efficiency = format_fixed(to_percent(work.efficiency), 1)
    known = "" if rate is None else f"{work.devices:,} × {format_fixed(rate, 0)} token/s × {efficiency} %"
    rule = [
        "examples/s = accelerators × rate of one × efficiency ÷ tokens of an example",
        "the efficiency holds communication, waiting, reading and evaluation; leave out of it what the rate holds",
    ]
    kind = {"nonpad": "without padding", "trained": "inside the loss"}.get(checked.text("token_kind") or "")
    if kind:
        rule.append(f"every token counted here is one {kind}")
    if work.lengths and rate is not None:
        rule.append(_percentiles(work))
    if work.factor is not None and work.mfu is not None:
        rule.append(f"MFU counts {work.factor} FLOP for every parameter and token; attention left out")
    return Report(
        headline=known or "no rate: the batch lies outside the measured points",
        facts=(),
        rule=(*rule, f"rule set {RULE_SET}"),
        hero=DECLARATION.hero,
        label="Examples",
    )


def _percentiles(work: Work) -> str:
    """The rates of short and long examples, which the mean hides."""
    parts: list[str] = []
    for mark in MARKS:
        tokens = quantile(work.lengths, mark)
        rate = format_fixed(work.examples_at(tokens) or 0, 2)
        parts.append(f"p{round(to_percent(mark))} {format_fixed(tokens, 0)} tokens: {rate}/s")
    return "were every example so long: " + ", ".join(parts)
