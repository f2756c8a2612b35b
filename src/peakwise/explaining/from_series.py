"""The waterfall of a measured log: peak × window, split by what the records and their clock show."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from peakwise.core.errors import InputError
from peakwise.core.finding import Finding
from peakwise.core.measurement import Measurement
from peakwise.core.quantity import Quantity, weakest
from peakwise.core.units import to_percent
from peakwise.core.waterfall import Cause, Part, Waterfall
from peakwise.explaining.causes import KINDS, model_bubble, model_recompute
from peakwise.explaining.intervals import find_lost

INSIDE = "inside steps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A fraction of peak × window, and where it went."""

    fraction: float
    where: str


def explain_run(run: Measurement) -> Waterfall:
    """Peak × window of the run by cause.

    The window is the run's wall time; without time stamps it is one median step, and only what happens inside steps
    has a bar. The last part is what the others leave: it makes the sum 1.

    **Raises** InputError for a run by a rule that counts recompute: its bars start from MFU.
    """
    if run.mfu is None and run.hfu is not None:
        raise InputError(
            f"the rule {run.convention} counts recompute: its figure is HFU, and the bars start from MFU",
            where="--convention",
            got=run.convention,
            expected="a rule that counts model FLOPs",
            hint="--convention exact",
        )
    goodput = None if run.wall_s is None or run.goodput is None else run.goodput.value
    inside = 1.0 if goodput is None else goodput
    shares = _measure_shares(run, inside, has_clock=goodput is not None)
    modelled = _model_shares(run, inside)
    left = 1 - fsum(share.fraction for share in shares.values())
    warnings = _check_modelled(modelled, left)
    if not warnings:
        shares |= modelled
    rest = 1 - fsum(share.fraction for share in shares.values())
    shares["not_attributable"] = Share(fraction=rest, where=INSIDE)
    window_s = run.step_s.median if goodput is None else run.wall_s
    return Waterfall(
        run=run,
        window="steps" if goodput is None else "wall",
        window_s=window_s,
        devices=run.n_devices,
        parts=_list_parts(shares, _device_seconds(window_s, run.n_devices)),
        mfu_wall=run.mfu_wall,
        hfu_wall=_over_window(run.hfu, run.goodput),
        command=_explain_command(run.command),
        warnings=(*run.warnings, *warnings),
    )


def _measure_shares(run: Measurement, inside: float, *, has_clock: bool) -> dict[Cause, Share]:
    """MFU over the window, and what the clock shows outside kept steps."""
    shares: dict[Cause, Share] = {}
    if run.mfu is not None:
        where = f"the steps: {to_percent(run.mfu.value):.1f} %"
        shares["mfu"] = Share(fraction=run.mfu.value * inside, where=where)
    median = run.step_s.median
    if has_clock and median is not None and run.wall_s is not None:
        for lost in find_lost(run.steps, median.value):
            shares[lost.cause] = Share(fraction=lost.seconds / run.wall_s.value, where=lost.where)
    return shares


def _model_shares(run: Measurement, inside: float) -> dict[Cause, Share]:
    """What was declared to happen inside steps: recompute and the pipeline's bubble."""
    shares: dict[Cause, Share] = {}
    if run.mfu is not None and run.hfu is not None:
        fraction = model_recompute(run.mfu.value, run.hfu.value) * inside
        shares["recompute"] = Share(fraction=fraction, where=f"{run.recompute}, as stated")
    schedule = run.schedule
    if schedule is not None:
        where = f"{schedule.pp} stages, {schedule.n_microbatches} micro-batches"
        shares["pipeline_bubble"] = Share(fraction=model_bubble(schedule) * inside, where=where)
    return shares


def _check_modelled(modelled: dict[Cause, Share], left: float) -> tuple[Finding, ...]:
    """A finding where modelled shares exceed what is left: the declaration contradicts the log."""
    total = fsum(share.fraction for share in modelled.values())
    if total <= max(left, 0.0):
        return ()
    names = " and ".join(cause.replace("_", " ") for cause, share in modelled.items() if share.fraction > 0)
    message = (
        f"{names} as declared would take {to_percent(total):.1f} % of the window, the log leaves "
        f"{to_percent(max(left, 0.0)):.1f} %: the declaration contradicts the log, and has no bar of its own"
    )
    flag = "--recompute" if "recompute" in modelled else "the declared pipeline"
    return (Finding(code="W_DECLARED", message=message, input="recompute", fix=f"check {flag}"),)


def _list_parts(shares: dict[Cause, Share], whole_device_s: float | None) -> tuple[Part, ...]:
    return tuple(
        Part(
            cause=kind.cause,
            fraction=shares[kind.cause].fraction,
            device_s=None if whole_device_s is None else shares[kind.cause].fraction * whole_device_s,
            evidence=kind.evidence,
            where=shares[kind.cause].where,
        )
        for kind in KINDS
        if kind.cause in shares
    )


def _device_seconds(window_s: Quantity | None, devices: Quantity | None) -> float | None:
    return None if window_s is None or devices is None else window_s.value * devices.value


def _over_window(fraction: Quantity | None, goodput: Quantity | None) -> Quantity | None:
    if fraction is None or goodput is None:
        return None
    basis = weakest(fraction.basis, goodput.basis)
    value = fraction.value * goodput.value
    return Quantity(value=value, unit="fraction", basis=basis, source=f"{fraction.source} × goodput")


def _explain_command(command: str) -> str:
    """The command that completes a measurement, for this question; empty where nothing is missing."""
    measuring = "peakwise measure"
    return f"peakwise explain{command.removeprefix(measuring)}" if command.startswith(measuring) else command
