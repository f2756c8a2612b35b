"""Windows, chunks and causality of every counted type, against the masks that the framework really applies."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from peakwise.core.model import Scores
from peakwise.core.workload import Workload
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.read import read_config

from .counted import Refused, count
from .tables import LISTED

pytestmark = [pytest.mark.torch, pytest.mark.sweep]

SEED = 1
SEQ_LEN = 17  # longer than every drawn window and chunk


def count_pairs(document: dict[str, Any]) -> int:
    """Visible pairs of all heads and layers, as the ledger counts them."""
    model = read_config(json.dumps(document).encode(), where="config.json")
    heads = {
        (op.name, op.n_heads, op.d_qk, op.d_v) for layer in model.layers for op in layer.ops if isinstance(op, Scores)
    }
    ledger = build_ledger(model, Workload(seq_len=SEQ_LEN, mode="forward"))
    width = {2 * n * (d_qk + d_v): n for _, n, d_qk, d_v in heads}
    return sum(term.layers * term.repeats * width[term.flop] for term in ledger if term.component == "attn_scores")


@pytest.mark.parametrize("model_type", LISTED)
def test_visible_pairs_are_those_the_framework_lets_see_each_other(model_type: str, framework: ModuleType) -> None:
    """The causal count of a counted type has the pairs of the framework's own masks, to the integer."""
    from .pairs import count_seen_pairs

    small = framework.Small.draw(model_type, SEED)
    if not isinstance(count(small.document, SEQ_LEN), Refused):
        assert count_pairs(small.document) == count_seen_pairs(small, SEQ_LEN)
