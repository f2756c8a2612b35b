"""What the page of cases draws: rules against rules, versions, the five factors, the two runs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from peakwise.calculators.compare_verdict import Verdict, judge
from peakwise.calculators.compare_work import (
    PUBLISHED,
    RULES,
    Asked,
    Pair,
    Side,
    product,
    ratio,
    side_of_case,
)
from peakwise.core.bands import find_band
from peakwise.core.case import Case, Move
from peakwise.core.chip import Precision
from peakwise.core.model import Matmul
from peakwise.core.units import S_PER_HOUR, TERA
from peakwise.counting.params import count_params


class Share(NamedTuple):
    """An MFU, fraction, and its band; the band means something only beside the denominator and the rule."""

    mfu: float | None
    band: str | None


class RuleRow(NamedTuple):
    """Both MFUs by one counting rule over one peak; `router`: whether the two count it (None: nothing was counted)."""

    rule: str
    denominator: Precision
    a: Share
    b: Share
    a_router: bool | None
    b_router: bool | None


class VersionRow(NamedTuple):
    """One version of a run: MFU before and after it was tuned, what moved it; `published` is false for a bare name.

    `experts_in_use`: share of the routed experts that a token meets. FLOP/s are of one device.
    """

    version: str
    published: bool
    first_mfu: float | None
    mfu: float | None
    first_flop_per_s: float | None
    flop_per_s: float | None
    devices: int | None
    params: float | None
    active_params: float | None
    layers: int | None
    experts: int | None
    top_k: int | None
    experts_in_use: float | None
    efficiency_gain: float | None
    routing: str
    moves: tuple[Move, ...]


class FactorRow(NamedTuple):
    """One of the five things that move an MFU, as names and figures of both runs: shape, devices, parallelism,
    precision, software. Empty where a publication says nothing.
    """

    factor: str
    a: tuple[str, ...]
    b: tuple[str, ...]


class SideRow(NamedTuple):
    """One line of the table side by side, base units; `ratio` is a ÷ b."""

    key: str
    a: float | None
    b: float | None
    ratio: float | None


class OverheadRow(NamedTuple):
    """One part of a published overhead: seconds, its share of the whole, and the share that was printed beside it."""

    id: str
    seconds: float
    share: float
    printed_share: float | None


class CompareChart(NamedTuple):
    """All that the page draws of one comparison."""

    rules: tuple[RuleRow, ...]
    side_by_side: tuple[SideRow, ...]
    factors: tuple[FactorRow, ...]
    verdict: Verdict


def draw_compare(pair: Pair) -> CompareChart:
    """What the page draws of one comparison; tables of published runs are empty where a side was typed."""
    both = pair.a.case is not None and pair.b.case is not None
    return CompareChart(
        rules=tuple(_rule_rows(pair)) if both else (),
        side_by_side=tuple(_side_rows(pair)),
        factors=tuple(_factor_rows(pair)) if both else (),
        verdict=judge(pair),
    )


def _brought(pair: Pair, rule: str, denominator: Precision | None = None) -> tuple[Side, Side]:
    """Both published runs by a rule, over a peak."""
    asked = pair.asked._replace(rule=rule, denominator=denominator or pair.asked.denominator)
    a, b = (_again(side, asked) for side in pair.sides)
    return a, b


def _again(side: Side, asked: Asked) -> Side:
    assert side.case is not None  # only published runs are brought to another rule here
    return side_of_case(side.letter, side.case, asked)


def _share(side: Side) -> Share:
    return Share(side.mfu, None if side.mfu is None else find_band(side.mfu))


def _rule_rows(pair: Pair) -> Iterator[RuleRow]:
    """Every rule over both kinds of peak, the 16-bit one first."""
    for denominator in ("bf16", "fp8"):
        for rule in (PUBLISHED, *RULES):
            a, b = _brought(pair, rule, denominator)
            yield RuleRow(rule, denominator, _share(a), _share(b), _router(a), _router(b))


def _router(side: Side) -> bool | None:
    return None if side.counted is None else side.counted.router


def _side_rows(pair: Pair) -> Iterator[SideRow]:
    if pair.a.case is None or pair.b.case is None:
        yield from _plain_rows(*pair.sides)
        return
    published, exact = _brought(pair, PUBLISHED, "bf16"), _brought(pair, "exact", "bf16")
    yield _row("mfu_published", *(side.mfu for side in published))
    yield _row("mfu_exact", *(side.mfu for side in exact))
    yield _row("mfu_fp8", *(side.mfu for side in _brought(pair, PUBLISHED, "fp8")))
    yield from _plain_rows(*published)
    yield _row("matmul_params", *(_matmul_params(side.case) for side in published))


def _plain_rows(a: Side, b: Side) -> Iterator[SideRow]:
    yield _row("flop_per_s", a.flop_per_s, b.flop_per_s)
    yield _row("tokens_per_s", a.tokens_per_s, b.tokens_per_s)
    yield _row("device_hours_per_tera_token", _device_hours(a), _device_hours(b))
    yield _row("flop_per_token", a.flop_per_token, b.flop_per_token)
    yield _row("peak", a.peak, b.peak)


def _row(key: str, a: float | None, b: float | None) -> SideRow:
    return SideRow(key, a, b, ratio(a, b))


def _device_hours(side: Side) -> float | None:
    """Hours of one device for 10¹² tokens while stepping."""
    each = product(side.tokens_per_s, S_PER_HOUR)
    return ratio(TERA, each)


def _matmul_params(case: Case | None) -> int | None:
    """Weights that one token is multiplied with; the router where the run's own rule counts it."""
    if case is None or case.model is None:
        return None
    router = sum(op.used * op.matrix_weights for op in _routers(case))
    counted = case.rule is not None and case.rule.router
    return count_params(case.model).matmul - (0 if counted else router)


