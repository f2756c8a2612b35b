"""`peakwise explain`: where did the rest go?"""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.cli.command import OUTPUT, Argument, Command, Value, text_of, words_of
from peakwise.cli.output import Wanted, show
from peakwise.cli.progress import drawing
from peakwise.cli.run_flags import RUN_FLAGS

EXAMPLE = "peakwise explain train.log --model llama-3.1-8b --chip h100-sxm --recompute full"

_FILES = Argument("files", "FILE", "A training log; several are the files of one run.", many=True)


def command() -> Command:
    """The command as data."""
    summary = "Where did the rest go? The peak over a run's whole time, split by cause; the parts sum to 100 %."
    return Command("explain", summary, (_FILES,), (*RUN_FLAGS, *OUTPUT), run)


def run(values: Mapping[str, Value]) -> None:
    """Explain what was asked for and show it."""
    from peakwise.report.views.explain import describe
    from peakwise.verbs.explain import explain

    with drawing() as progress:
        result = explain(
            *words_of(values, "files"),
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
