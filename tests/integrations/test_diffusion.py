"""Diffusion transformers: the ledger of a diffusers config against the tracer, on modules written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peakwise.core.count import Count
from peakwise.core.errors import PeakwiseError
from peakwise.core.flop_trace import FlopTrace
from peakwise.integrations.torch import trace_flops
from peakwise.verbs.count import count

IMAGE, TEXT, BATCH = 12, 7, 2
DIT: dict[str, Any] = {
    "_class_name": "DiTTransformer2DModel",
    "_diffusers_version": "0.35.1",
    "activation_fn": "gelu-approximate",
    "attention_bias": True,
    "attention_head_dim": 6,
    "dropout": 0.0,
    "in_channels": 4,
    "norm_elementwise_affine": False,
    "norm_eps": 1e-05,
    "norm_num_groups": 32,
    "norm_type": "ada_norm_zero",
    "num_attention_heads": 4,
    "num_embeds_ada_norm": 10,
    "num_layers": 3,
    "out_channels": 8,
    "patch_size": 2,
    "sample_size": 12,
    "upcast_attention": False,
}
SD3: dict[str, Any] = {
    "_class_name": "SD3Transformer2DModel",
    "_diffusers_version": "0.35.1",
    "attention_head_dim": 6,
    "caption_projection_dim": 24,
    "in_channels": 5,
    "joint_attention_dim": 20,
    "num_attention_heads": 4,
    "num_layers": 4,
    "out_channels": 5,
    "patch_size": 2,
    "pooled_projection_dim": 18,
    "pos_embed_max_size": 8,
    "sample_size": 12,
}
FLUX: dict[str, Any] = {
    "_class_name": "FluxTransformer2DModel",
    "_diffusers_version": "0.35.1",
    "attention_head_dim": 6,
    "axes_dims_rope": [2, 2, 2],
    "guidance_embeds": True,
    "in_channels": 20,
    "joint_attention_dim": 22,
    "num_attention_heads": 4,
    "num_layers": 2,
    "num_single_layers": 3,
    "patch_size": 1,
    "pooled_projection_dim": 18,
}
CASES = {
    "dit": DIT,
    "dit, no bias in attention, patches of 3, as many channels out as in": DIT
    | {"attention_bias": False, "patch_size": 3, "out_channels": None},
    "sd3": SD3,
    "sd3.5, norms of heads and a second attention": SD3
    | {"qk_norm": "rms_norm", "dual_attention_layers": [0, 1], "in_channels": 3, "out_channels": 6},
    "flux": FLUX,
    "flux, without guidance, a joined block": FLUX | {"guidance_embeds": False, "num_single_layers": 1},
}


def _write(folder: Path, config: dict[str, Any]) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return str(path)


def _count(folder: Path, config: dict[str, Any], **flags: Any) -> Count:
    seq = f"image={IMAGE}" if config["_class_name"].startswith("DiT") else f"image={IMAGE},text={TEXT}"
    return count(_write(folder, config), **({"seq": seq, "batch": BATCH} | flags))


def _trace(config: dict[str, Any]) -> tuple[int, FlopTrace]:
    """Parameters and trace of the module that the config means."""
    import torch

    from .diffusion import SINUSOIDS, ClassDiT, build_flux, build_sd3

    image = torch.randn(BATCH, config["in_channels"], IMAGE, IMAGE)
    time = torch.randn(BATCH, SINUSOIDS)
    if config["_class_name"].startswith("DiT"):
        module: Any = ClassDiT(config)
        return _n_params(module), trace_flops(module, image, time, torch.zeros(BATCH, dtype=torch.long))
    text = torch.randn(BATCH, TEXT, config["joint_attention_dim"])
    pooled = torch.randn(BATCH, config["pooled_projection_dim"])
    if config["_class_name"].startswith("SD3"):
        module = build_sd3(config)
    else:
        module = build_flux(config)
        image = torch.randn(BATCH, (IMAGE // 2) ** 2, config["in_channels"])
    return _n_params(module), trace_flops(module, image, text, time, pooled)


def _n_params(module: Any) -> int:
    return sum(weight.numel() for weight in module.parameters())


@pytest.mark.torch
@pytest.mark.parametrize("name", list(CASES))
def test_a_diffusion_transformer_equals_its_trace(name: str, tmp_path: Path) -> None:
    """Patches, modulation, self-attention and joint attention: parameters, forward and backward to the integer."""
    work = _count(tmp_path, CASES[name])
    n_params, trace = _trace(CASES[name])
    assert work.parameters.total == n_params
    assert (work.ledger.forward, work.ledger.backward) == (trace.forward, trace.backward)
    assert trace.is_complete
    assert work.warnings == ()


@pytest.mark.parametrize(
    ("config", "seq", "n_params"),
    [
        (FLUX | {"attention_head_dim": 128, "num_attention_heads": 24, "num_layers": 19, "num_single_layers": 38}
         | {"in_channels": 64, "joint_attention_dim": 4096, "pooled_projection_dim": 768},
         "image=128,text=512", 11_901_408_320),
        (SD3 | {"attention_head_dim": 64, "num_attention_heads": 24, "num_layers": 24, "caption_projection_dim": 1536}
         | {"in_channels": 16, "out_channels": 16, "joint_attention_dim": 4096, "pooled_projection_dim": 2048}
         | {"pos_embed_max_size": 192}, "image=128,text=154", 2_028_328_000),
    ],
    ids=["FLUX.1-dev", "stable-diffusion-3-medium"],
)  # fmt: skip
def test_published_sizes_give_published_parameters(
    config: dict[str, Any], seq: str, n_params: int, tmp_path: Path
) -> None:
    assert _count(tmp_path, config, seq=seq, batch=1).parameters.total == n_params


def test_dit_xl_2_costs_what_its_paper_prints(tmp_path: Path) -> None:
    """Peebles & Xie 2022, table 1: 118.64 billion multiply-adds at 256 × 256, latents of 32 × 32."""
    sizes = {"attention_head_dim": 72, "num_attention_heads": 16, "num_layers": 28, "num_embeds_ada_norm": 1000}
    work = _count(tmp_path, DIT | sizes, seq="image=32", batch=1, mode="forward")
    assert work.ledger.forward / 2 == pytest.approx(118.64e9, rel=0.001)  # here every block embeds the time step


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (DIT | {"activation_fn": "geglu"}, "activation_fn"),
        (DIT | {"norm_type": "ada_norm_single"}, "norm_type"),
        (DIT | {"norm_elementwise_affine": True}, "norm_elementwise_affine"),
        (DIT | {"caption_channels": 4096, "num_extra_experts": 2}, "num_extra_experts"),
        (SD3 | {"qk_norm": "layer_norm"}, "qk_norm"),
        (SD3 | {"caption_projection_dim": 25}, "caption_projection_dim"),
        ({name: value for name, value in SD3.items() if name != "joint_attention_dim"}, "joint_attention_dim"),
        (FLUX | {"num_single_layers": 0}, "num_single_layers"),
        (FLUX | {"_class_name": "UNet2DConditionModel"}, "UNet2DConditionModel"),
        (FLUX | {"_class_name": "FluxPipeline"}, "FluxPipeline"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(config: dict[str, Any], named: str, tmp_path: Path) -> None:
    with pytest.raises(PeakwiseError) as caught:
        _count(tmp_path, config)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("config", "seq"),
    [(DIT, "image=13"), (DIT, "image=12,text=7"), (DIT, "128"), (SD3, "image=18,text=7"), (FLUX, "image=12")],
    ids=["no whole patches", "no text part", "no image", "more positions than the table has", "no text"],
)
def test_a_latent_that_does_not_fit_is_refused(config: dict[str, Any], seq: str, tmp_path: Path) -> None:
    with pytest.raises(PeakwiseError, match="--seq"):
        _count(tmp_path, config, seq=seq)
