"""How many positions an operation repeats over."""

from __future__ import annotations

from peakwise.core.errors import InputError
from peakwise.core.model import Model, Over, Stream
from peakwise.core.workload import Workload

# What a part of a workload is called on the command line.
FLAG = {"text": "a length", "encoder": "enc=", "image": "image=", "mel": "mel="}


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
    if stream.fixed is not None:
        return stream.fixed
    for step in stream.steps:
        size = (size + 2 * step.padding - step.kernel) // step.stride + 1
        if size < 1:
            raise InputError(
                f"the {stream.origin} is too small for the model's kernels",
                where="--seq",
                got=f"{stream.origin} {size_of(stream, workload)}",
                expected=f"at least {step.kernel} along a side",
            )
    return size**stream.dims // stream.merge + stream.extra


def size_of(stream: Stream, workload: Workload) -> int | None:
    """The workload's size of what a stream comes from: tokens, pixels along a side, frames; None where absent."""
    sizes = {
        "text": workload.seq_len,
        "encoder": workload.encoder_len,
        "image": workload.image,
        "mel": workload.mel,
    }
    return sizes[stream.origin]


def count_positions(over: Over, streams: tuple[Stream, ...], workload: Workload) -> int:
    """Positions over the whole workload: all samples, or all packed documents."""
    if over == "sequence":
        return workload.n_sequences
    if workload.lengths and over == "token":
        return sum(workload.lengths)
    return workload.batch * positions_of_sample(over, streams, workload)


def check_parts(model: Model, workload: Workload) -> None:
    """Nothing where the workload has what the model runs on. **Raises** InputError that names what lacks."""
    given = {
        "text": workload.seq_len is not None,
        "encoder": workload.encoder_len is not None,
        "image": workload.image is not None,
        "mel": workload.mel is not None,
    }
    known = {*model.asks, *(stream.origin for stream in model.streams)}
    lacking = [part for part in model.asks if not given[part]]
    strange = [part for part, there in given.items() if there and part not in known]
    if not lacking and not strange:
        return
    example = example_seq(model)
    lacks = f"{model.name} runs on {' and '.join(model.asks)}; {' and '.join(lacking)} not given"
    raise InputError(
        lacks if lacking else f"{model.name} has no {' and no '.join(strange)} part",
        where="--seq",
        got=", ".join(part for part, there in given.items() if there) or "nothing",
        expected=", ".join(sorted(known)),
        hint=f"--seq {example}",
    )


def example_seq(model: Model) -> str:
    """A `--seq` that this model can be counted with."""
    if model.asks == ("text",):
        return "4096"
    texts = {"encoder": "enc=512", "mel": "mel=3000", "image": "image=224"}
    words = [texts[part] for part in model.asks if part != "text"]
    if "text" in model.asks:
        words.append("dec=128" if {"encoder", "mel"} & set(model.asks) else "text=77")
    return ",".join(words)
