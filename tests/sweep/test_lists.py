"""What a row says of layers where the config has no list of them, against the list that the class makes."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from peakwise.core.model import Layer
from peakwise.readers.configs.read import read_config

from .counted import Refused, count
from .tables import LISTED

pytestmark = [pytest.mark.torch, pytest.mark.sweep]

LISTS = (
    "layer_types",
    "mlp_layer_types",
    "no_rope_layers",
    "moe_layers",
    "attention_layers",
    "num_attention_heads_per_layer",
)
SEEDS = (0, 1, 2, 3)
N_LAYERS = 14  # two rounds of the longest pattern, and two layers more


def _layers(document: dict[str, Any]) -> tuple[Layer, ...]:
    return read_config(json.dumps(document).encode(), where="config.json").layers


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model_type", LISTED)
def test_absent_lists_of_layers_mean_what_the_class_makes_of_them(
    model_type: str, seed: int, framework: ModuleType
) -> None:
    """Without layer_types, mlp_layer_types and their like every layer is what the class itself would build."""
    document = framework.patterned_document(model_type, seed, N_LAYERS, LISTS)
    without = {name: value for name, value in document.items() if name not in LISTS}
    if without != document and not isinstance(count(document, seq_len=1), Refused):
        assert _layers(without) == _layers(document)
