"""`peakwise explain`: where did the rest go?"""

from __future__ import annotations

from typing import Annotated

import typer

from peakwise.cli.flags import Html, Json, Markdown
from peakwise.cli.output import Wanted, show
from peakwise.cli.progress import drawing

EXAMPLE = "peakwise explain train.log --model llama-3.1-8b --chip h100-sxm --recompute full"


def explain(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="A training log.")],
    *,
    model: Annotated[str | None, typer.Option("--model", metavar="MODEL", help="Which model ran.")] = None,
    chip: Annotated[str | None, typer.Option("--chip", metavar="CHIP", help="Which accelerator ran it.")] = None,
    devices: Annotated[str | None, typer.Option("--devices", metavar="N", help="How many ran it.")] = None,
    seq: Annotated[str | None, typer.Option("--seq", metavar="N", help="Tokens in one sequence.")] = None,
    global_batch: Annotated[
        str | None, typer.Option("--global-batch", metavar="N", help="Sequences of one optimizer step.")
    ] = None,
    precision: Annotated[
        str | None, typer.Option("--precision", metavar="TYPE", help="Type of the matmuls: bf16, fp16, fp8 …")
    ] = None,
    recompute: Annotated[
        str | None, typer.Option("--recompute", metavar="POLICY", help="none, selective, full or every:N; its own bar.")
    ] = None,
    peak: Annotated[
        str | None, typer.Option("--peak", metavar="PEAK", help='Dense peak of one accelerator: "989 TFLOP/s".')
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Which reader reads the log.")
    ] = None,
    json: Json = False,
    md: Markdown = False,
    html: Html = None,
) -> None:
    """Where did the rest go? The peak over a run's whole time, split by cause; the parts sum to 100 %."""
    from peakwise.report.views.explain import describe
    from peakwise.verbs.explain import explain as run

    with drawing() as progress:
        result = run(
            *files,
            model=model,
            chip=chip,
            devices=devices,
            seq=seq,
            global_batch=global_batch,
            precision=precision,
            recompute=recompute,
            peak=peak,
            format=format_name,
            progress=progress,
        )
    show(result, lambda form: describe(result, form), Wanted(json, md, html))
