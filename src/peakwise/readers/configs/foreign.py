"""JSON files that lie beside a model and are not its config: an adapter, a pipeline index, a weight index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from peakwise.core.errors import ConfigError
from peakwise.core.fields import shown
from peakwise.facts.model_types import list_model_types

# Where diffusers writes which class a config is of, as transformers writes model_type.
CLASS_NAME = "_class_name"


def refuse_foreign(config: Mapping[str, object], where: str) -> None:
    """**Raises** ConfigError that says what the file is, where it is no model's config."""
    if "peft_type" in config:
        raise _adapter(config, where)
    if "_diffusers_version" in config or (CLASS_NAME in config and "model_type" not in config):
        _check_diffusers(config, where)
    if isinstance(config.get("weight_map"), Mapping):
        raise ConfigError(
            "this is an index of weight files (safetensors), not a config",
            where=where,
            got="weight_map",
            expected="a model's config.json",
            hint="give the config.json beside it",
        )


def _check_diffusers(config: Mapping[str, object], where: str) -> None:
    """Nothing for a transformer that has a row by the name of its class. **Raises** ConfigError for all else."""
    name = config.get(CLASS_NAME)
    if name in list_model_types():
        return
    if isinstance(name, str) and not name.endswith("Pipeline"):
        raise ConfigError(
            f"the diffusers class {name} is not counted",
            where=f"{where}: {CLASS_NAME}",
            got=name,
            expected=", ".join(each for each in list_model_types() if each.endswith("Transformer2DModel")),
        )
    raise ConfigError(
        "this is the index of a diffusers pipeline, not a model's config",
        where=where,
        got=f"{CLASS_NAME} {shown(name)}",
        expected="a model's config.json",
        hint="count a model inside it by its own config.json: transformer/config.json, text_encoder/config.json",
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
