"""The index of mixtures of experts is what the catalogue's own configs count."""

from __future__ import annotations

from peakwise.facts.mixtures import load_mixtures
from peakwise.verbs.catalog import catalog
from peakwise.verbs.count import count


def test_every_mixture_of_the_catalogue_is_in_the_index_with_the_sizes_that_count_gives() -> None:
    counted: list[tuple[str, int, int]] = []
    for row in catalog("models").rows:
        answer = count(row.id, seq=1)
        if answer.model.shape.n_experts:
            counted.append((row.id, answer.parameters.total, answer.parameters.active))
    assert [(item.id, item.n_params, item.n_active_params) for item in load_mixtures()] == sorted(counted)
