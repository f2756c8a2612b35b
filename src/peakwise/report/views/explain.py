"""A waterfall on paper: what took the peak, largest first, and what is left of it."""

from __future__ import annotations

from typing import Literal

from peakwise.core.units import to_hours
from peakwise.core.waterfall import Cause, Part, Waterfall
from peakwise.report.blocks import (
    Bar,
    Bars,
    Block,
    Command,
    Document,
    Gap,
    Need,
    Needs,
    Sentence,
    Title,
    Warned,
)
from peakwise.report.figures import UNKNOWN, counted, figure, percent, significant
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

LABELS: dict[Cause, str] = {
    "mfu": "MFU of the whole run",
    "recompute": "recompute",
    "pipeline_bubble": "pipeline bubble",
    "warm_up": "warm-up and compile",
    "evaluation": "evaluation",
    "checkpoint": "checkpoint",
    "stall": "stall",
    "repeated_steps": "steps run twice",
    "skipped_steps": "skipped steps",
    "restart": "restart",
    "not_attributable": "not attributable",
}
# The cause as the subject of a sentence, where its label does not serve.
SUBJECTS: dict[Cause, str] = {"warm_up": "The warm-up", "repeated_steps": "Running steps twice"}
PLURAL: frozenset[Cause] = frozenset({"skipped_steps"})

LEGEND = "█ measured in the log   ▒ modelled from what was stated   ░ unknown"
SUM = "Sum 100.0 %. Rounded shares may miss it by a tenth."
NO_CLOCK = (
    "The log has no clock: these are the bars of one step. Evaluation, checkpoints, stalls and restarts need time "
    "stamps."
)
NO_DEVICES = "The number of GPUs is not stated: times are those of one GPU."
HOURS_FROM = 1.0  # device-hours: below, seconds say more


class _Unit:
    """The unit of amounts: device-hours or device-seconds, or the time of one device where their number is unknown."""

    def __init__(self, result: Waterfall) -> None:
        window, devices = result.window_s, result.devices
        self.whole_s = None if window is None else window.value * (1 if devices is None else devices.value)
        self.in_hours = self.whole_s is not None and to_hours(self.whole_s) >= HOURS_FROM
        long = "hours" if self.in_hours else "seconds"
        self.head = long if devices is None else f"device-{long[0]}"
        self.words = f"{long[0]} of each GPU" if devices is None else f"device-{long}"

    def amount(self, fraction: float, decimals: int = 2) -> str:
        """A fraction of the whole in this unit."""
        if self.whole_s is None:
            return UNKNOWN
        value = fraction * self.whole_s
        return figure(to_hours(value) if self.in_hours else value, decimals)


def describe(result: Waterfall, form: Shape = "text") -> Document:
    """The document of a waterfall."""
    unit = _Unit(result)
    blocks: list[Block] = [*_titles(result, unit), Gap(), Bars(unit.head, _bars(result, unit)), Gap()]
    if form == "text":
        blocks.append(Sentence(LEGEND, indent=2))
    blocks += [Sentence(SUM, indent=2 if form == "text" else 0), Gap(), *_news(result, unit), *_gaps(result, form)]
    return Document(
        title=f"Where the peak went: {result.run.sources[0]}",
        blocks=tuple(blocks),
        warned=tuple(Warned(finding) for finding in result.warnings),
        footer=f"`{result.run.convention}` · Peakwise {result.run.version}",
    )


def render(result: Waterfall, form: Shape = "text", paper: Paper | None = None) -> str:
    """The waterfall in one form."""
    return draw(describe(result, form), form, paper)


# What ran, and for how long


def _titles(result: Waterfall, unit: _Unit) -> list[Block]:
    run = result.run
    more = len(run.sources) - 1
    source = run.sources[0] + (f" and {more} more" if more else "")
    chip = "" if run.peak is None else run.peak.chip_name
    if result.devices is not None:
        n_devices = result.devices.value
        counted_chips = f"{figure(n_devices, 0)} GPU{'s' * (n_devices != 1)}"
        chip = f"{figure(n_devices, 0)} × {chip}" if chip else counted_chips
    if run.peak is not None and not run.peak.chip_name:
        chip = f"{chip}, {run.peak.kind} peak".removeprefix(", ")
    n_kept = run.steps.n_kept
    steps = f"{figure(n_kept, 0)} step{'s' * (n_kept != 1)}" if n_kept else ""
    window = _window(result, unit)
    long, short = (
        " · ".join(part for part in (run.model_name, chip, steps, words) if part)
        for words in (window, window.partition(" = ")[0])
    )
    return [Title(f"{source} · {run.producer_name}"), Title(long, short)]


