"""The workload that flags describe, document lengths from a file or from quantiles included."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from peakwise.core.errors import InputError, ReadError
from peakwise.core.training import parse_train
from peakwise.core.workload import Recompute, SeqText, Workload, parse_recompute, parse_seq

if TYPE_CHECKING:  # most workloads have one length, and their start-up need not pay for these
    from peakwise.core.arrangement import Arrangement
    from peakwise.core.length_text import DocumentsText

# A file of ten million lengths of seven digits.
MOST_BYTES = 100_000_000


def read_lengths(path: str, slot: int | None = None) -> tuple[int, ...]:
    """The document lengths in a file, tokens. `slot`: the most that one document may have.

    **Raises** ReadError where the file cannot be read or is too large, InputError naming the line that is no length.
    """
    from peakwise.core.length_text import parse_lengths

    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a null character in the name is no OSError
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ReadError(
            "the file of lengths cannot be read",
            where="--seq",
            got=f"{path}: {reason}",
            expected="a text file with one length a line",
        ) from error
    if len(data) > MOST_BYTES:
        raise ReadError("the file of lengths is too large", where=path, got="over 100 MB", expected="at most 100 MB")
    return parse_lengths(data.decode("utf-8-sig", errors="replace"), path, slot)


def _read_documents(said: DocumentsText) -> tuple[tuple[int, ...], Arrangement | None]:
    """The lengths of the documents and, where there is padding, the slots they fill."""
    from peakwise.counting.lengths import arrange
    from peakwise.counting.percentiles import sample_lengths

    if said.quantiles is None:
        lengths = read_lengths(said.file, said.slot)
    else:
        _check_longest(said)
        lengths = sample_lengths(said.quantiles, said.n_documents)
    if said.policy == "varlen":
        return lengths, None
    batch = said.size if said.slot is None else 1
    return lengths, arrange(lengths, policy=said.policy, batch=batch, seq_len=said.slot)


def _check_longest(said: DocumentsText) -> None:
    longest = said.quantiles.points[-1][1] if said.quantiles else 0
    if said.slot is not None and longest > said.slot:
        raise InputError(
            "a quantile is longer than the slot", where="--seq", got=f"{longest}", expected=f"at most {said.slot}"
        )


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
    reentrant: bool = False,
    ssm_rule: str = "recurrent",
    masked: float | None = None,
) -> Workload:
    """The workload that flags describe; `lengths=FILE` reads the file.

    **Raises** InputError naming the flag that cannot be used.
    """
    said = parse_seq(seq) if isinstance(seq, str) else SeqText(seq_len=seq)
    lengths, arranged = _read_documents(said.documents) if said.documents else ((), None)
    if lengths and batch != 1:
        raise InputError(
            "the lengths say how many documents there are",
            where="--batch",
            got=str(batch),
            expected="1; a batch that is padded to its longest is longest=8 or grouped=8 in --seq",
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
        arranged=arranged,
        quantiles=said.documents.quantiles if said.documents else None,
        masked=masked,
        mode=mode,
        attention=attention,
        train=parse_train(train),
        recompute=_recompute(recompute, early_stop=early_stop, flash_backward=flash_backward, reentrant=reentrant),
        mtp=mtp == "on",
        ssm_rule=ssm_rule,
    )


def _recompute(text: str, *, early_stop: bool, flash_backward: bool, reentrant: bool) -> Recompute:
    policy = parse_recompute(text)
    if early_stop and policy.policy == "none":
        raise InputError(
            "nothing is recomputed, so nothing stops early",
            where="--early-stop",
            got=f"--recompute {text}",
            expected="a policy that recomputes",
            hint="--recompute full --early-stop",
        )
    if reentrant and (early_stop or policy.policy not in ("full", "every")):
        raise InputError(
            "a reentrant checkpoint is one of whole blocks, and never stops early",
            where="--reentrant",
            got=f"--recompute {text}{' --early-stop' if early_stop else ''}",
            expected="--recompute full or every:N, without --early-stop",
            hint="--recompute full --reentrant",
        )
    return replace(policy, early_stop=early_stop, flash_backward=flash_backward, reentrant=reentrant)


def _choice(where: str, got: str, expected: str) -> InputError:
    return InputError(f"{where} takes {expected}", where=where, got=got, expected=expected)
