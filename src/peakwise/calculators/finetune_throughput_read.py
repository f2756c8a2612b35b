"""The inputs of the fine-tuning throughput calculator in base units, or every reason why they cannot be."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.efficiency import measured_efficiency, scaled_efficiency, scaling_constant
from peakwise.calculators.finetune_throughput_fields import DECLARATION, EFFICIENCIES, LENGTHS, RATES
from peakwise.calculators.finetune_throughput_work import Points, Work
from peakwise.calculators.read import called, example, expected
from peakwise.core.number import format_plain
from peakwise.core.units import from_giga, from_percent, from_tera

# FLOPs per parameter and token of a training: multiply and add forward, twice that backward.
TRAINING = 6

# Fields that say something only beside the one that opens their way of saying it, and the other ways.
_BELONG: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "input_tokens": (LENGTHS, ("output_tokens", "other_tokens")),
    "rate_at_1": (EFFICIENCIES, ("devices_at_n", "rate_at_n")),
    "rate_lo": (RATES, ("batch_lo", "batch_hi", "rate_hi")),
}


def resolve(checked: Checked) -> Work:
    """The inputs in base units. **Raises** InputError with every field that cannot be used beside the others."""
    problems = [*_stray(checked), *_ranges(checked)]
    if problems:
        raise refuse(problems, DECLARATION, checked.face)
    devices = int(_number(checked, "accelerators"))
    points = _points(checked)
    efficiency, constant = _efficiency(checked, devices)
    lengths = tuple(sorted(checked.numbers("lengths")))
    params, flop = checked.number("params_b"), checked.number("flop_per_token")
    peak = checked.number("peak_tflops")
    if flop is None and params is not None:
        flop = TRAINING * from_giga(params)
    return Work(
        devices=devices,
        rate_per_device=_number(checked, "tokens_per_s_per_device") if points is None else points.rate,
        points=points,
        efficiency=efficiency,
        scaling_c=constant,
        fraction_noted=any(note.code == "W_FRACTION" and note.input == "efficiency_pct" for note in checked.notes),
        tokens_per_example=_length(checked, lengths),
        lengths=lengths,
        flop_per_token=flop,
        factor=None if checked.stated("flop_per_token") or params is None else TRAINING,
        peak_per_device=None if peak is None else from_tera(peak),
    )


def _number(checked: Checked, key: str) -> float:
    value = checked.number(key)
    assert value is not None  # required, or required beside what was given
    return value


def _points(checked: Checked) -> Points | None:
    if checked.number("rate_lo") is None:
        return None
    one = (_number(checked, "batch_lo"), _number(checked, "rate_lo"))
    other = (_number(checked, "batch_hi"), _number(checked, "rate_hi"))
    return Points(batch=_number(checked, "batch"), low=min(one, other), high=max(one, other))


def _efficiency(checked: Checked, devices: int) -> tuple[float, float | None]:
    """The efficiency at this size, and c where two rates gave it."""
    given = checked.number("efficiency_pct")
    if given is not None:
        return from_percent(given), None
    size = int(_number(checked, "devices_at_n"))
    measured = _measured(checked)
    constant = scaling_constant(measured, size)
    return (measured if devices == size else scaled_efficiency(constant, devices)), constant


def _measured(checked: Checked) -> float:
    size = int(_number(checked, "devices_at_n"))
    return measured_efficiency(_number(checked, "rate_at_1"), size, _number(checked, "rate_at_n"))


def _length(checked: Checked, lengths: tuple[int | float, ...]) -> float:
    """Tokens of an example: as given, the sum of its parts, or the mean of the lengths."""
    if lengths:
        return sum(lengths) / len(lengths)
    given = checked.number("tokens_per_example")
    return _parts(checked) if given is None else given


def _parts(checked: Checked) -> float:
    return sum(checked.number(key) or 0 for key in ("input_tokens", "output_tokens", "other_tokens"))


def _stray(checked: Checked) -> Iterator[Problem]:
    """Fields that were given without the one they belong to: they would say nothing."""
    for opener, (ways, others) in _BELONG.items():
        if checked.stated(opener):
            continue
        said = next((way for way in ways if way in checked.inputs), ways[0])
        for key in others:
            if checked.stated(key):
                yield _apart(checked, key, opener, said)


def _apart(checked: Checked, key: str, opener: str, said: str) -> Problem:
    name, first, other = (called(DECLARATION.field(each), checked.face) for each in (key, opener, said))
    return Problem(
        field=key,
        code="E_CONFLICT",
        message=f"{name} goes with {first}, and {other} says the same thing in another way",
        got=f"{name} and {other}",
        expected=f"{first} and {name}, or {other} alone",
        hint=f"leave out {name}, or give {first} in place of {other}",
    )


def _ranges(checked: Checked) -> Iterator[Problem]:
    """Numbers that their own range allows and that nothing can be computed from."""
    if checked.stated("input_tokens") and not _parts(checked):
        yield _out(checked, "input_tokens", "the parts of an example add up to no token", "parts above 0 together")
    if checked.number("batch_lo") is not None and checked.number("batch_lo") == checked.number("batch_hi"):
        yield _out(checked, "batch_hi", "both points have the same batch", "another batch than that of the first point")
    for key in ("rate_at_1", "rate_at_n"):
        if checked.number(key) == 0:
            yield _out(checked, key, "no efficiency follows from a rate of 0", "a rate above 0")
            return
    if checked.number("rate_at_1") is not None and round(_measured(checked), 12) > 1:
        size, rate = checked.number("devices_at_n") or 0, checked.number("rate_at_1") or 0
        most = format_plain(size * rate)
        message = (
            f"{format_plain(size)} accelerators are faster than {format_plain(size)} times one, which they cannot be"
        )
        yield _out(checked, "rate_at_n", message, f"at most {most}")


def _out(checked: Checked, key: str, message: str, wanted: str) -> Problem:
    field = DECLARATION.field(key)
    return Problem(
        field=key,
        code="E_RANGE",
        message=f"{called(field, checked.face)}: {message}",
        got=format_plain(checked.number(key) or 0),
        expected=f"{wanted} ({expected(field)})",
        hint=f"{field.flag} {example(field)}",
    )
