"""`catalog`: rows of chips and models with their units and sources, or an error with the nearest."""

from __future__ import annotations

import json

import pytest

from peakwise.core.errors import InputError, UnknownChip, UnknownModel
from peakwise.verbs.catalog import catalog


def test_chips_come_with_every_number_as_a_quantity() -> None:
    page = catalog("chips", "h100 sxm")
    document = json.loads(json.dumps(page.to_dict()))
    assert document["schema"] == "peakwise.catalog/1"
    assert document["kind"] == "chips"
    assert document["query"] == "h100 sxm"
    assert document["warnings"] == []
    (row,) = document["rows"]
    assert row["id"] == "h100-sxm"
    assert row["dense16_precision"] == "bf16"
    assert row["dense16_flop_per_s"]["value"] == 989.4e12
    assert row["dense16_flop_per_s"]["unit"] == "FLOP/s"
    assert row["dense16_flop_per_s"]["basis"] == "stated"
    assert row["dense16_flop_per_s"]["source"] == row["source"]
    assert row["dense_fp8_flop_per_s"]["value"] == 1978.9e12
    assert row["memory_bytes"] == {**row["memory_bytes"], "value": 80e9, "unit": "byte"}
    assert row["bandwidth_byte_per_s"] == {**row["bandwidth_byte_per_s"], "value": 3.35e12, "unit": "byte/s"}
    assert row["confidence"] == "high"


def test_a_part_of_a_package_is_derived_from_the_package() -> None:
    (row,) = catalog("chips", "mi250x").to_dict()["rows"]  # type: ignore[misc]
    assert row["dense16_flop_per_s"]["value"] == 191.5e12
    assert row["dense16_flop_per_s"]["basis"] == "derived"
    assert row["dense16_flop_per_s"]["source"].endswith("the package's ÷ 2")
    assert row["device_is"] == "part of package"
    assert row["devices_per_package"]["value"] == 2


def test_a_figure_that_is_not_stated_is_null() -> None:
    (row,) = catalog("chips", "tpu v4 lite").to_dict()["rows"]  # type: ignore[misc]
    assert row["dense_fp8_flop_per_s"] is None


def test_every_chip_is_listed_in_order_without_a_query() -> None:
    ids = [row.id for row in catalog("chips").rows]
    assert ids == sorted(ids)
    assert len(ids) == 118
    assert catalog("chips", "  ") == catalog("chips")


def test_every_model_is_listed_with_its_parameters() -> None:
    page = catalog("models")
    ids = [row.id for row in page.rows]
    assert ids == sorted(ids)
    document = json.loads(json.dumps(page.to_dict()))
    for row in document["rows"]:
        assert row["n_params"]["value"] >= row["n_active_params"]["value"] > 0
        assert row["n_params"]["unit"] == "parameter"
        assert row["n_params"]["basis"] == "derived"


@pytest.mark.parametrize("query", ["llama-3.1-8b", "meta-llama/Llama-3.1-8B", "Llama 3.1 8B"])
def test_a_model_is_found_by_its_id_its_hub_id_and_its_name(query: str) -> None:
    rows = {row["id"]: row for row in catalog("models", query).to_dict()["rows"]}  # type: ignore[union-attr]
    assert rows["llama-3.1-8b"]["n_params"]["value"] == 8_030_261_248
    assert rows["llama-3.1-8b"]["model_type"] == "llama"


def test_a_query_that_nothing_fits_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownChip) as chip:
        catalog("chips", "RTX 9090")
    assert "rtx-5090, rtx-4090 and rtx-3090" in chip.value.expected
    with pytest.raises(UnknownModel) as model:
        catalog("models", "llama-3.1-9b")
    assert "llama-3.1-8b" in model.value.expected
    assert model.value.hint == "peakwise catalog models"


@pytest.mark.parametrize(("kind", "hint"), [("chip", "chips"), ("modells", "models"), ("", "chips"), ("x", "chips")])
def test_an_unknown_catalogue_is_an_error_with_the_nearest(kind: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        catalog(kind)
    assert caught.value.expected == "chips, models or runs"
    assert caught.value.hint == f"peakwise catalog {hint}"


def test_published_runs_stand_beside_what_their_own_rule_gives() -> None:
    (palm,) = catalog("runs", "palm").rows
    assert palm.published_mfu is not None
    assert palm.recomputed_mfu is not None
    assert (palm.published_mfu.value, palm.published_mfu.basis) == (0.462, "stated")
    assert round(palm.recomputed_mfu.value, 4) == 0.4623
    assert palm.recomputed_mfu.basis == "derived"
    assert palm.source
    assert palm.date


def test_a_run_without_a_published_figure_has_none() -> None:
    (first,) = catalog("runs", "mai base 1 v1").rows
    assert (first.published_mfu, first.recomputed_mfu, first.flop_per_s, first.tokens_per_s) == (None,) * 4
    assert first.note == "not published"


def test_a_run_is_found_by_its_chip_and_an_unknown_one_is_refused_with_the_nearest() -> None:
    assert {row.id for row in catalog("runs", "h800").rows} == {"deepseek-v3"}
    with pytest.raises(InputError) as caught:
        catalog("runs", "palm-541b")
    assert "palm-540b" in caught.value.expected


def test_asking_twice_gives_the_same_page() -> None:
    assert catalog("chips", "l40s") == catalog("chips", "l40s")


def test_a_page_draws_itself() -> None:
    page = catalog("chips", "l40s")
    assert "l40s" in page.to_markdown()
    assert "l40s" in page._repr_html_()
