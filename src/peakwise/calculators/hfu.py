"""HFU from a reported utilization: what recompute adds, what the pipeline's bubble costs, and the band."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from peakwise.calculators.check import Checked
from peakwise.calculators.hfu_fields import DECLARATION
from peakwise.calculators.hfu_findings import find_causes, find_warnings
from peakwise.calculators.hfu_redone import Redone, read_statement, redone_by_rule
from peakwise.calculators.hfu_report import write_report
from peakwise.calculators.hfu_work import Reported, Work, find_bubble
from peakwise.calculators.lacks import lack_length, lack_shapes
from peakwise.calculators.link import make_link
from peakwise.calculators.rule_set import RULE_SET
from peakwise.calculators.shape_fields import says_shapes
from peakwise.core.bands import find_band
from peakwise.core.calculation import Calculation, Lack
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Step, Value
from peakwise.core.units import from_percent
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate"]


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """MFU and HFU of a reported run, fractions, and what follows from the pipeline's schedule.

    **Formula** HFU = MFU·(F + R)/F. Without shapes full recompute is R = F/3; with them the blocks' own forward, the
    head left out. Selective recompute, flash backward and early stop have no share without shapes.
    **Raises** InputError where shapes lack or contradict each other.
    """
    redone = _redone(checked, catalogue)
    work = _resolve(checked, redone)
    causes = find_causes(work)
    return Calculation(
        name=DECLARATION.id,
        inputs=redone.inputs.inputs,
        results=_results(work),
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": redone.attention, "denominator": "dense"},
        report=write_report(work),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=(*find_warnings(work, causes), *redone.warnings, *checked.notes),
        missing=_missing(work, redone),
        causes=causes,
        working=_steps(work),
        charts=partial(_charts, work),
    )


def _charts(work: Work) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.hfu_chart import draw_charts

    return draw_charts(work)


def _redone(checked: Checked, catalogue: Catalogue) -> Redone:
    """What of the model's FLOPs runs again, by its shapes where they are known."""
    if catalogue.model is None and not says_shapes(checked):
        return redone_by_rule(checked)
    from peakwise.calculators.hfu_shapes import count_redone  # the engine, only where it counts

    return count_redone(checked, catalogue.model)


def _resolve(checked: Checked, redone: Redone) -> Work:
    """The inputs in base units."""
    percent, achieved, peak = (checked.number(key) for key in ("mfu_pct", "achieved_tflops", "peak_tflops"))
    if percent is not None:
        key, reported, kind = "mfu_pct", from_percent(percent), "model"
    else:
        assert achieved is not None  # one of the two is required
        assert peak is not None  # required beside it
        key, reported, kind = "achieved_tflops", achieved / peak, checked.text("flops_kind")
    stages, microbatches, virtual = (checked.number(key) for key in ("pp", "n_microbatches", "virtual_stages"))
    assert stages is not None and microbatches is not None and virtual is not None  # noqa: PT018  they have defaults
    return Work(
        reported=reported,
        kind=cast(Reported, kind),
        key=key,
        again=redone.again,
        full=redone.full,
        bubble=find_bubble(int(stages), int(microbatches), int(virtual)),
        stated=read_statement(checked) is not None,
        mixture=redone.mixture,
    )


def _results(work: Work) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    mfu, hfu = work.mfu, work.hfu
    return {
        "mfu": mfu,
        "hfu": hfu,
        "hfu_over_mfu": None if work.again is None else 1 + work.again,
        "recompute_cost": None if mfu is None or hfu is None else hfu - mfu,
        "band": None if mfu is None else find_band(mfu),
        "bubble": work.bubble,
        "mfu_without_bubble": work.mfu_without_bubble,
    }


def _missing(work: Work, redone: Redone) -> tuple[Lack, ...]:
    """The input without which there is no HFU, and of hardware FLOPs no MFU."""
    if work.again is not None:
        return ()
    results = "hfu" if work.kind == "model" else "mfu, hfu"
    if not work.stated:
        why = f"{results}: what is recomputed is not stated"
        return (Lack(input="recompute", why=why, how="--recompute full"),)
    return (lack_length(results) if redone.shaped else lack_shapes(results),)


def _steps(work: Work) -> tuple[Step, ...]:
    """How the main results follow, for people."""
    steps: list[Step] = []
    if work.key == "achieved_tflops" and (work.kind == "model" or work.hfu is not None):
        steps.append(Step("mfu" if work.kind == "model" else "hfu", "{achieved_tflops}", "{peak_tflops}"))
    if work.hfu is not None:
        hardware = work.kind == "hardware"
        steps.append(Step("mfu", "{hfu}", "{hfu_over_mfu}") if hardware else Step("hfu", "{mfu} × {hfu_over_mfu}"))
    if work.bubble and work.mfu is not None:
        steps.append(Step("bubble", "{pp} − 1", "{virtual_stages} × {n_microbatches} + {pp} − 1"))
        steps.append(Step("mfu_without_bubble", "{mfu}", "1 − {bubble}"))
    return tuple(steps)
