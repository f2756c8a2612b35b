"""`peakwise count`: how much work is it?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from peakwise.cli.flags import Html, Json, Markdown
from peakwise.cli.output import Wanted, show
from peakwise.cli.typed import parse_parameters, parse_whole
from peakwise.cli.usage import UsageError
from peakwise.core.errors import ReadError

SEQ = (
    "Tokens in one sequence; lengths=FILE, one length a line; or the parts of one sample: "
    "enc=512,dec=128, mel=3000,dec=128, image=224 or image=224,text=77."
)
EXAMPLE = "peakwise count llama-3.1-8b --seq 8192"


def count(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A catalogue id, a Hub id, a config.json, its folder, or - for stdin."),
    ],
    *,
    seq: Annotated[
        str | None,
        typer.Option("--seq", metavar="N", help=SEQ),
    ] = None,
    batch: Annotated[str, typer.Option("--batch", metavar="N", help="Sequences.")] = "1",
    mode: Annotated[str, typer.Option("--mode", metavar="MODE", help="train or forward.")] = "train",
    attention: Annotated[
        str,
        typer.Option("--attention", metavar="RULE", help="causal: pairs the mask lets see; full: all pairs."),
    ] = "causal",
    train: Annotated[
        str,
        typer.Option(
            "--train",
            metavar="WHAT",
            help="full; lora:r=16,targets=all|qv|qkvo|NAME+NAME[,last=8]; last:8 layers and the head; frozen:embed.",
        ),
    ] = "full",
    recompute: Annotated[
        str, typer.Option("--recompute", metavar="POLICY", help="none, selective, full or every:N.")
    ] = "none",
    early_stop: Annotated[
        bool, typer.Option("--early-stop", help="The last matmul of what is recomputed is not redone.")
    ] = False,
    flash_backward: Annotated[
        bool, typer.Option("--flash-backward", help="The backward kernel of flash attention runs Q·Kᵀ again.")
    ] = False,
    mtp: Annotated[
        str, typer.Option("--mtp", metavar="on|off", help="Count the multi-token-prediction modules.")
    ] = "off",
    ssm_rule: Annotated[
        str,
        typer.Option(
            "--ssm-rule",
            metavar="RULE",
            help="A scan's FLOPs. recurrent: of the recurrence; reference: of the library's chunked matmuls.",
        ),
    ] = "recurrent",
    convention: Annotated[
        str, typer.Option("--convention", metavar="ID", help="The counting rule of the headline.")
    ] = "exact",
    expect_params: Annotated[
        str | None,
        typer.Option("--expect-params", metavar="N", help="Refuse the model unless it has so many parameters: 8.03B."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="MODEL_TYPE", help="Take what the config does not say from this model_type."),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Check against the framework's own trace of the model (extra torch).")
    ] = False,
    json: Json = False,
    md: Markdown = False,
    html: Html = None,
) -> None:
    """How much work is it? FLOPs of a model, by component and by every counting rule."""
    from peakwise.report.views.count import describe
    from peakwise.verbs.count import count as run

    if seq is None:
        raise UsageError(
            "the length of the sequences is missing",
            where="--seq",
            got="nothing",
            expected="a number of tokens, or lengths=FILE",
            hint=EXAMPLE,
        )
    result = run(
        model,
        seq=seq,
        batch=parse_whole(batch, "--batch"),
        mode=mode,
        attention=attention,
        train=train,
        recompute=recompute,
        early_stop=early_stop,
        flash_backward=flash_backward,
        mtp=mtp,
        ssm_rule=ssm_rule,
        convention=convention,
        expect_params=None if expect_params is None else parse_parameters(expect_params, "--expect-params"),
        like=like,
        trace=trace,
        stdin=_read_stdin,
    )
    show(result, lambda _: describe(result), Wanted(json, md, html))


def _read_stdin() -> bytes:
    """What standard input holds. **Raises** ReadError where it is closed or cannot be read."""
    reason = "standard input is closed"
    try:
        if sys.__stdin__ is not None:
            return sys.stdin.buffer.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    raise ReadError("cannot read standard input", where="-", got=reason, expected="a config.json")
