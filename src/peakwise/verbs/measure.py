"""How well does it run? A log as tokens per second, MFU and HFU, with the basis of every number."""

from __future__ import annotations

from peakwise.core.drawn import Form
from peakwise.core.measurement import Measurement
from peakwise.core.progress import Progress


def measure(
    *paths: str,
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
) -> Measurement:
    """How a run went, from its log: several paths are files of one run (ranks, restarts).

    The keyword arguments are the flags of `peakwise measure`; a flag wins over the log. What nobody gave is listed in
    `missing`, and the numbers that need it are None. `peak` is a text with its unit, or FLOP/s. `convention` is the
    rule of MFU, `exact` if left out; by a rule that counts recompute there is an HFU and no MFU.
    `progress` is called while a file is read, with the bytes read so far and the bytes in all.

    **Raises** ReadError, UnknownFormat, UnknownModel, UnknownChip or InputError, each with what to do.
    """
    from peakwise.facts.chips import fits
    from peakwise.measuring.answer import answer
    from peakwise.measuring.given import read_given
    from peakwise.measuring.replicas import join
    from peakwise.readers.find import read_log
    from peakwise.readers.logs.chip import read_chip
    from peakwise.readers.logs.model import read_model
    from peakwise.verbs.count import count

    given = read_given(
        paths,
        model=model,
        chip=chip,
        seq=seq,
        devices=devices,
        global_batch=global_batch,
        precision=precision,
        recompute=recompute,
        peak=peak,
        convention=convention,
        form=format,
    )
    series = join(tuple(read_log(path, format, progress) for path in paths))
    found, logged = read_chip(chip, series), read_model(series)
    length, rule = given.seq or 4096, given.convention  # any length serves: it is counted again at the run's own
    stated = None if logged.model is None else count(logged.model, seq=length, convention="exact" if model else rule)
    probe = stated if model is None else count(model, seq=length, convention=rule)
    return answer(
        given,
        series,
        chip=found.chip,
        probe=probe,
        stated=stated,
        gaps=(found.gap, logged.gap),
        fits=fits,
        draw=draw,
    )


def draw(result: Measurement, form: Form) -> str:
    """The measurement as Markdown or HTML."""
    from peakwise.report.views.measure import render

    return render(result, form)
