"""How many positions an operation repeats over."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.errors import InputError
from peakwise.core.model import Model, Origin, Over, Stream
from peakwise.core.workload import Workload


def positions_of_sample(over: Over, streams: tuple[Stream, ...], workload: Workload) -> int:
    """Positions of one sample; 0 where the workload does not have what the stream comes from.

    **Raises** InputError where the size is too small for the stream's kernels.
    """
    if over == "sequence":
        return 1
    if over == "token":
        return workload.seq_len or 0
    if over == "encoder":
        return workload.encoder_len or 0
    stream = next(stream for stream in streams if stream.name == over)
    size = size_of(stream, workload)
    if size is None:
        return 0
    if stream.across is not None and not has_part(stream.across, workload):
        return 0
    _check_multiple(stream, size)
    if stream.fixed is not None:
        return stream.fixed
    for step in stream.steps:
        size = (size + 2 * step.padding - step.kernel) // step.stride + 1
        if size < 1:
            raise InputError(
                f"the {_NOUNS[stream.origin]} is too small for the model's kernels",
                where="--seq",
                got=f"{stream.origin}={size_of(stream, workload)}",
                expected=f"at least {_least(stream)}",
                hint=f"--seq {_WORDS[stream.origin]}",
            )
    n_positions = size**stream.dims // stream.merge + stream.extra
    n_positions += sum(positions_of_sample(each, streams, workload) for each in stream.also)
    _check_most(stream, workload, n_positions)
    return n_positions


def _check_multiple(stream: Stream, size: int) -> None:
    if size % stream.multiple:
        raise InputError(
            f"the {_NOUNS[stream.origin]} does not divide into the model's patches",
            where="--seq",
            got=f"{stream.origin}={size}",
            expected=f"a multiple of {stream.multiple}",
            hint=f"--seq {stream.origin}={max(1, round(size / stream.multiple)) * stream.multiple}",
        )


def _check_most(stream: Stream, workload: Workload, n_positions: int) -> None:
    if stream.most is not None and n_positions > stream.most:
        raise InputError(
            f"the {_NOUNS[stream.origin]} gives more positions than the model has",
            where="--seq",
            got=f"{stream.origin}={size_of(stream, workload)}: {n_positions} positions",
            expected=f"at most {stream.most} positions",
            hint=f"--seq {_WORDS[stream.origin]}",
        )


def _least(stream: Stream) -> int:
    """The smallest size that leaves a position after every step."""
    size = 1
    for step in reversed(stream.steps):
        size = max(1, (size - 1) * step.stride + step.kernel - 2 * step.padding)
    return size


def has_part(part: Origin, workload: Workload) -> bool:
    """Does the workload have this part?"""
    return _sizes(workload)[part] is not None


def _sizes(workload: Workload) -> dict[Origin, int | None]:
    return {
        "text": workload.seq_len,
        "encoder": workload.encoder_len,
        "image": workload.image,
        "mel": workload.mel,
    }


def size_of(stream: Stream, workload: Workload) -> int | None:
    """The workload's size of what a stream comes from: tokens, pixels along a side, frames; None where absent."""
    return _sizes(workload)[stream.origin]


def count_positions(over: Over, streams: tuple[Stream, ...], workload: Workload) -> int:
    """Positions over the whole workload: all samples, or all packed documents."""
    if over == "sequence":
        return workload.n_sequences
    if workload.lengths and over == "token":
        return workload.tokens
    if workload.lengths and any(stream.name == over and stream.origin == "text" for stream in streams):
        documents = [
            (replace(workload, seq_len=length, lengths=(), arranged=None), n) for length, n in workload.by_length
        ]
        return sum(positions_of_sample(over, streams, document) * n for document, n in documents)
    n_positions = workload.batch * positions_of_sample(over, streams, workload)
    if any(stream.name == over and stream.across is not None for stream in streams):
        return workload.batch * n_positions
    return n_positions


def check_parts(model: Model, workload: Workload) -> None:
    """Nothing where the workload has what the model runs on. **Raises** InputError that names what lacks."""
    given = {part: size is not None for part, size in _sizes(workload).items()}
    known = known_parts(model)
    lacking = [part for part in model.asks if not given[part]]
    strange = [part for part, there in given.items() if there and part not in known]
    if not lacking and not strange and any(given.values()):
        return
    names = {"text": "text", "encoder": "encoder text", "image": "an image", "mel": "mel frames"}
    runs_on = (" and " if model.asks else " or ").join(names[part] for part in model.asks or known)
    if strange:
        message = f"{model.name} has no {' and no '.join(strange)} part; it runs on {runs_on}"
    else:
        message = f"{model.name} runs on {runs_on}; {' and '.join(lacking or known)} not given"
    raise InputError(
        message,
        where="--seq",
        got=", ".join(part for part, there in given.items() if there) or "nothing",
        expected=example_seq(model),
        hint=f"--seq {example_seq(model)}",
    )


def known_parts(model: Model) -> tuple[Origin, ...]:
    """The parts of a workload that this model runs on, in the order `--seq` names them."""
    found: set[Origin] = {*model.asks, *(stream.origin for stream in model.streams)}
    if not model.asks:
        found.add("text")  # every composite has a text part
    return tuple(part for part in ORDER if part in found)


# The parts of a workload as `--seq` names them, in its order, each with an ordinary size.
ORDER: tuple[Origin, ...] = ("encoder", "mel", "image", "text")
_NOUNS = {"encoder": "encoder text", "mel": "audio", "image": "image", "text": "text"}
_WORDS = {"text": "text=77", "encoder": "enc=512", "mel": "mel=3000", "image": "image=224"}


def example_seq(model: Model) -> str:
    """A `--seq` that this model can be counted with."""
    if model.asks == ("text",):
        return "4096"
    parts = known_parts(model)
    words = [_WORDS[part] for part in parts if part != "text"]
    if "text" in parts:
        words.append("dec=128" if {"encoder", "mel"} & set(parts) else "text=77")
    return ",".join(words)
