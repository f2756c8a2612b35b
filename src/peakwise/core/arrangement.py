"""Texts of unequal length laid into the slots that are run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, repeat
from typing import Literal

from peakwise.core.lengths import Lengths

# How examples are laid out. `max`: each in a slot of its own; `longest`: batches in the given order, each padded to
# its longest; `grouped`: the same of sorted lengths; `pack`: several in one slot; `varlen`: no padding at all.
Policy = Literal["max", "longest", "grouped", "pack", "varlen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Examples laid into slots.

    `size`: the slot of `max` and `pack`, the batch of the others. `tokens`: real tokens; `square_useful`: Σ l².
    `rows`: the lengths of the sequences that are run, and how many have each. `bins`: batches, or the packs of `pack`.
    """

    policy: Policy
    size: int
    n_examples: int
    tokens: int
    square_useful: int
    rows: tuple[tuple[int, int], ...]
    bins: int

    def __post_init__(self) -> None:
        assert 1 <= self.n_examples <= self.tokens <= self.slots

    def text(self) -> str:
        """The layout as the command line writes it: `pack=4096`, `longest=8`; nothing where there is no padding."""
        return "" if self.policy == "varlen" else f"{'pad' if self.policy == 'max' else self.policy}={self.size}"

    @property
    def slots(self) -> int:
        """Tokens processed, padding included."""
        return sum(length * times for length, times in self.rows)

    @property
    def square_processed(self) -> int:
        """Σ (length of a sequence that is run)²."""
        return sum(length**2 * times for length, times in self.rows)

    @property
    def useful(self) -> float:
        """Real tokens ÷ tokens processed, a fraction."""
        return self.tokens / self.slots

    @property
    def attention_ratio(self) -> float:
        """Σ l² ÷ Σ (processed length)²: the share of the query–key pairs that belongs to one example."""
        return self.square_useful / self.square_processed

    @property
    def mean_tokens(self) -> float:
        """Real tokens of an example, on average."""
        return self.tokens / self.n_examples

    @property
    def processed(self) -> Lengths:
        """The length of every sequence that is run."""
        return Lengths(chain.from_iterable(repeat(length, times) for length, times in self.rows))
