"""The model of a run, where the log states its shapes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from peakwise.core.errors import PeakwiseError
from peakwise.core.model import Model, Shape
from peakwise.core.series import Series
from peakwise.facts.models import CatalogModel, load_models
from peakwise.readers.configs.read import read_config, read_mapping

WHERE = "the log's arguments"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """The model, or None and, where the log states shapes that cannot be counted, why."""

    model: Model | None
    gap: str = ""


def read_model(series: Series) -> FoundModel:
    """The model that the log's own fields describe, called as the catalogue calls the one with the same shapes."""
    if not series.config:
        return FoundModel(model=None)
    try:
        model = read_mapping(series.config, where=WHERE)
    except PeakwiseError as error:
        return FoundModel(model=None, gap=f"{WHERE} do not say: {error.message}")
    alike = [row for row in load_models() if _is_like(row, model)]
    if len(alike) == 1:
        return FoundModel(model=replace(model, id=alike[0].id, name=alike[0].name))
    shape = model.shape
    return FoundModel(model=replace(model, id="log", name=f"{shape.n_layers} layers of width {shape.d_model:,}"))


def _is_like(row: CatalogModel, model: Model) -> bool:
    """Whether a model of the catalogue has these shapes and as many weights. Its text is looked at first: reading
    a config takes longer than all of these looks."""
    data = row.config_path.read_bytes()
    if str(model.shape.d_model).encode() not in data or str(model.shape.n_layers).encode() not in data:
        return False
    other = read_config(data, where=row.id, id=row.id, name=row.name)
    return other.tied == model.tied and _nominal(other.shape) == _nominal(model.shape)


def _nominal(shape: Shape) -> Shape:
    """The shape, a dense model's windows left out where every layer sees all."""
    return shape if any(shape.windows) else replace(shape, windows=())
