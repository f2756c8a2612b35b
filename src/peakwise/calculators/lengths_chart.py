"""What the page of lengths draws: how the lengths are spread, and what each policy leaves of the tokens."""

from __future__ import annotations

from collections import Counter
from math import isqrt

from peakwise.core.arrangement import Arrangement, Policy
from peakwise.core.chart import Axis, Bar, BarChart, Chart, Column, Line, LineChart, Rule, Twin
from peakwise.core.declaration import Display
from peakwise.counting.lengths import arrange

POLICIES: tuple[Policy, ...] = ("max", "longest", "grouped", "pack", "varlen")
_COUNT = Display(form="number", decimals=0)
_PERCENT = Display(form="percent", decimals=2)
_FEWEST_BINS, _MOST_BINS = 4, 24  # of a histogram that a narrow screen shows


def draw_charts(lengths: tuple[int, ...], laid: Arrangement, batch: int, slot: int) -> tuple[Chart, ...]:
    """The charts of one calculation, the main one first."""
    return _policies(lengths, laid, batch, slot), _spread(lengths, laid)


def _policies(lengths: tuple[int, ...], laid: Arrangement, batch: int, slot: int) -> BarChart:
    """The useful fraction under each policy; not known where a length is above the slot."""

    def useful(policy: Policy) -> float | None:
        if policy == laid.policy:
            return laid.useful
        if policy in ("max", "pack") and max(lengths) > slot:
            return None
        return arrange(lengths, policy=policy, batch=batch, seq_len=slot).useful

    bars = (Bar(each, useful(each), style="ours" if each == laid.policy else "modelled") for each in POLICIES)
    return BarChart(name="policies", axis=Axis("useful", _PERCENT, high=1), bars=tuple(bars))


def _spread(lengths: tuple[int, ...], laid: Arrangement) -> LineChart:
    """The examples in bins of one width, from the shortest to the longest, as an outline."""
    bins = count_bins(lengths)
    edges = [(edge, float(count)) for low, high, count in bins for edge in (float(low), float(high + 1))]
    outline = ((edges[0][0], 0.0), *edges, (edges[-1][0], 0.0))
    return LineChart(
        name="spread",
        x=Axis("lengths", _COUNT),
        y=Axis("n_examples", _COUNT),
        lines=(Line("n_examples", outline),),
        rules=(Rule("mean_tokens", "x", laid.mean_tokens),),
        twin=Twin(
            columns=(Column("from", _COUNT), Column("to", _COUNT), Column("n_examples", _COUNT)),
            rows=tuple((float(low), float(high), float(count)) for low, high, count in bins),
        ),
    )


def count_bins(lengths: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """(shortest, longest, how many) of bins of one width; their numbers sum to the examples.

    **Example**
    >>> count_bins((1, 2, 2, 40))
    ((1, 10, 3), (11, 20, 0), (21, 30, 0), (31, 40, 1))
    """
    low, high = min(lengths), max(lengths)
    most = max(_FEWEST_BINS, min(_MOST_BINS, 2 * isqrt(len(lengths))))
    width = -(-(high - low + 1) // most)
    counts = Counter((length - low) // width for length in lengths)
    places = range((high - low) // width + 1)
    return tuple((low + place * width, low + (place + 1) * width - 1, counts[place]) for place in places)
