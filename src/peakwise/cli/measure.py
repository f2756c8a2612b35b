"""`peakwise measure`: how well does it run?"""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.cli.command import OUTPUT, Argument, Command, Flag, Value, text_of, words_of
from peakwise.cli.output import Wanted, show
from peakwise.cli.progress import drawing
from peakwise.cli.run_flags import RUN_FLAGS
from peakwise.cli.threshold import check_threshold, parse_threshold

EXAMPLE = "peakwise measure train.log --model llama-3.1-8b --chip h100-sxm"

_LOGS = Argument("logs", "LOG", "A training log; several are the files of one run.", many=True)
_FAIL_UNDER = Flag(
    "--fail-under", "fail_under", "Exit with code 3 below this, or where it is not known.", metavar="mfu=0.35"
)


def command() -> Command:
    """The command as data."""
    summary = "How well does it run? MFU of a training log, and why it is not what the log says."
    return Command("measure", summary, (_LOGS,), (*RUN_FLAGS, _FAIL_UNDER, *OUTPUT), run)


def run(values: Mapping[str, Value]) -> None:
    """Measure what was asked for and show it."""
    from peakwise.report.views.measure import describe
    from peakwise.verbs.measure import measure

    fail_under = text_of(values, "fail_under")
    threshold = None if fail_under is None else parse_threshold(fail_under)
    with drawing() as progress:
        result = measure(
            *words_of(values, "logs"),
            model=text_of(values, "model"),
            chip=text_of(values, "chip"),
            devices=text_of(values, "devices"),
            seq=text_of(values, "seq"),
            global_batch=text_of(values, "global_batch"),
            precision=text_of(values, "precision"),
            recompute=text_of(values, "recompute"),
            peak=text_of(values, "peak"),
            convention=text_of(values, "convention"),
            format=text_of(values, "format"),
            progress=progress,
        )
    show(result, lambda form: describe(result, form), Wanted.of(values))
    if threshold is not None:
        check_threshold(result, threshold)
