"""Small encoders, encoder-decoders, towers and composites of the framework, and the FLOPs its counter sees in them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from .drawing import draw_sizes, fill
from .kin import FAMILIES

IMAGE, MEL, TEXT, ENCODER = 24, 40, 13, 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One thing a small model is run on: `--seq` of it, the batch, and the framework's forward FLOPs."""

    seq: str
    batch: int
    attention: str
    forward: int


class Kin:
    """The small model of one class of a type, drawn by a seed."""

    def __init__(self, model_type: str, class_name: str, seed: int) -> None:
        row, rng = FAMILIES[model_type], random.Random(f"{model_type}/{seed}")
        sizes = draw_sizes(rng)
        fields = {name: fill(value, sizes) for name, value in row["set"].items()}
        fields = {name: _without_null(value) for name, value in fields.items()}
        fields |= {name: rng.random() < 0.5 for name in row.get("flip", ()) if seed}
        fields |= {name: rng.choice(choices) for name, choices in row.get("one_of", {}).items()}
        self.row = row
        self.config = CONFIG_MAPPING[model_type](**fields)
        self.config._attn_implementation = "eager"
        self.config._experts_implementation = "batched_mm"
        with torch.device(row.get("device", "meta")):
            self.model = _class_of(self.config, class_name)(self.config).eval().requires_grad_(False)
        self.document = json.loads(self.config.to_json_string(use_diff=False))
        self.saved = json.loads(self.config.to_json_string(use_diff=True))
        for document in (self.document, self.saved):
            document |= {"architectures": [class_name], "model_type": model_type}

    @property
    def n_params(self) -> int:
        """Every parameter, a shared one once."""
        return sum(weight.numel() for weight in self.model.parameters())

    def runs(self) -> list[Run]:
        """What it is run on: everything at once, or each part of a composite alone."""
        batch, row = self.row.get("batch", 1), self.row
        self.image = row.get("image") or row["set"].get("image_size") or IMAGE
        vision = row["set"].get("vision_config", {})
        self.image = row.get("image") or vision.get("image_size", self.image)
        attention = "causal" if row.get("windowed") else "full"
        if "runs" in row:
            names = row["runs"]
            seq = ",".join(self._word(name, names) for name in names)
            inputs = self._whole_inputs(names, batch)
            return [Run(seq=seq, batch=batch, attention=attention, forward=self._count(self.model, inputs))]
        text = self.model.language_model if row.get("apart") else self.model
        flop = self._count(text, self._inputs(["text"], 1))
        found = [Run(seq=str(TEXT), batch=1, attention="full", forward=flop)]
        part = next(name for name in row["parts"] if name != "text")
        flop = self._count_part(part)
        return [*found, Run(seq=self._word(part, [part]), batch=1, attention=attention, forward=flop)]

    def _whole_inputs(self, names: list[str], batch: int) -> dict[str, torch.Tensor]:
        if self.row.get("gridded"):
            return self._gridded(self.config)
        made = self._inputs(names, batch)
        if self.row.get("patched"):
            made |= self._patched(getattr(self.config, "vision_config", self.config))
        if self.row.get("masked"):
            made |= {"input_features_mask": torch.ones((batch, MEL), dtype=torch.long)}
        return made

    def _word(self, name: str, names: list[str]) -> str:
        sizes = {"encoder": f"enc={ENCODER}", "image": f"image={self.image}", "mel": f"mel={MEL}"}
        return sizes.get(name, f"text={TEXT}" if names == ["text"] or "image" in names else f"dec={TEXT}")

    def _inputs(self, names: list[str], batch: int) -> dict[str, torch.Tensor]:
        ids = "decoder_input_ids" if {"encoder", "mel"} & set(names) else "input_ids"
        made = {
            "text": (ids, torch.ones((batch, TEXT), dtype=torch.long)),
            "encoder": ("input_ids", torch.ones((batch, ENCODER), dtype=torch.long)),
            "image": ("pixel_values", torch.zeros((batch, self._channels(), self.image, self.image))),
            "mel": ("input_features", torch.zeros((batch, self._bins(), MEL))),
        }
        return {made[name][0]: made[name][1].to(self._device) for name in names}

    def _channels(self) -> int:
        return getattr(self.config, "num_channels", None) or 3

    def _bins(self) -> int:
        return getattr(self.config, "num_mel_bins", None) or 14

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device

    def _count(self, call: Any, inputs: dict[str, Any]) -> int:
        counter = FlopCounterMode(display=False)
        with self._device, torch.no_grad(), counter:
            call(**inputs)
        return counter.get_total_flops()

    def _count_part(self, part: str) -> int:
        inner = getattr(self.model, "model", self.model)
        if part == "mel":
            return self._count_audio(getattr(self.model, "get_audio_features", self._hear))
        if hasattr(inner, "visual"):
            return self._count(inner.visual, self._gridded(self.config.vision_config))
        inputs = self._inputs(["image"], 1)
        if self.row.get("sizes"):
            inputs["image_sizes"] = torch.tensor([[self.image, self.image]])
        if self.row.get("tiles"):
            inputs["pixel_values"] = inputs["pixel_values"][None] + 1  # one tile, not black: a black one is padding
        if self.row.get("patched"):
            inputs = self._patched(self.config.vision_config)
        return self._count(self._see if self.row.get("apart") else inner.get_image_features, inputs)

    def _see(self, pixel_values: torch.Tensor) -> torch.Tensor:
        features = self.model.get_image_features(pixel_values)
        return self.model.multi_modal_projector(features.last_hidden_state)

    def _hear(self, input_features: torch.Tensor) -> torch.Tensor:
        inner = self.model.model
        return inner.multi_modal_projector(inner.audio_tower(input_features).last_hidden_state)

    def _count_audio(self, call: Any) -> int:
        inputs = self._inputs(["mel"], 1)
        masks = [name for name in signature(call).parameters if name.endswith("mask")]
        return self._count(call, inputs | {name: torch.ones((1, MEL), dtype=torch.long) for name in masks[:1]})

    def _gridded(self, vision: Any) -> dict[str, torch.Tensor]:
        """Patches in a row beside their grid, as the towers of Qwen take them."""
        side = self.image // vision.patch_size
        width = 3 * vision.temporal_patch_size * vision.patch_size**2
        return {"hidden_states": torch.zeros((side * side, width)), "grid_thw": torch.tensor([[1, side, side]])}

    def _patched(self, vision: Any) -> dict[str, torch.Tensor]:
        """Patches in a row beside the sides of their image, as the towers of SigLIP 2 take them."""
        side = self.image // vision.patch_size
        pixels = torch.zeros((1, side * side, vision.num_channels * vision.patch_size**2))
        mask = torch.ones((1, side * side), dtype=torch.long)
        return {"pixel_values": pixels, "spatial_shapes": torch.tensor([[side, side]]), "pixel_attention_mask": mask}


def _class_of(config: Any, name: str) -> Any:
    """A class of the framework by its name, from the file of its type where the framework's face has it not."""
    if hasattr(transformers, name):
        return getattr(transformers, name)
    return getattr(import_module(type(config).__module__.replace("configuration_", "modeling_")), name)


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value
