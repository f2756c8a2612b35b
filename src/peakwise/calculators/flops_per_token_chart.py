"""What the page of FLOPs per token draws: the forward pass by part, and attention's share against the length."""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.calculators.attention_length import share_by_length
from peakwise.calculators.token_work import Counting, TokenWork
from peakwise.core.chart import Axis, Bar, BarChart, Chart, Column, Line, LineChart, Mark, Rule, Twin
from peakwise.core.declaration import Display, Value
from peakwise.core.model import Model
from peakwise.core.units import GIGA

_GFLOP = Display(form="number", unit="GFLOP", scale=GIGA, decimals=2)
_PERCENT = Display(form="percent", decimals=1)
_TOKENS = Display(form="number", unit="token", decimals=0)
TENTH = 0.1
PARTS = ("projections", "attention", "ffn", "router", "head", "mtp")
# Lengths of the line and of its table: powers of two from a paragraph to a book.
SHORTEST, LONGEST = 9, 20


def draw_parts(results: Mapping[str, Value | None]) -> BarChart:
    """The forward FLOPs of one token by part, each where the one above it ends; parts that are 0 are left out."""
    bars: list[Bar] = []
    start = 0.0
    for part in PARTS:
        value = results[f"part_{part}"]
        if isinstance(value, int | float) and value:
            bars.append(Bar(f"part_{part}", value, start, "ours" if part == "attention" else "measured"))
            start += value
    bars.append(Bar("forward_flop_per_token", start, style="whole"))
    return BarChart(name="parts", axis=Axis("forward_flop_per_token", _GFLOP), bars=tuple(bars))


def draw_attention(
    model: Model, work: TokenWork, counting: Counting, results: Mapping[str, Value | None]
) -> LineChart | None:
    """Attention's share of the FLOPs against the length of one sequence; None where attention is left out."""
    if counting.pairs == "none":
        return None
    here, crossing = counting.seq_len if not counting.lengths else None, results["seq_len_attention_10pct"]
    lengths = sorted({2**power for power in range(SHORTEST, LONGEST + 1)} | ({here} if here else set[int]()))
    shares = share_by_length(model, work, counting, lengths)
    if not any(shares):
        return None
    marks: list[Mark] = []
    if here:
        marks.append(Mark("now", here, shares[lengths.index(here)], "now"))
    if isinstance(crossing, int | float):
        marks.append(Mark("crossing", crossing, TENTH, shown="x"))
    points = tuple(zip(map(float, lengths), shares, strict=True))
    return LineChart(
        name="attention",
        x=Axis("seq_len", _TOKENS, log=True),
        y=Axis("attention_share", _PERCENT),
        lines=(Line("attention_share", points),),
        marks=tuple(marks),
        rules=(Rule("tenth", "y", TENTH),),
        twin=Twin(
            columns=(Column("seq_len", _TOKENS), Column("attention_share", _PERCENT)),
            rows=points,
            current=lengths.index(here) if here else None,
        ),
    )


def draw_charts(
    model: Model, work: TokenWork, counting: Counting, results: Mapping[str, Value | None]
) -> tuple[Chart, ...]:
    """The charts of one calculation, the main one first. `work`: of one token, of any length."""
    line = draw_attention(model, work, counting, results)
    return (draw_parts(results),) if line is None else (draw_parts(results), line)
