"""What the fine-tuning duration page draws: the parts of the time, and the band around it."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.finetune_duration_work import Work
from peakwise.core.chart import Axis, Bar, BarChart, Chart
from peakwise.core.declaration import Display

_DURATION = Display(form="duration")


def draw_charts(work: Work) -> tuple[Chart, ...]:
    """The charts of one calculation, the main one first."""
    return (
        BarChart(name="parts", axis=Axis("duration_s", _DURATION), bars=tuple(_parts(work))),
        BarChart(
            name="band",
            axis=Axis("duration_s", _DURATION),
            bars=(
                Bar("duration_low_s", work.low_s, style="modelled"),
                Bar("duration_s", work.duration_s, style="ours"),
                Bar("duration_high_s", work.high_s, style="modelled"),
            ),
        ),
    )


def _parts(work: Work) -> Iterator[Bar]:
    """Each part begins where the one before ends; they sum to the whole. A part that takes no time is left out."""
    begin = 0.0
    whole = work.duration_s
    stops = (("evaluation", work.eval_s), ("checkpoints", work.checkpoint_s), ("warm_up", work.warmup_s))
    known = work.train_s + sum(seconds for _, seconds in stops)
    for name, seconds in (("training", work.train_s), *stops, ("restarts", whole - known if work.lost else 0.0)):
        if seconds or name == "training":
            yield Bar(name, seconds, start=begin, style="ours" if name == "training" else "modelled")
            begin += seconds
    yield Bar("duration_s", whole, style="whole")
