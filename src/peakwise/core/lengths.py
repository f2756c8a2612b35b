"""The lengths of texts in tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

# Above this a length is a typing error, not a document (10⁹ tokens).
LONGEST = 1_000_000_000


class Lengths(tuple[int, ...]):
    """The lengths of texts, tokens, in their order; counted once, since there may be millions.

    `by_length`: (length, how many texts have it), from short to long; `total`: tokens in all.
    """

    by_length: tuple[tuple[int, int], ...]
    total: int

    def __new__(cls, lengths: Iterable[int]) -> Lengths:
        made = super().__new__(cls, lengths)
        made.by_length = tuple(sorted(Counter(made).items()))
        made.total = sum(length * times for length, times in made.by_length)
        return made

    @classmethod
    def of(cls, lengths: Iterable[int]) -> Lengths:
        """The same lengths, not counted again where they already are."""
        return lengths if isinstance(lengths, Lengths) else cls(lengths)
