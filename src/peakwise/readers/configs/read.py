"""A model's config, in whatever style it was written, as a Model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import cast

from peakwise.core.errors import ConfigError, InputError, PeakwiseError, UnknownModel
from peakwise.core.fields import as_text
from peakwise.core.model import Model, Origin
from peakwise.facts.model_types import (
    ModelTypeFacts,
    list_model_types,
    load_defaults,
    load_model_type,
    load_row,
    match_native,
    nearest,
)
from peakwise.readers.configs.composite import read_parts
from peakwise.readers.configs.decode import decode_config
from peakwise.readers.configs.flow import read_flow
from peakwise.readers.configs.foreign import CLASS_NAME, refuse_foreign
from peakwise.readers.configs.layers import build_mtp
from peakwise.readers.configs.outside import find_head
from peakwise.readers.configs.parts import SHARED, TEXT, TOWERS, find_text
from peakwise.readers.configs.pool import Pool
from peakwise.readers.configs.shape import build_shape
from peakwise.readers.configs.tower import build_tower, open_tower
from peakwise.readers.configs.unread import check_unread

# File names that say nothing about the model.
_PLAIN_NAMES = ("config", "params", "model_args", "args")


def read_config(data: bytes, *, where: str, like: str | None = None, id: str = "", name: str = "") -> Model:  # noqa: A002
    """The model that the bytes of a config.json describe. `like` names the kin of an unknown model_type.

    **Raises** ReadError for what is no JSON object; ConfigError, with the path of the field, for what contradicts
    itself, is missing or is not understood; UnknownModel for a model_type without facts.
    """
    model = read_mapping(decode_config(data, where), where=where, like=like)
    return replace(model, id=id or model.id, name=name or id or model.name)


def read_mapping(fields: Mapping[str, object], *, where: str, like: str | None = None) -> Model:
    """The model that decoded fields describe (a config.json, or a framework's arguments).

    **Raises** as `read_config`.
    """
    try:
        return _read(fields, where, like)
    except PeakwiseError as error:
        outside = error.where == where or error.where.startswith("--")  # a flag stands in no file
        raise (error if outside else error.at(where)) from error.__cause__


def _read(fields: Mapping[str, object], where: str, like: str | None) -> Model:
    refuse_foreign(fields, where)
    composite = _composite(fields, like)
    if composite is not None:
        return _read_composite(composite, fields, where)
    if like is None:
        _check_outer(fields)
    text = find_text(fields)
    facts, assumed_like = _facts(text.config, fields, like)
    pool = Pool(text.config, facts, load_defaults(facts.name), text.path)
    head = find_head(text.config, facts.heads, text.path, facts.usual)
    sizes = open_tower(pool, head)
    left = {} if facts.closed else pool.unread(sizes.understood())
    unread = check_unread(left, facts.neutral, text.path) + check_unread(text.rest, facts.neutral)
    tower = build_tower(sizes, head)
    name = _name(text.config, where)
    return Model(
        id=name,
        name=name,
        model_type=_model_type(text.config, fields) or facts.name,
        shape=build_shape(tower.sizes),
        layers=tower.layers,
        outside=tower.outside,
        tied=tower.tied,
        mtp=build_mtp(tower.sizes, tower.layers),
        streams=tower.streams,
        asks=cast(tuple[Origin, ...], ("text",) if facts.parts else facts.asks),  # of several parts, the decoder alone
        flow=read_flow(text.config, facts.name, text.path),
        defaults_used=tuple(pool.defaults_used[key] for key in sorted(pool.defaults_used)),
        assumed_like=assumed_like,
        unread=unread,
    )


def _check_outer(fields: Mapping[str, object]) -> None:
    """Nothing where the type of a config that holds others is counted, or says nothing beside its text part."""
    value = fields.get("model_type")
    if not isinstance(value, str) or not value:
        return
    holds = [name for name in (*TEXT, *TOWERS) if fields.get(name) is not None]
    if holds and set(fields) - {"model_type", *TEXT, *SHARED}:
        _check_covered(load_model_type(value), fields)


def _composite(fields: Mapping[str, object], like: str | None) -> ModelTypeFacts | None:
    """The row of a config with several parts; None where it has one."""
    value = fields.get("model_type")
    if not isinstance(value, str) or value not in list_model_types():
        return None
    facts = load_row(value)
    if not facts.parts or (facts.unless and _class_name(fields).endswith(facts.unless)):
        return None
    return _facts(fields, fields, like)[0]


def _read_composite(facts: ModelTypeFacts, fields: Mapping[str, object], where: str) -> Model:
    parts = read_parts(fields, facts)
    defaults = [
        tower.sizes.pool.defaults_used[key] for tower in parts.all for key in sorted(tower.sizes.pool.defaults_used)
    ]
    name = _name(fields, where)
    return Model(
        id=name,
        name=name,
        model_type=facts.name,
        shape=build_shape(parts.main.sizes),
        layers=tuple(layer for tower in parts.all for layer in tower.layers),
        outside=tuple(op for tower in parts.all for op in tower.outside),
        tied=parts.main.tied,
        mtp=build_mtp(parts.main.sizes, parts.main.layers),
        streams=parts.streams,
        asks=cast(tuple[Origin, ...], facts.asks),
        defaults_used=tuple(dict.fromkeys(defaults)),
        unread=parts.unread,
    )


def _name(config: Mapping[str, object], where: str) -> str:
    """What to call a model that nobody named: its folder, its file, or what the config says of itself."""
    path = PurePath(where)
    if path.suffix != ".json":
        return where or "model"
    if path.stem in _PLAIN_NAMES:
        given = config.get("_name_or_path")
        return path.parent.name or (given if isinstance(given, str) else "") or path.stem
    return path.stem


def _model_type(config: Mapping[str, object], whole: Mapping[str, object]) -> str | None:
    for source, path in ((config, "$"), (whole, "$")):
        for field in ("model_type", CLASS_NAME):
            if source.get(field) not in (None, ""):
                return as_text(source[field], f"{path}.{field}")
    return None


def _facts(config: Mapping[str, object], whole: Mapping[str, object], like: str | None) -> tuple[ModelTypeFacts, str]:
    """The row to read by, and the type it was assumed to be like (empty where it is the config's own)."""
    name = _model_type(config, whole)
    native = match_native(set(config)) if name is None else None
    if name is None and native is None and like is None:
        raise ConfigError(
            "the config has no model_type, and no known style without one has these fields",
            where="$.model_type",
            got=", ".join(sorted(config)[:6]) or "no field at all",
            expected="a model_type, or the fields of a params.json, model_args or Megatron arguments",
            hint="add model_type, or name its kin: --like llama",
        )
    try:
        facts = load_row(native) if native else load_model_type(name or "")
    except UnknownModel as error:
        if like is None:
            raise _unknown(error, config) from error
        return _load_like(like, config), like
    _check_covered(facts, config)
    if like not in (None, facts.name):
        raise InputError(
            f"the model type {facts.name} has facts of its own",
            where="--like",
            got=str(like),
            expected="no --like for a known model_type",
            hint="leave --like out",
        )
    return facts, ""


def _load_like(like: str, config: Mapping[str, object]) -> ModelTypeFacts:
    try:
        facts = load_model_type(like)
    except UnknownModel as error:
        near = nearest(like)
        raise UnknownModel(
            f'--like "{like}" is no known model_type',
            where="--like",
            got=like,
            expected=f"a known type; nearest: {', '.join(near)}",
            hint=f"--like {near[0]}",
        ) from error
    _check_covered(facts, config)
    return facts


def _unknown(error: UnknownModel, config: Mapping[str, object]) -> UnknownModel:
    if "auto_map" not in config:
        return error
    return UnknownModel(
        f"{error.message}: it is remote code (auto_map), whose layers may hold what no field names",
        where=error.where,
        got=error.got,
        expected=error.expected,
        hint=error.hint,
    )


def _check_covered(facts: ModelTypeFacts, config: Mapping[str, object]) -> None:
    if facts.not_there and not (facts.unless and _class_name(config).endswith(facts.unless)):
        alone = f"for the decoder alone, give its class in architectures: one that ends in {facts.unless}"
        raise ConfigError(
            f"the model type {facts.name} is not there yet: {facts.not_there} would not be counted",
            where="$.model_type",
            got=facts.name,
            expected="a decoder with softmax attention",
            hint=alone if facts.unless else "",
        )


def _class_name(config: Mapping[str, object]) -> str:
    """The first class of `architectures`, empty where the field says none."""
    names = config.get("architectures")
    first = cast(list[object], names)[0] if isinstance(names, list) and names else ""
    return first if isinstance(first, str) else ""
