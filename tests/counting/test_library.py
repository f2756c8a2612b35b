"""What a library's code of a recurrence does apart from the model's work, from the sizes of its chunks."""

from __future__ import annotations

import pytest

from peakwise.core.model import Layer, Model, Shape
from peakwise.core.scan import Scan, ScanKind
from peakwise.core.workload import Workload
from peakwise.counting.library import LibraryFlop, count_library, library_flop

CHUNK = 8 * 4 * 6 * 5 * 2  # 2 FLOPs for each number of four heads' states and each of the 8 tokens of a chunk: 6 × 5


def _scan(kind: ScanKind, block: int = 8) -> Scan:
    return Scan(component="ssm", name=kind, kind=kind, n_heads=4, d_key=6, d_value=5, block=block)


@pytest.mark.parametrize(("n_tokens", "chunks"), [(1, 1), (8, 1), (9, 2), (24, 3)])
def test_a_delta_rule_solves_its_chunks(n_tokens: int, chunks: int) -> None:
    """n² a right-hand side forward, twice and once more backward; four products of its edges have no gradient."""
    solve = chunks * 4 * 8**2 * (6 + 5)
    assert library_flop(_scan("delta"), n_tokens) == LibraryFlop(solve, 3 * solve - 4 * CHUNK)
    assert library_flop(_scan("kda"), n_tokens) == LibraryFlop(0, -4 * CHUNK)


def test_lightning_attention_loses_the_gradients_of_its_edges() -> None:
    """Of 19 tokens the first block has 8 and the last 3; one alone is both."""
    state = 4 * 6 * 5
    assert library_flop(_scan("lightning"), 19).backward == -2 * state * (8 + 2 * 3)
    assert library_flop(_scan("lightning"), 5).backward == -2 * state * (5 + 2 * 5)


@pytest.mark.parametrize("kind", ["mamba", "ssd"])
def test_other_recurrences_do_no_more_than_the_model(kind: ScanKind) -> None:
    assert library_flop(_scan(kind), 19) == LibraryFlop()


def test_every_layer_and_every_sequence_counts() -> None:
    layer = Layer(ops=(_scan("delta"),))
    sizes = {"d_model": 8, "n_layers": 3, "n_heads": 0, "n_kv_heads": 0, "d_qk": 0, "d_v": 0, "d_ff": 0}
    shape = Shape(**sizes, gated=False, vocab_size=1)
    model = Model(id="m", name="m", model_type="m", shape=shape, layers=(layer,) * 3, outside=(), tied=False)
    one = library_flop(_scan("delta"), 9)
    assert count_library(model, Workload(seq_len=9, batch=2)) == LibraryFlop(6 * one.forward, 6 * one.backward)
