"""The catalogue of models: an id, its names, and the config it is counted by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import cast

from peakwise.core.errors import CatalogError, UnknownModel
from peakwise.facts.section import list_sections, load_section

PATH = Path(__file__).with_name("models.toml")
CONFIGS = Path(__file__).with_name("configs")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogModel:
    """One model: `id`, display `name`, its other names, where its config comes from and when that was checked."""

    id: str
    name: str
    model_type: str
    hub_id: str
    source: str
    date: str
    aliases: tuple[str, ...] = ()

    @property
    def config_path(self) -> Path:
        """The config.json it is counted by."""
        return CONFIGS / f"{self.id}.json"


def _row(model_id: str) -> CatalogModel:
    table = cast(Mapping[str, str], load_section(PATH, model_id))
    for key in ("name", "model_type", "hub_id", "source", "date"):
        if not table.get(key) and not (key == "hub_id" and key in table):
            raise CatalogError(f"a model has no {key}", where=f"models.toml [{model_id}]", got="none", expected=key)
    aliases = cast(list[str], table.get("aliases", []))
    return CatalogModel(
        id=model_id,
        name=table["name"],
        model_type=table["model_type"],
        hub_id=table["hub_id"],
        source=table["source"],
        date=table["date"],
        aliases=tuple(aliases),
    )


@cache
def load_models() -> tuple[CatalogModel, ...]:
    """Every model of the catalogue, sorted by id."""
    return tuple(_row(model_id) for model_id in sorted(list_sections(PATH)))


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def find_model(name: str) -> CatalogModel | None:
    """The model of that id, name or alias, letter case and `_` for `-` aside; None where the catalogue has none."""
    key = _key(name)
    if key in list_sections(PATH):
        return _row(key)
    for row in load_models():
        if key in {_key(alias) for alias in (row.name, row.hub_id, *row.aliases) if alias}:
            return row
    return None


def nearest_models(name: str, n: int = 3) -> tuple[str, ...]:
    """The `n` catalogue ids nearest to a name."""
    return tuple(get_close_matches(_key(name)[-200:].rpartition("/")[2], list_sections(PATH), n=n, cutoff=0.0))


def match_model(name: str) -> CatalogModel:
    """The model of that id, name or alias. **Raises** UnknownModel with the three nearest ids."""
    row = find_model(name)
    if row is None:
        near, shown = nearest_models(name), name if len(name) <= 60 else name[:59] + "…"
        raise UnknownModel(
            f'no model "{shown}" in the catalogue',
            where="MODEL",
            got=shown,
            expected=f"a catalogue id; nearest: {', '.join(near)}",
            hint=f"peakwise count {near[0]} --seq 4096, or peakwise catalog models",
        )
    return row
