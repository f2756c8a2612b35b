"""Visible pairs are counted exactly, pair by pair."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.model import Mask, Scores
from peakwise.core.workload import Workload
from peakwise.counting.attention import count_pairs, sum_pairs

LENGTHS = st.integers(1, 60)


def _sees(i: int, j: int, mask: Mask) -> bool:
    if mask.causal and j > i:
        return False
    if mask.chunk is not None and i // mask.chunk != j // mask.chunk:
        return False
    if mask.window is not None:
        return abs(i - j) <= mask.window if not mask.causal else i - j < mask.window
    return True


@given(n=LENGTHS, causal=st.booleans(), size=st.one_of(st.none(), st.integers(1, 70)), chunked=st.booleans())
def test_pairs_equal_a_walk_over_all_pairs(n: int, causal: bool, size: int | None, chunked: bool) -> None:
    mask = Mask(causal=causal, window=None if chunked else size, chunk=size if chunked else None)
    assert count_pairs(n, mask, "causal") == sum(_sees(i, j, mask) for i in range(n) for j in range(n))


@given(n=LENGTHS, size=st.integers(1, 70))
def test_full_attention_lets_every_query_see_every_key_and_ignores_windows(n: int, size: int) -> None:
    assert count_pairs(n, Mask(window=size), "full") == n * n


@given(lengths=st.lists(LENGTHS, min_size=1, max_size=5))
def test_packed_documents_do_not_see_each_other(lengths: list[int]) -> None:
    packed = Workload(seq_len=max(lengths), lengths=tuple(lengths))
    core = Scores(n_heads=1, d_qk=1, d_v=1, mask=Mask())
    assert sum_pairs(core, (), packed) == sum(n * (n + 1) // 2 for n in lengths)


def test_a_window_is_not_halved_twice() -> None:
    """W = 512 at S = 2,048 sees 448.1 keys a query, not 1,024 and not 256 (NVIDIA/Megatron-LM#1725, #3280)."""
    assert count_pairs(2048, Mask(window=512), "causal") / 2048 == 448.125
