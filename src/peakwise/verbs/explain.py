"""Where did the rest go? A log or a measurement as a waterfall of peak × window that sums to 1."""

from __future__ import annotations

from peakwise.core.drawn import Form
from peakwise.core.errors import InputError
from peakwise.core.measurement import Measurement
from peakwise.core.progress import Progress
from peakwise.core.waterfall import Waterfall


def explain(
    *runs: Measurement | str,
    model: str | None = None,
    chip: str | None = None,
    devices: int | str | None = None,
    seq: int | str | None = None,
    global_batch: int | str | None = None,
    precision: str | None = None,
    recompute: str | None = None,
    peak: float | str | None = None,
    convention: str | None = None,
    format: str | None = None,  # noqa: A002 - the flag is called --format
    progress: Progress | None = None,
) -> Waterfall:
    """Where the peak of a run went: of one measurement, or of the files of one run with the flags of `measure`.

    `progress` is called while a file is read, with the bytes read so far and the bytes in all.

    **Raises** InputError for a measurement beside flags or other runs, and what `measure` raises for files.
    """
    from dataclasses import replace

    from peakwise.explaining.from_series import explain_run
    from peakwise.verbs.measure import measure

    paths = tuple(run for run in runs if isinstance(run, str))
    measured = [run for run in runs if isinstance(run, Measurement)]
    if not measured:
        run = measure(
            *paths,
            model=model,
            chip=chip,
            devices=devices,
            seq=seq,
            global_batch=global_batch,
            precision=precision,
            recompute=recompute,
            peak=peak,
            convention=convention,
            format=format,
            progress=progress,
        )
        return replace(explain_run(run), draw=draw)
    flags = (model, chip, devices, seq, global_batch, precision, recompute, peak, convention, format)
    if len(runs) > 1 or any(flag is not None for flag in flags):
        raise InputError(
            "a measurement is explained as it is",
            where="explain",
            got=f"{len(runs)} runs and {sum(flag is not None for flag in flags)} flags",
            expected="one measurement alone, or paths with flags",
            hint="give the flags to measure",
        )
    return replace(explain_run(measured[0]), draw=draw)


def draw(result: Waterfall, form: Form) -> str:
    """The waterfall as Markdown or HTML."""
    from peakwise.report.views.explain import render

    return render(result, form)
