"""Small encoders, encoder-decoders, towers and composites equal the framework's own figures to the integer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peakwise.verbs.count import count

from .kin import CASES

pytestmark = [pytest.mark.torch, pytest.mark.sweep]


@pytest.mark.parametrize(("model_type", "class_name", "seed"), CASES)
def test_a_small_model_is_counted_to_the_integer(model_type: str, class_name: str, seed: int, tmp_path: Path) -> None:
    """Parameters and forward FLOPs, from the config with every field and as the framework saves it."""
    from .family import Kin

    small = Kin(model_type, class_name, seed)
    runs = small.runs()
    for name, document in (("whole", small.document), ("saved", small.saved)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(document))
        for run in runs:
            what = {"seq": run.seq, "batch": run.batch, "attention": run.attention}
            found = count(str(path), **what, mode="forward", ssm_rule="reference")
            assert found.parameters.total == small.n_params
            assert found.ledger.forward == run.forward
