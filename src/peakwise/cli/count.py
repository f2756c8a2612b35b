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

EXAMPLE = "peakwise count llama-3.1-8b --seq 8192"


def count(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A catalogue id, a Hub id, a config.json, its folder, or - for stdin."),
    ],
    *,
    seq: Annotated[
        str | None,
        typer.Option("--seq", metavar="N", help="Tokens in one sequence, or lengths=FILE, one length a line."),
    ] = None,
    batch: Annotated[str, typer.Option("--batch", metavar="N", help="Sequences.")] = "1",
    mode: Annotated[str, typer.Option("--mode", metavar="MODE", help="train or forward.")] = "train",
    attention: Annotated[
        str,
        typer.Option("--attention", metavar="RULE", help="causal: pairs the mask lets see; full: all pairs."),
    ] = "causal",
    train: Annotated[str, typer.Option("--train", metavar="WHAT", help="What trains: full.")] = "full",
    recompute: Annotated[
        str, typer.Option("--recompute", metavar="POLICY", help="none, selective, full or every:N.")
    ] = "none",
    mtp: Annotated[
        str, typer.Option("--mtp", metavar="on|off", help="Count the multi-token-prediction modules.")
    ] = "off",
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
        mtp=mtp,
        convention=convention,
        expect_params=None if expect_params is None else parse_parameters(expect_params, "--expect-params"),
        like=like,
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
