"""What cannot be right in the inputs of a roofline, each with its likely cause and a repair."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.inference_roofline_fields import DECLARATION
from peakwise.calculators.inference_roofline_work import Work
from peakwise.core.calculation import Cause
from peakwise.core.finding import Finding
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent

# The ends of the fields' ranges: no repair that the field would refuse.
_MOST_SEQUENCES = int(DECLARATION.field("batch").high or 0)
_MOST_DEVICES = int(DECLARATION.field("accelerators").high or 0)


def _gb(size: float) -> str:
    return format_fixed(to_giga(size), 1) + " GB"


def _percent(fraction: float) -> str:
    return format_fixed(to_percent(fraction), 1) + " %"


def find_causes(work: Work) -> tuple[Cause, ...]:
    """Why a measured rate is above what the hardware can do, likeliest first; empty where it is not."""
    return tuple(_causes(work)) if work.over else ()


def _causes(work: Work) -> Iterator[Cause]:
    """Each cause with the larger of MBU and MFU that it would leave."""
    yield from _batch(work)
    yield from _devices(work)
    yield from _weights(work)
    if work.n_active is None and not work.experts_known:
        text = "a mixture of experts: a token reads only active ones"
        yield Cause(text=text, value=None, fix="--active-params N", id="mixture")
    yield Cause(text="the rate counts prompt tokens", value=None, fix="--rate N", id="prompt")


def _batch(work: Work) -> Iterator[Cause]:
    """More sequences are decoded together than stated, where the arithmetic would allow the rate."""
    streams = None if work.rate is None else work._replace(target=work.rate).streams_needed
    if streams is None or not work.batch < streams <= _MOST_SEQUENCES:
        return
    more = work._replace(batch=streams)
    yield Cause(
        text=f"at least {streams:,} sequences are decoded together, not {work.batch:,}",
        value=max(more.mbu, more.mfu),
        fix=f"--batch {streams}",
        id="batch",
        values=(("streams", streams), ("batch", work.batch)),
        repair=(("batch", streams),),
    )


def _devices(work: Work) -> Iterator[Cause]:
    """The rate belongs to more accelerators."""
    more = work._replace(devices=work.devices * 2)
    while more.over:
        more = more._replace(devices=more.devices * 2)
    if more.devices > _MOST_DEVICES:
        return
    yield Cause(
        text=f"the rate comes from {more.devices:,} accelerators, not {work.devices:,}",
        value=max(more.mbu, more.mfu),
        fix=f"--devices {more.devices}",
        id="devices",
        values=(("devices", more.devices), ("stated", work.devices)),
        repair=(("accelerators", more.devices),),
    )


def _weights(work: Work) -> Iterator[Cause]:
    """The weights are stored in fewer bytes, where that would explain it."""
    for size in (2, 1, 0.5):
        fewer = work._replace(bytes_per_param=size)
        if size < work.bytes_per_param and not fewer.over:
            yield Cause(
                text=f"a weight takes {format_plain(size)} byte, not {format_plain(work.bytes_per_param)}",
                value=max(fewer.mbu, fewer.mfu),
                fix=f"--bytes {format_plain(size)}",
                id="bytes",
                values=(("bytes", size), ("stated", work.bytes_per_param)),
                repair=(("bytes_per_param", size),),
            )
            return


def find_warnings(work: Work, causes: tuple[Cause, ...]) -> Iterator[Finding]:
    """The findings of one calculation, the gravest first."""
    if causes:
        yield _over(work, causes)
    yield from _fit(work)
    if work.reads_bounded and work.batch > 1:
        yield Finding(
            code="W_MOE_READ",
            message="how many experts a batch reads is not known, so the bytes are an upper estimate; the number of "
            "experts, top-k and the parameters in them give what is expected",
            input="n_experts",
            fix="--experts N --top-k K --expert-params N",
            values=(("batch", work.batch), ("weight_bytes", work.weight_bytes(work.batch))),
        )


def _over(work: Work, causes: tuple[Cause, ...]) -> Finding:
    name, share = ("MBU", work.mbu) if work.mbu >= work.mfu else ("MFU", work.mfu)
    likely = "; ".join(cause.text + ("" if cause.value is None else f" ({_percent(cause.value)})") for cause in causes)
    return Finding(
        code="E_OVER",
        message=f"{name} is {_percent(share)}, above what the hardware can do, so one input is likely wrong: {likely}",
        input="tokens_per_s",
        fix=causes[0].fix,
        values=(("which", name), ("share", share), ("ceiling", work.ceiling(work.batch))),
        repair=causes[0].repair,
    )


def _fit(work: Work) -> Iterator[Finding]:
    held, memory = work.weight_bytes_held, work.memory
    if memory is None or work.memory_per_device is None or held <= memory:
        return
    fewest = int(-(-held // work.memory_per_device))
    each = _gb(work.memory_per_device)
    yield Finding(
        code="W_FIT",
        message=f"weights of {_gb(held)} do not fit in {_gb(memory)}, {work.devices:,} × {each}; "
        "more accelerators hold them, or a narrower type",
        input="accelerators",
        fix=f"--devices {fewest}",
        values=(("weights", held), ("memory", memory), ("devices", work.devices), ("fewest", fewest)),
        repair=(("accelerators", fewest),),
    )
