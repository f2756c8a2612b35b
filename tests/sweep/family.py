"""Small encoders, encoder-decoders, towers and composites of the framework, and the FLOPs its counter sees in them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
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
        with torch.device(row.get("device", "meta")):
            self.model = getattr(transformers, class_name)(self.config).eval().requires_grad_(False)
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
        self.image = vision.get("image_size", self.image)
        if "runs" in row:
            names = row["runs"]
            seq = ",".join(self._word(name, names) for name in names)
            return [
                Run(seq=seq, batch=batch, attention="full", forward=self._count(self.model, self._inputs(names, batch)))
            ]
        found = [
            Run(seq=str(TEXT), batch=1, attention="full", forward=self._count(self.model, self._inputs(["text"], 1)))
        ]
        part = next(name for name in row["parts"] if name != "text")
        attention = "causal" if row.get("windowed") else "full"
        flop = self._count_part(part)
        return [*found, Run(seq=self._word(part, [part]), batch=1, attention=attention, forward=flop)]

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
        inner = self.model.model
        if part == "mel":
            return self._count(self.model.get_audio_features, self._inputs(["mel"], 1))
        if not hasattr(inner, "visual"):
            inputs = self._inputs(["image"], 1)
            if self.row.get("device"):
                inputs["image_sizes"] = torch.tensor([[self.image, self.image]])
            return self._count(inner.get_image_features, inputs)
        vision = self.config.vision_config
        side = self.image // vision.patch_size
        width = 3 * vision.temporal_patch_size * vision.patch_size**2
        grid = torch.tensor([[1, side, side]])
        return self._count(inner.visual, {"hidden_states": torch.zeros((side * side, width)), "grid_thw": grid})


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value
