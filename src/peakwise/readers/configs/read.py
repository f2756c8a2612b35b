"""A model's config, in whatever style it was written, as a Model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import cast

from peakwise.core.errors import ConfigError, InputError, PeakwiseError, UnknownModel
from peakwise.core.fields import as_text, shown
from peakwise.core.model import Model
from peakwise.facts.model_types import ModelTypeFacts, load_defaults, load_model_type, load_row, match_native, nearest
from peakwise.facts.synonyms import load_synonyms
from peakwise.readers.configs.decode import decode_config
from peakwise.readers.configs.foreign import refuse_foreign
from peakwise.readers.configs.layers import build_layers, build_mtp
from peakwise.readers.configs.outside import build_outside, find_head, is_tied
from peakwise.readers.configs.parts import find_text
from peakwise.readers.configs.pool import Pool
from peakwise.readers.configs.shape import build_shape
from peakwise.readers.configs.sizes import Sizes
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
    text = find_text(fields)
    facts, assumed_like = _facts(text.config, fields, like)
    pool = Pool(text.config, facts, load_defaults(facts.name), text.path)
    _check_needs(pool)
    sizes = Sizes(pool)
    for condition, what in facts.refuse.items():
        if sizes.holds(condition):
            raise _not_counted(pool, condition, what)
    left = {} if facts.closed else pool.unread(sizes.understood())
    unread = check_unread(left, facts.neutral, text.path) + check_unread(text.rest, facts.neutral)
    head = find_head(text.config, facts.heads, text.path)
    layers = build_layers(sizes)
    tied = is_tied(sizes, head)
    outside = build_outside(sizes, head)
    mtp = build_mtp(sizes, layers)
    shape = build_shape(sizes)
    name = _name(text.config, where)
    return Model(
        id=name,
        name=name,
        model_type=_model_type(text.config, fields) or facts.name,
        shape=shape,
        layers=layers,
        outside=outside,
        tied=tied,
        mtp=mtp,
        defaults_used=tuple(pool.defaults_used[key] for key in sorted(pool.defaults_used)),
        assumed_like=assumed_like,
        unread=unread,
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
        value = source.get("model_type")
        if value not in (None, ""):
            return as_text(value, f"{path}.model_type")
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
        raise ConfigError(
            f"the model type {facts.name} is not there yet: {facts.not_there} would not be counted",
            where="$.model_type",
            got=facts.name,
            expected="a decoder with softmax attention",
        )


def _class_name(config: Mapping[str, object]) -> str:
    """The first class of `architectures`, empty where the field says none."""
    names = config.get("architectures")
    first = cast(list[object], names)[0] if isinstance(names, list) and names else ""
    return first if isinstance(first, str) else ""


def _check_needs(pool: Pool) -> None:
    for group in pool.facts.needs:
        if any(pool.is_given(field) for field in group):
            continue
        raise ConfigError(
            f"a {pool.facts.name} without any of {', '.join(group)} is a stub; its class defaults would be a guess",
            where=pool.path,
            got="none of them",
            expected=f"the fields that make it a {pool.facts.name}",
            hint="give the full config.json of the model",
        )


def _not_counted(pool: Pool, condition: str, what: str) -> ConfigError:
    known = load_synonyms().kinds.keys() | pool.facts.fields.keys()
    field = next((word for word in condition.split() if word in known), condition)
    return ConfigError(
        f"{field} = {shown(pool.get(field))} adds {what}, which is not counted",
        where=pool.place(field),
        got=shown(pool.get(field)),
        expected=f"a config without {what}",
    )