def _window(result: Waterfall, unit: _Unit) -> str:
    if result.window_s is None:
        return ""
    seconds = result.window_s.value
    if result.window == "steps":
        return f"one step of {significant(seconds, 4)} s"
    text = f"{figure(seconds, 0 if seconds >= 100 else 1)} s"  # from 100 s on a tenth says nothing
    return text if result.devices is None else f"{text} = {unit.amount(1.0, 1)} {unit.words}"


# The bars


def _bars(result: Waterfall, unit: _Unit) -> tuple[Bar, ...]:
    whole = "peak × window" if result.window == "wall" else "peak × step"
    bars = [Bar(whole, percent(1.0), unit.amount(1.0), 0.0, 1.0, "whole")]
    left = 1.0
    for part in _ordered(result.parts):
        start = left - part.fraction
        bars.append(_bar(result, part, (start, left), part.evidence, unit))
        left = start
    ours = [part for part in result.parts if part.cause == "mfu"]
    if not ours:
        bars.append(Bar(_label("mfu", result), UNKNOWN, "missing", 0.0, 0.0, "ours", "", _blocked(result)))
    bars += [_bar(result, part, (0.0, part.fraction), "ours", unit) for part in ours]
    return tuple(bars)


def _ordered(parts: tuple[Part, ...]) -> list[Part]:
    """Losses outside the steps, the largest first, those inside them, and what nobody can tell."""
    order = ("measured", "modelled", "unknown")
    lost = [part for part in parts if part.cause != "mfu" and part.fraction]
    return sorted(lost, key=lambda part: (order.index(part.evidence), -part.fraction))


def _bar(
    result: Waterfall,
    part: Part,
    edges: tuple[float, float],
    kind: Literal["measured", "modelled", "unknown", "ours"],
    unit: _Unit,
) -> Bar:
    share, amount = percent(part.fraction), unit.amount(part.fraction)
    return Bar(_label(part.cause, result), share, amount, *edges, kind, part.evidence, part.where)


def _label(cause: Cause, result: Waterfall) -> str:
    return "MFU of the steps" if cause == "mfu" and result.window == "steps" else LABELS[cause]


def _blocked(result: Waterfall) -> str:
    return ", ".join(item.input for item in result.run.blocking)


# What it says


def _news(result: Waterfall, unit: _Unit) -> list[Block]:
    found: list[Block] = []
    lost = [part for part in _ordered(result.parts) if part.evidence == "measured"]
    if lost and percent(lost[0].fraction) != percent(0.0):
        cause, fraction = lost[0].cause, lost[0].fraction
        subject = SUBJECTS.get(cause, f"The {LABELS[cause]}")
        text = f"{subject} cost the most: {unit.amount(fraction)} {unit.words}."
        if result.mfu_wall is not None and fraction < 1:
            it = "them" if cause in PLURAL else "it"
            text += f" Without {it}: {percent(result.mfu_wall.value / (1 - fraction))} of the peak."
        found.append(Sentence(text, "bold"))
    unknown = result.fraction("not_attributable")
    if unknown > 0:
        tells = "only a trace can split it" if result.run.mfu is not None else "the MFU is part of it"
        found.append(Sentence(f"The largest unknown, {percent(unknown)}, is inside the steps: {tells}."))
    elif unknown < 0:
        found.append(Sentence(f"The parts claim {percent(-unknown)} more than the whole: one input is wrong."))
    return found


def _gaps(result: Waterfall, form: Shape) -> list[Block]:
    """What the log lacks, and the command that gives it."""
    run = result.run
    notes = [NO_CLOCK] if result.window == "steps" and result.window_s is not None else []
    notes += [NO_DEVICES] if result.devices is None and result.window_s is not None else []
    blocks: list[Block] = [Sentence(note) for note in notes]
    if run.mfu is None and run.blocking:
        n_blocking = len(run.blocking)
        blocks += [Gap(), Sentence(f"MFU —   {counted(n_blocking, 'input is', 'inputs are')} missing")]
        needs = tuple(Need(item.input, item.why, item.flag, item.how) for item in run.blocking)
        blocks += [Gap(), Needs("Missing", needs)]
    if result.command and (form != "markdown" or run.mfu is None):
        intro = "Complete and run:" if run.mfu is None else "To fill the gaps, complete and run:"
        blocks += [Gap(), Command(intro, result.command)]
    return blocks
