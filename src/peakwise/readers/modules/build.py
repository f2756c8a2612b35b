"""A model of the installed transformers from its config, on the meta device: no weights, no remote code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from peakwise.core.errors import ConfigError, PeakwiseError
from peakwise.core.workload import Workload
from peakwise.readers.modules.framework import load_torch, load_transformers
from peakwise.readers.modules.trace import Given


def build_given(document: Mapping[str, object], workload: Workload, where: str) -> Given:
    """The model that a config describes, and inputs of the workload's sizes.

    Attention and experts are the eager matmuls, which hide nothing.

    **Raises** ConfigError for a type that the installed library does not have; its own code alone is run, never a
    config's `auto_map`.
    """
    torch, transformers = load_torch(), load_transformers()
    config = _build(lambda: _config(transformers, document, where), where)
    for name, value in (
        ("_attn_implementation", "eager"),
        ("_experts_implementation", "batched_mm"),
        ("use_cache", False),
    ):
        if hasattr(config, name):
            setattr(config, name, value)
    kind = _class(transformers, document, config, where)
    with torch.device("meta"):
        module = _build(lambda: kind(config).eval(), where)
    return Given(module, (), _inputs(torch, config, workload))


def _build(make: Callable[[], Any], where: str) -> Any:
    """What the library makes of the config. **Raises** ConfigError where the library fails at it."""
    try:
        return make()
    except PeakwiseError:
        raise
    except Exception as error:  # whatever the library's own checks and classes raise
        raise ConfigError(
            "the installed transformers fails to build this model",
            where=where,
            got=f"{type(error).__name__}: {(str(error).strip() or 'no message').splitlines()[-1]}",
            expected="a config that the library's own class takes",
            hint="count it without --trace",
        ) from error


def _config(transformers: Any, document: Mapping[str, object], where: str) -> Any:
    known = transformers.models.auto.configuration_auto.CONFIG_MAPPING
    model_type = document.get("model_type")
    if not isinstance(model_type, str) or model_type not in known:
        raise ConfigError(
            "the installed transformers cannot build this model",
            where=f"{where}: model_type",
            got=str(model_type),
            expected=f"a type that transformers {transformers.__version__} has",
            hint="count it without --trace",
        )
    fields = {name: value for name, value in document.items() if name != "auto_map"}
    return known[model_type].from_dict(json.loads(json.dumps(fields)))


def _class(transformers: Any, document: Mapping[str, object], config: Any, where: str) -> Any:
    """The class that the config names, where the library itself has it; else the type's language model."""
    names = document.get("architectures")
    for name in cast("list[object]", names) if isinstance(names, list) else ():
        kind = getattr(transformers, str(name), None)
        if isinstance(kind, type) and issubclass(kind, transformers.PreTrainedModel):
            return kind
    auto = transformers.models.auto.modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING
    if type(config) in auto:
        found: Any = auto[type(config)]
        return cast("tuple[Any, ...]", found)[0] if isinstance(found, tuple) else found
    raise ConfigError(
        "the config does not say which class of the library is meant",
        where=f"{where}: architectures",
        got=str(cast("object", names)),
        expected="the name of a class of transformers",
        hint="count it without --trace",
    )


def _inputs(torch: Any, config: Any, workload: Workload) -> dict[str, Any]:
    """Inputs on the meta device: what the workload names, under the names of the library."""
    batch = workload.batch
    made: dict[str, tuple[int, int]] = {}
    decodes = workload.encoder_len is not None or workload.mel is not None
    if workload.seq_len is not None:
        made["decoder_input_ids" if decodes else "input_ids"] = (batch, workload.seq_len)
    if workload.encoder_len is not None:
        made["input_ids"] = (batch, workload.encoder_len)
    inputs = {name: torch.zeros(shape, dtype=torch.long, device="meta") for name, shape in made.items()}
    if workload.image is not None:
        channels = getattr(config, "num_channels", None) or 3  # 3: red, green, blue
        shape = (batch, channels, workload.image, workload.image)
        inputs["pixel_values"] = torch.zeros(shape, device="meta")
    if workload.mel is not None:
        inputs["input_features"] = torch.zeros((batch, config.num_mel_bins, workload.mel), device="meta")
    return inputs
