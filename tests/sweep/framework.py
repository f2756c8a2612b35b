"""What the framework itself says of a small model: its parameters, and the FLOPs that its own counter sees."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
import transformers
from huggingface_hub.errors import StrictDataclassClassValidationError
from torch.utils.flop_counter import FlopCounterMode
from transformers import PreTrainedConfig, masking_utils
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from .drawing import ROLES, SIZES, draw_fields


def class_of(model_type: str) -> Any:
    """The causal-LM class of a type."""
    name = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[model_type]
    return getattr(transformers, name if isinstance(name, str) else name[0])


def build_config(model_type: str, seed: int) -> PreTrainedConfig:
    """The drawn config of a type."""
    return CONFIG_MAPPING[model_type](**draw_fields(model_type, seed, _class_defaults(model_type)))


@cache
def _class_defaults(model_type: str) -> dict[str, Any]:
    return CONFIG_MAPPING[model_type]().to_dict()


def to_document(config: PreTrainedConfig, model_type: str, *, whole: bool = True) -> dict[str, Any]:
    """The config as JSON with its class named: every field (`whole`), or those a saved file keeps."""
    document = json.loads(config.to_json_string(use_diff=not whole))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """One small model: its config, and what the framework says of `seq_len` tokens."""

    model_type: str
    config: PreTrainedConfig
    seq_len: int
    _model: list[torch.nn.Module] = field(default_factory=list)

    @classmethod
    def draw(cls, model_type: str, seed: int) -> Small:
        """The small model of a type and a seed."""
        return cls(model_type=model_type, config=build_config(model_type, seed), seq_len=9 + seed)

    @property
    def document(self) -> dict[str, Any]:
        """The config with every field spelled out."""
        return to_document(self.config, self.model_type)

    @property
    def saved(self) -> dict[str, Any]:
        """The config as the framework writes it to a file."""
        return to_document(self.config, self.model_type, whole=False)

    @property
    def model(self) -> torch.nn.Module:
        """The model, built once."""
        if not self._model:
            self._model.append(build_model(self.config, self.model_type))
        return self._model[0]

    def n_params(self) -> int:
        """Every parameter, a shared one once."""
        return sum(weight.numel() for weight in self.model.parameters())

    def forward(self) -> int:
        """FLOPs of the forward pass of one sequence."""
        return count_forward(self.model, self.seq_len)


def patterned_document(model_type: str, seed: int, n_layers: int, lists: tuple[str, ...]) -> dict[str, Any]:
    """A drawn config of `n_layers` layers whose `lists` the class has made itself."""
    fields = draw_fields(model_type, seed, _class_defaults(model_type))
    fields = {name: value for name, value in fields.items() if name not in lists}
    chosen = SIZES.get(model_type, {}).get("set", {})  # a depth chosen there goes with lists of its own
    for name in ROLES["layers"]:
        if name in fields and name not in chosen:
            fields[name] = n_layers
    return to_document(CONFIG_MAPPING[model_type](**fields), model_type)


def default_document(model_type: str) -> dict[str, Any]:
    """The config that the class of a type builds without arguments, or its type alone where it builds none."""
    try:
        config = CONFIG_MAPPING[model_type]()
    except StrictDataclassClassValidationError:
        return {"model_type": model_type}
    return to_document(config, model_type)


def list_types() -> set[str]:
    """Every causal-LM type of the installed framework."""
    return set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)


def see_no_packing(monkeypatch: Any) -> None:
    """Packed-sequence detection reads token values, which the meta device has not: say that nothing is packed."""
    monkeypatch.setattr(masking_utils, "find_packed_sequence_indices", lambda *_: None)
