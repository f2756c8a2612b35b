"""The table of flows against the framework: what a frozen weight costs in every type that has a row."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from peakwise.core.errors import InputError
from peakwise.core.model import Model
from peakwise.core.training import parse_train
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.total import build_ledger
from peakwise.facts.flows import list_flows, load_flow
from peakwise.readers.configs.read import read_config

from .counted import QUIRKS
from .tables import ALL, ASIDE, WIDELY_USED

pytestmark = [pytest.mark.torch, pytest.mark.sweep]

# Rows of remote code have no class here; of a depth-wise convolution the framework's counter takes too much backward
# (pytorch, grouped convolutions), so blocks that close with a mixer's linear are not compared.
COMPARED = sorted(
    name
    for name in (set(list_flows()) & set(ALL) - ASIDE) | WIDELY_USED
    if "out_proj" not in load_flow(name).flow.closing
    and not QUIRKS.get(name, {}).get("idle_experts")  # the class runs every expert for every token
)
# Every widely used type, and of the others two of each way that gradients take: a row of flows says all that differs.
WAYS: dict[str, list[str]] = {}
for _name in COMPARED:
    WAYS.setdefault(repr(load_flow(_name).flow), []).append(_name)
TYPES = sorted({*(set(COMPARED) & WIDELY_USED), *(name for names in WAYS.values() for name in names[:2])})
EARLY = Recompute(policy="full", early_stop=True)


def _hardware(model: Model, seq_len: int, train: str, recompute: Recompute = Recompute()) -> int:  # noqa: B008 - frozen
    work = Workload(seq_len=seq_len, attention="full", train=parse_train(train), recompute=recompute)
    return build_ledger(model, work).hardware


def _has_transformed_head(model: Model) -> bool:
    """Whether a matmul stands between the last block and the head."""
    return any(getattr(op, "name", "") == "head_dense" for op in model.outside)


@pytest.fixture(name="training")
def fixture_training(framework: ModuleType) -> Any:
    """The framework's side; imported here, so that a machine without torch collects these tests."""
    del framework
    from . import training

    return training


@pytest.mark.parametrize("model_type", TYPES)
def test_what_trains_costs_what_the_framework_counts(model_type: str, framework: ModuleType, training: Any) -> None:
    """Full training with checkpoints that stop early, frozen tables, a frozen bottom, adapters with both."""
    small = framework.Small.draw(model_type, 0)
    model, seq_len = read_config(json.dumps(small.document).encode(), where="config.json"), small.seq_len
    theirs = training.build(small)
    assert training.count_step(theirs, seq_len, early_stop=True) == _hardware(model, seq_len, "full", EARLY)
    training.freeze_tables(theirs)
    if _has_transformed_head(model):  # an encoder's: nothing says where its head begins, so in part it is refused
        with pytest.raises(InputError, match="head_dense"):
            _hardware(model, seq_len, "last:1,head=frozen")
        return
    assert training.count_step(theirs, seq_len) == _hardware(model, seq_len, "frozen:embed")
    n_layers = max(1, len(model.layers) // 2)
    training.train_last(theirs, n_layers)
    assert training.count_step(theirs, seq_len) == _hardware(model, seq_len, f"last:{n_layers},head=frozen")
    ops = [op for layer in model.layers for op in layer.ops]
    attention_alone = any(getattr(op, "component", "") == "experts" for op in ops)
    training.adapt(theirs, attention_alone=attention_alone)
    projections = dict.fromkeys(op.name for op in ops if getattr(op, "component", "") == "attn_proj")
    train = f"lora:r={training.RANK},targets={'+'.join(projections) if attention_alone else 'all'}"
    assert training.count_step(theirs, seq_len) == _hardware(model, seq_len, train)
    assert training.count_step(theirs, seq_len, early_stop=True) == _hardware(model, seq_len, train, EARLY)
