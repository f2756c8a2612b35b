"""The catalogue of models: names that find one model each, with a source."""

from __future__ import annotations

import json

import pytest

from peakwise.core.errors import CatalogError, UnknownModel
from peakwise.facts import models
from peakwise.facts.models import CONFIGS, PATH, find_model, load_models, match_model, nearest_models
from peakwise.readers.configs.read import read_config


@pytest.mark.parametrize("row", load_models(), ids=lambda row: row.id)
def test_every_model_is_counted_from_its_config(row: models.CatalogModel) -> None:
    model = read_config(row.config_path.read_bytes(), where=row.id)
    assert model.model_type == row.model_type
    assert row.source
    assert row.date


def test_ids_are_sorted_and_every_config_belongs_to_one() -> None:
    ids = [row.id for row in load_models()]
    assert ids == sorted(ids)
    assert ids == sorted(path.stem for path in CONFIGS.glob("*.json"))
    assert [line for line in PATH.read_text().splitlines() if line.startswith("[")] == [f'["{name}"]' for name in ids]


def test_every_name_finds_its_own_model() -> None:
    seen: dict[str, str] = {}
    for row in load_models():
        for name in filter(None, (row.id, row.name, row.hub_id, *row.aliases)):
            found = find_model(name)
            assert found is not None
            assert found.id == row.id
            assert seen.setdefault(name.lower(), row.id) == row.id


def test_case_and_separators_do_not_matter() -> None:
    assert match_model("Deepseek_V3").id == match_model(" deepseek-v3 ").id == "deepseek-v3"


def test_an_unknown_name_lists_the_three_nearest() -> None:
    with pytest.raises(UnknownModel, match="qwen3-8b"):
        match_model("qwen3-80b")
    assert len(nearest_models("zzz")) == 3


def test_a_row_without_a_source_is_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "models.toml"
    table.write_text(json.dumps("x") and '["m"]\nname = "M"\nmodel_type = "llama"\nhub_id = ""\ndate = "2026-11-29"\n')
    monkeypatch.setattr(models, "PATH", table)
    with pytest.raises(CatalogError, match="source"):
        find_model("m")
