"""What cannot be right, or misleads, in a comparison: each with its likely cause and a repair."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.compare_work import PUBLISHED, Pair, Side
from peakwise.core.calculation import Cause
from peakwise.core.finding import Finding
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent, to_tera


def _percent(fraction: float) -> str:
    return format_fixed(to_percent(fraction), 1) + " %"


def is_over(side: Side) -> bool:
    """Whether a side is above its peak. Twelve digits: doubles of one formula differ below."""
    return side.mfu is not None and round(side.mfu, 12) > 1


def find_causes(pair: Pair) -> tuple[Cause, ...]:
    """Why a side is above its peak, likeliest first, with the MFU it would be; empty where none is."""
    return tuple(cause for side in pair.sides if is_over(side) for cause in _causes(side))


def _causes(side: Side) -> Iterator[Cause]:
    assert side.mfu is not None  # it is above 1
    letter = side.letter
    devices = 2
    while side.mfu / devices > 1:
        devices *= 2
    yield Cause(
        text=f"{letter}: the figure is of {devices:,} accelerators, not of one",
        value=side.mfu / devices,
        fix=_flag(side, devices),
        id="devices",
        values=(("side", letter), ("devices", devices)),
    )
    if side.case is None:
        yield Cause(
            text=f"{letter}: weights are frozen, or idle experts were counted",
            value=None,
            fix=f"--{letter}-achieved N",
            id="count",
            values=(("side", letter),),
        )
    yield Cause(
        text=f"{letter}: the peak belongs to a faster chip or a narrower type",
        value=None,
        fix=f"--{letter}-peak N",
        id="peak",
        values=(("side", letter),),
    )


def _flag(side: Side, devices: int) -> str:
    """What to type for the figure of one accelerator."""
    if side.case is not None and side.tokens_per_s is not None:
        return f"--{side.letter}-rate-per-device {format_plain(side.tokens_per_s / devices)}"
    if side.flop_per_s is not None:
        return f"--{side.letter}-achieved {format_plain(to_tera(side.flop_per_s / devices))}"
    return f"--{side.letter}-mfu {format_plain(to_percent((side.mfu or 0) / devices))}"


def find_warnings(pair: Pair, causes: tuple[Cause, ...]) -> Iterator[Finding]:
    """The findings of one comparison, the gravest first."""
    for side in pair.sides:
        if is_over(side):
            yield _over(side, tuple(cause for cause in causes if ("side", side.letter) in cause.values))
    if pair.same_rule is False:
        yield _rule(pair)


def _over(side: Side, causes: tuple[Cause, ...]) -> Finding:
    assert side.mfu is not None  # it is above 1
    likely = "; ".join(cause.text + ("" if cause.value is None else f" ({_percent(cause.value)})") for cause in causes)
    return Finding(
        code="E_OVER",
        message=f"{side.letter} is {_percent(side.mfu)} of its peak, so one input is likely wrong: {likely}",
        input=f"{side.letter}_peak_tflops",
        fix=causes[0].fix,
        values=(("side", side.letter), ("value", side.mfu)),
    )


def _rule(pair: Pair) -> Finding:
    """Two rules behind two figures: the difference is not one of speed."""
    a, b = pair.sides
    assert a.rule is not None and b.rule is not None  # noqa: PT018  they differ
    figures = {side.letter: _typed_per_token(side) for side in pair.sides}
    known = all(side.tokens_per_s is not None for side in pair.sides)
    repair = (("rule", "exact"),) if known and pair.asked.rule == PUBLISHED else ()
    return Finding(
        code="W_RULE",
        message=f"the figures follow different counting rules: a {a.rule}{figures['a']}, b {b.rule}{figures['b']}; "
        "their ratio says nothing of speed",
        input="rule",
        fix="--rule exact" if repair else "",
        values=(
            ("a_rule", a.rule),
            ("b_rule", b.rule),
            ("a_flop_per_token", a.flop_per_token or 0),
            ("b_flop_per_token", b.flop_per_token or 0),
        ),
        repair=repair,
    )


def _typed_per_token(side: Side) -> str:
    if side.flop_per_token is None or side.counted is not None:
        return ""
    return f" ({format_fixed(to_giga(side.flop_per_token), 2)} GFLOP a token)"
