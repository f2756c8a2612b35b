"""How examples of unequal length fill the slots that are run: padding, batches, packs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import assert_never

from peakwise.core.arrangement import Arrangement, Policy
from peakwise.core.errors import InputError
from peakwise.core.lengths import Lengths

_ByLength = tuple[tuple[int, int], ...]


def arrange(lengths: Sequence[int], *, policy: Policy, batch: int = 1, seq_len: int | None = None) -> Arrangement:
    """What becomes of examples of `lengths` (tokens) under a policy: slots, bins, Σ l², Σ (processed length)².

    `batch`: examples of one batch. `seq_len`: the slot of `max` and `pack`; the other policies do not use it.
    **Formula** max: every example takes `seq_len` slots. longest: batches in the given order, every example takes its
    batch's longest; a last batch may be smaller. grouped: the same of the lengths sorted upwards. pack: first-fit
    decreasing into slots of `seq_len`, and a pack is run as one sequence. varlen: every example its own length.
    **Raises** InputError without lengths, for a length below 1, and for one above the slot of `max` and `pack`.
    **Example**
    >>> arranged = arrange([200, 400, 900, 2100], policy="pack", seq_len=4096)
    >>> arranged.bins, arranged.useful, round(arranged.attention_ratio, 3)
    (1, 0.87890625, 0.323)
    """
    texts = Lengths.of(lengths)
    _check(texts, policy, batch, seq_len)
    n_batches = -(-len(texts) // batch)
    match policy:
        case "max":
            rows, bins = ((seq_len or 0, len(texts)),), n_batches
        case "longest":
            rows, bins = _pad_to_longest(texts, batch), n_batches
        case "grouped":
            rows, bins = _pad_to_longest(sorted(texts), batch), n_batches
        case "pack":
            bins = count_packs(texts, seq_len or 0)
            rows = ((seq_len or 0, bins),)
        case "varlen":
            rows, bins = texts.by_length, n_batches
        case _ as unknown:
            assert_never(unknown)
    return Arrangement(
        policy=policy,
        size=(seq_len or 0) if policy in ("max", "pack") else batch,
        n_examples=len(texts),
        tokens=texts.total,
        square_useful=sum(length**2 * times for length, times in texts.by_length),
        rows=rows,
        bins=bins,
    )


def trained_share(mean_tokens: float, masked_tokens: float) -> float:
    """The fraction of the real tokens that the loss sees.

    **Formula** 1 − masked ÷ mean, both per example.
    **Raises** InputError where more tokens are masked than an example has.
    **Example**
    >>> trained_share(900, 225)
    0.75
    """
    if not 0 <= masked_tokens <= mean_tokens:
        raise InputError(
            "more tokens lie outside the loss than a text has",
            where="masked tokens",
            got=f"{masked_tokens:g} of {mean_tokens:g}",
            expected="0 to the mean length",
        )
    return 1 - masked_tokens / mean_tokens


def _check(lengths: Lengths, policy: Policy, batch: int, seq_len: int | None) -> None:
    if not lengths:
        raise InputError("there are no lengths", where="lengths", got="nothing", expected="one length or more")
    if batch < 1:
        raise InputError("a batch is empty", where="batch", got=str(batch), expected="1 or more")
    shortest, longest = lengths.by_length[0][0], lengths.by_length[-1][0]
    if shortest < 1:
        raise InputError("a length is too small", where="lengths", got=str(shortest), expected="1 or more")
    if policy not in ("max", "pack"):
        return
    if seq_len is None or seq_len < 1:
        raise InputError("the slot has no length", where="seq_len", got=str(seq_len), expected="1 or more")
    if longest > seq_len:
        raise InputError(
            "a text is longer than its slot", where="lengths", got=str(longest), expected=f"at most {seq_len}"
        )


def _pad_to_longest(lengths: Sequence[int], batch: int) -> tuple[tuple[int, int], ...]:
    rows: Counter[int] = Counter()
    for start in range(0, len(lengths), batch):
        members = lengths[start : start + batch]
        rows[max(members)] += len(members)
    return tuple(sorted(rows.items()))


def count_packs(lengths: Sequence[int], seq_len: int) -> int:
    """Slots of `seq_len` tokens that first-fit decreasing needs for texts of `lengths`.

    **Formula** the longest text first, each into the first slot that has room. Texts of one length are placed at
    once, and neighbouring slots with the same room are one run, so that the time grows with the different lengths.
    **Source** Johnson 1973: at most 11/9 of the fewest slots, and 6/9 more.
    **Example**
    >>> count_packs([200, 400, 900, 2100], 2100)
    2
    """
    texts = Lengths.of(lengths)
    assert texts.by_length[-1][0] <= seq_len
    return _Slots(texts, seq_len).used


class _Slots:
    """Runs of neighbouring slots with the same room, filled with the longest texts first.

    A tree of maxima over the slots finds the first run with room in logarithmic time: the leaf of a run's first slot
    holds the room, the leaves of its other slots hold nothing. The last run is what nobody has used yet.
    """

    def __init__(self, lengths: Lengths, seq_len: int) -> None:
        # All slots but one are more than half full, whence the most there can be.
        most = min(len(lengths), -(-2 * lengths.total // seq_len))
        self._leaves = 1 << most.bit_length()
        self._room = [0] * (2 * self._leaves)
        self._size: dict[int, int] = {}
        self.used = 0
        shorter = self._take_alone(lengths.by_length[::-1], seq_len)
        self._size[self.used] = most - self.used
        self._room[self._leaves + self.used] = seq_len
        for node in range(self._leaves - 1, 0, -1):
            self._room[node] = max(self._room[2 * node], self._room[2 * node + 1])
        for length, times in shorter:
            self._fill(length, times)

    def _take_alone(self, longest_first: _ByLength, seq_len: int) -> _ByLength:
        """Gives each text of more than half a slot its own; the shorter ones remain."""
        for place, (length, times) in enumerate(longest_first):
            if 2 * length <= seq_len:
                return longest_first[place:]
            self._room[self._leaves + self.used] = seq_len - length
            self._size[self.used] = times
            self.used += times
        return ()

    def _fill(self, length: int, times: int) -> None:
        """Places texts of one length, each into the first slot that has room."""
        room, leaves, sizes = self._room, self._leaves, self._size
        while times:
            node = 1
            while node < leaves:  # to the left wherever there is room
                node *= 2
                if room[node] < length:
                    node += 1
            free, size = room[node], sizes[node - leaves]
            each = free // length
            n_slots = min(size, times // each) or 1
            placed = min(each, times)  # fewer than fit only where one slot takes the last of them
            if n_slots < size:
                sizes[node - leaves + n_slots] = size - n_slots
                self._set(node + n_slots, free)
            sizes[node - leaves] = n_slots
            self._set(node, free - placed * length)
            times -= n_slots * placed
            self.used = max(self.used, node - leaves + n_slots)

    def _set(self, node: int, free: int) -> None:
        room = self._room
        room[node] = free
        while node > 1:
            other = room[node ^ 1]
            free = max(free, other)
            node //= 2
            if room[node] == free:
                return
            room[node] = free
