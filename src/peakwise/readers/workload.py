"""The workload that flags describe, packed document lengths from a file included."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from peakwise.core.errors import InputError, ReadError
from peakwise.core.training import parse_train
from peakwise.core.workload import Recompute, SeqText, Workload, parse_lengths, parse_recompute, parse_seq

# A file of ten million lengths of seven digits.
MOST_BYTES = 100_000_000


def read_lengths(path: str) -> tuple[int, ...]:
    """The document lengths in a file, tokens.

    **Raises** ReadError where the file cannot be read or is too large, InputError naming the line that is no length.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ReadError(
            "the file of lengths cannot be read",
            where="--seq",
            got=f"{path}: {error.strerror}",
            expected="a text file with one length a line",
        ) from error
    if len(data) > MOST_BYTES:
        raise ReadError("the file of lengths is too large", where=path, got="over 100 MB", expected="at most 100 MB")
    return parse_lengths(data.decode("utf-8", errors="replace"), path)


def read_workload(
    seq: int | str,
    *,
    batch: int,
    mode: str,
    attention: str,
    train: str,
    recompute: str,
    mtp: str,
    early_stop: bool = False,
    flash_backward: bool = False,
    ssm_rule: str = "recurrent",
) -> Workload:
    """The workload that flags describe; `lengths=FILE` reads the file.

    **Raises** InputError naming the flag that cannot be used.
    """
    said = parse_seq(seq) if isinstance(seq, str) else SeqText(seq_len=seq)
    lengths = read_lengths(said.lengths_file) if said.lengths_file else ()
    if lengths and batch != 1:
        raise InputError(
            "a batch of packed documents is given by its lengths", where="--batch", got=str(batch), expected="1"
        )
    if mode not in ("train", "forward"):
        raise _choice("--mode", mode, "train or forward")
    if attention not in ("causal", "full"):
        raise _choice("--attention", attention, "causal or full")
    if mtp not in ("on", "off"):
        raise _choice("--mtp", mtp, "on or off")
    if ssm_rule not in ("recurrent", "reference"):
        raise _choice("--ssm-rule", ssm_rule, "recurrent or reference")
    return Workload(
        seq_len=max(lengths) if lengths else said.seq_len,
        encoder_len=said.encoder_len,
        image=said.image,
        mel=said.mel,
        batch=batch,
        lengths=lengths,
        mode=mode,
        attention=attention,
        train=parse_train(train),
        recompute=_recompute(recompute, early_stop=early_stop, flash_backward=flash_backward),
        mtp=mtp == "on",
        ssm_rule=ssm_rule,
    )


def _recompute(text: str, *, early_stop: bool, flash_backward: bool) -> Recompute:
    policy = parse_recompute(text)
    if early_stop and policy.policy == "none":
        raise InputError(
            "nothing is recomputed, so nothing stops early",
            where="--early-stop",
            got=f"--recompute {text}",
            expected="a policy that recomputes",
            hint="--recompute full --early-stop",
        )
    return replace(policy, early_stop=early_stop, flash_backward=flash_backward)


def _choice(where: str, got: str, expected: str) -> InputError:
    return InputError(f"{where} takes {expected}", where=where, got=got, expected=expected)
