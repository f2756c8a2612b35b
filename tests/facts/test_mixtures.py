"""The index of mixtures of experts is what the catalogue's own configs count."""

from __future__ import annotations

from peakwise.counting.params import count_params
from peakwise.facts.mixtures import load_mixtures
from peakwise.facts.models import load_models
from peakwise.readers.configs.named import read_named


def test_every_mixture_of_the_catalogue_is_in_the_index_with_the_sizes_that_count_gives() -> None:
    counted: list[tuple[str, int, int]] = []
    for row in load_models():
        model = read_named(row.id)
        if model.shape.n_experts:
            parameters = count_params(model)
            counted.append((row.id, parameters.total, parameters.active))
    assert [(item.id, item.n_params, item.n_active_params) for item in load_mixtures()] == sorted(counted)