def _routers(case: Case) -> Iterator[Matmul]:
    for layer in () if case.model is None else case.model.layers:
        yield from (op for op in layer.ops if isinstance(op, Matmul) and op.component == "router")


def _factor_rows(pair: Pair) -> Iterator[FactorRow]:
    a, b = (side.case for side in pair.sides)
    assert a is not None and b is not None  # noqa: PT018  draw_compare asks for two published runs
    yield FactorRow("shape", _shape_words(a), _shape_words(b))
    yield FactorRow("devices", _device_words(a), _device_words(b))
    yield FactorRow("parallelism", _network_words(a), _network_words(b))
    yield FactorRow("precision", a.compute, b.compute)
    yield FactorRow("software", a.software, b.software)


def _shape_words(case: Case) -> tuple[str, ...]:
    shape = case.shape
    words = [f"{shape.layers} × {shape.width}"] if shape.layers and shape.width else []
    return (*words, *([f"{shape.top_k}/{shape.experts}"] if shape.experts and shape.top_k else []))


def _device_words(case: Case) -> tuple[str, ...]:
    return (*([] if case.devices is None else [f"{case.devices} ×"]), case.chip)


def _network_words(case: Case) -> tuple[str, ...]:
    return (*case.parallelism, *([case.network] if case.network else []))


def list_versions(cases: Mapping[str, Case], run: str) -> tuple[VersionRow, ...]:
    """The versions of one run in their order, those without any published figure too."""
    return tuple(_version(case) for case in cases.values() if case.run == run)


def _version(case: Case) -> VersionRow:
    peak, shape = case.peaks.get("bf16"), case.shape
    return VersionRow(
        version=case.version,
        published=case.published,
        first_mfu=case.first_mfu,
        mfu=case.mfu,
        first_flop_per_s=product(case.first_mfu, peak),
        flop_per_s=product(case.mfu, peak),
        devices=case.devices,
        params=shape.params,
        active_params=shape.active_params,
        layers=shape.layers,
        experts=shape.experts,
        top_k=shape.top_k,
        experts_in_use=ratio(shape.top_k, shape.experts),
        efficiency_gain=case.efficiency_gain,
        routing=case.routing,
        moves=case.moves,
    )


def list_overheads(case: Case) -> tuple[OverheadRow, ...]:
    """The named parts of a published overhead, and the rest of it as `unnamed`."""
    if case.hours is None or not case.overheads:
        return ()
    whole = case.hours.overhead_s
    rows = [OverheadRow(part.id, part.seconds, part.seconds / whole, part.printed_share) for part in case.overheads]
    left = whole - _sum(part.seconds for part in case.overheads)
    return (*rows, OverheadRow("unnamed", left, left / whole, None))


def _sum(values: Iterable[float]) -> float:
    return sum(values, 0.0)
