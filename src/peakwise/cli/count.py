"""`peakwise count`: how much work is it?"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from peakwise.cli.command import OUTPUT, Argument, Command, Flag, Value, text_of
from peakwise.cli.output import Wanted, show
from peakwise.cli.typed import parse_amount, parse_parameters, parse_whole
from peakwise.cli.usage import UsageError
from peakwise.core.errors import ReadError

EXAMPLE = "peakwise count llama-3.1-8b --seq 8192"

_MODEL = Argument("model", "MODEL", "A catalogue id, a Hub id, a config.json, its folder, or - for stdin.")
_FLAGS = (
    Flag(
        "--seq",
        "seq",
        "Tokens in one sequence; the parts of one sample: enc=512,dec=128, mel=3000,dec=128, image=224 or "
        "image=224,text=77; or documents: lengths=FILE, one length a line, or p50=450,p90=900,p99=2100, docs=N of "
        "them. After documents: pad=N or pack=N tokens to a slot; longest=N or grouped=N to a padded batch.",
        metavar="N",
    ),
    Flag("--batch", "batch", "Sequences.", metavar="N", default="1"),
    Flag("--masked", "masked", "Tokens of a sequence outside the loss, on average: its prompt.", metavar="N"),
    Flag("--mode", "mode", "train or forward.", metavar="MODE", default="train"),
    Flag(
        "--attention",
        "attention",
        "causal: pairs the mask lets see; full: all pairs.",
        metavar="RULE",
        default="causal",
    ),
    Flag(
        "--train",
        "train",
        "full; lora:r=16,targets=all|qv|qkvo|NAME+NAME[,last=8]; last:8 layers and the head; frozen:embed.",
        metavar="WHAT",
        default="full",
    ),
    Flag("--recompute", "recompute", "none, selective, full or every:N.", metavar="POLICY", default="none"),
    Flag("--early-stop", "early_stop", "The last matmul of what is recomputed is not redone.", default=False),
    Flag(
        "--reentrant",
        "reentrant",
        "A checkpoint whose blocks are all gone through backward, frozen ones too.",
        default=False,
    ),
    Flag(
        "--flash-backward",
        "flash_backward",
        "The backward kernel of flash attention runs Q·Kᵀ again.",
        default=False,
    ),
    Flag("--mtp", "mtp", "Count the multi-token-prediction modules.", metavar="on|off", default="off"),
    Flag(
        "--ssm-rule",
        "ssm_rule",
        "A scan's FLOPs. recurrent: of the recurrence; reference: of the library's chunked matmuls.",
        metavar="RULE",
        default="recurrent",
    ),
    Flag("--convention", "convention", "The counting rule of the headline.", metavar="ID", default="exact"),
    Flag(
        "--expect-params",
        "expect_params",
        "Refuse the model unless it has so many parameters: 8.03B.",
        metavar="N",
    ),
    Flag("--like", "like", "Take what the config does not say from this model_type.", metavar="MODEL_TYPE"),
    Flag(
        "--trace",
        "trace",
        "Check against the framework's own trace of the model (extra torch).",
        default=False,
    ),
)


def command() -> Command:
    """The command as data."""
    summary = "How much work is it? FLOPs of a model, by component and by every counting rule."
    return Command("count", summary, (_MODEL,), _FLAGS + OUTPUT, run)


def run(values: Mapping[str, Value]) -> None:
    """Count what was asked for and show it."""
    from peakwise.report.views.count import describe
    from peakwise.verbs.count import count

    def text(key: str) -> str:
        return str(values[key])

    if values["seq"] is None:
        raise UsageError(
            "the length of the sequences is missing",
            where="--seq",
            got="nothing",
            expected="a number of tokens, or lengths=FILE",
            hint=EXAMPLE,
        )
    expected, masked = text_of(values, "expect_params"), text_of(values, "masked")
    result = count(
        text("model"),
        seq=text("seq"),
        batch=parse_whole(text("batch"), "--batch"),
        masked=None if masked is None else parse_amount(masked, "--masked"),
        mode=text("mode"),
        attention=text("attention"),
        train=text("train"),
        recompute=text("recompute"),
        early_stop=values["early_stop"] is True,
        reentrant=values["reentrant"] is True,
        flash_backward=values["flash_backward"] is True,
        mtp=text("mtp"),
        ssm_rule=text("ssm_rule"),
        convention=text("convention"),
        expect_params=None if expected is None else parse_parameters(expected, "--expect-params"),
        like=text_of(values, "like"),
        trace=values["trace"] is True,
        stdin=_read_stdin,
    )
    show(result, lambda _: describe(result), Wanted.of(values))


def _read_stdin() -> bytes:
    """What standard input holds. **Raises** ReadError where it is closed or cannot be read."""
    reason = "standard input is closed"
    try:
        if sys.__stdin__ is not None:
            return sys.stdin.buffer.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    raise ReadError("cannot read standard input", where="-", got=reason, expected="a config.json")
