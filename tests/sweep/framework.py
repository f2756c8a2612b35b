"""What the framework itself says of a small model: its parameters, and the FLOPs that its own counter sees."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode
from transformers import PreTrainedConfig, masking_utils
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from .drawing import SIZES, draw_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """One small model: the config as its JSON says it, parameters, forward FLOPs of `seq_len` tokens."""

    config: dict[str, Any]
    n_params: int
    forward: int
    seq_len: int


def class_of(model_type: str) -> Any:
    """The causal-LM class of a type."""
    name = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[model_type]
    return getattr(transformers, name if isinstance(name, str) else name[0])


def build_config(model_type: str, seed: int) -> PreTrainedConfig:
    """The drawn config of a type."""
    default = CONFIG_MAPPING[model_type]().to_dict()
    return CONFIG_MAPPING[model_type](**draw_fields(model_type, seed, default))


def to_document(config: PreTrainedConfig, model_type: str) -> dict[str, Any]:
    """The config as a file would hold it, with its class named."""
    document = json.loads(config.to_json_string(use_diff=False))
    document["architectures"] = [class_of(model_type).__name__]
    document["model_type"] = model_type
    return document


def build_model(config: PreTrainedConfig, model_type: str) -> torch.nn.Module:
    """The model of a config on the meta device: eager attention, batched experts."""
    config._attn_implementation = "eager"
    config._experts_implementation = "batched_mm"
    with torch.device(device_of(model_type)):
        return class_of(model_type)(config).eval().requires_grad_(False)


def device_of(model_type: str) -> str:
    """`meta`, or `cpu` for the few classes whose forward reads values."""
    return SIZES.get(model_type, {}).get("device", "meta")


def count_forward(model: torch.nn.Module, seq_len: int) -> int:
    """FLOPs of one forward of `seq_len` tokens, one sequence, as the framework's counter sees them."""
    device = next(model.parameters()).device
    ids = torch.zeros((1, seq_len), dtype=torch.long, device=device)
    counter = FlopCounterMode(display=False)
    with device, torch.no_grad(), counter:
        model(input_ids=ids, use_cache=False)
    return counter.get_total_flops()


def measure(model_type: str, seed: int) -> Small:
    """The small model of a type and a seed, measured."""
    config = build_config(model_type, seed)
    document = to_document(config, model_type)
    model = build_model(config, model_type)
    seq_len = 9 + seed
    return Small(
        config=document,
        n_params=sum(weight.numel() for weight in model.parameters()),
        forward=count_forward(model, seq_len),
        seq_len=seq_len,
    )


def see_no_packing(monkeypatch: Any) -> None:
    """Packed-sequence detection reads token values, which the meta device has not: say that nothing is packed."""
    monkeypatch.setattr(masking_utils, "find_packed_sequence_indices", lambda position_ids: None)
