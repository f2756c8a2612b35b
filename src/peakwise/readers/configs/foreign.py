"""JSON files that lie beside a model and are not its config: an adapter, a pipeline index, a weight index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from peakwise.core.errors import ConfigError
from peakwise.core.fields import shown


def refuse_foreign(config: Mapping[str, object], where: str) -> None:
    """**Raises** ConfigError that says what the file is, where it is no model's config."""
    if "peft_type" in config:
        raise _adapter(config, where)
    if "_diffusers_version" in config or ("_class_name" in config and "model_type" not in config):
        raise ConfigError(
            "this is the index of a diffusers pipeline, not a language model's config",
            where=where,
            got=f"_class_name {shown(config.get('_class_name'))}",
            expected="a model's config.json",
            hint="count the text model inside it by its own config.json",
        )
    if isinstance(config.get("weight_map"), Mapping):
        raise ConfigError(
            "this is an index of weight files (safetensors), not a config",
            where=where,
            got="weight_map",
            expected="a model's config.json",
            hint="give the config.json beside it",
        )


def _adapter(config: Mapping[str, object], where: str) -> ConfigError:
    base = config.get("base_model_name_or_path")
    base = base if isinstance(base, str) and base else "BASE_MODEL"
    targets = config.get("target_modules")
    names: list[str] = []
    if isinstance(targets, list):
        names = [item for item in cast(list[object], targets) if isinstance(item, str)]
    elif isinstance(targets, str):
        names = ["all"] if targets == "all-linear" else [targets]
    rank = config.get("r")
    rank_text = str(rank) if isinstance(rank, int) and not isinstance(rank, bool) else "RANK"
    train = f"--train lora:r={rank_text},targets={'+'.join(names) or 'all'}"
    return ConfigError(
        f"this is an adapter_config.json of {base}: it adds to a model and is none",
        where=where,
        got=f"peft_type {shown(config.get('peft_type'))}",
        expected="the base model's config",
        hint=f"give the base model, and --train: peakwise count {base} --seq 4096 {train}",
    )
