"""Small diffusion transformers, written from what their papers and configs say: blocks of one stream and of two."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention, silu

SINUSOIDS = 256


class Mlp(nn.Sequential):
    """Two linears with an activation between."""

    def __init__(self, d_in: int, inner: int, d_out: int) -> None:
        super().__init__(nn.Linear(d_in, inner), nn.GELU(approximate="tanh"), nn.Linear(inner, d_out))


class Modulation(nn.Linear):
    """Shifts, scales and gates of a block from what the sample is conditioned on, once a sample."""

    def __init__(self, width: int, parts: int) -> None:
        super().__init__(width, parts * width)
        self.parts = parts

    def forward(self, condition: torch.Tensor) -> Any:
        return super().forward(silu(condition)).unsqueeze(1).chunk(self.parts, dim=-1)


class Heads(nn.Module):
    """Queries, keys and values of one stream."""

    def __init__(self, width: int, n: int, *, bias: bool = True, normed: bool = False) -> None:
        super().__init__()
        self.n = n
        self.q, self.k, self.v = (nn.Linear(width, width, bias=bias) for _ in range(3))
        norms = (nn.RMSNorm(width // n) if normed else nn.Identity() for _ in range(2))
        self.norm_q, self.norm_k = norms

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        q, k, v = (each(x).unflatten(-1, (self.n, -1)).transpose(1, 2) for each in (self.q, self.k, self.v))
        return [self.norm_q(q), self.norm_k(k), v]


def attend(*streams: list[torch.Tensor]) -> torch.Tensor:
    """One softmax over the positions of all streams."""
    q, k, v = (torch.cat(parts, dim=2) for parts in zip(*streams, strict=True))
    return scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


class ClassBlock(nn.Module):
    """A block of a class-conditional DiT, which embeds time step and class by itself."""

    def __init__(self, width: int, n: int, classes: int, *, bias: bool) -> None:
        super().__init__()
        self.time, self.table = Mlp(SINUSOIDS, width, width), nn.Embedding(classes + 1, width)
        self.modulation = Modulation(width, 6)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.heads, self.o, self.mlp = Heads(width, n, bias=bias), nn.Linear(width, width), Mlp(width, 4 * width, width)

    def condition(self, time: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        return self.time(time) + self.table(label)

    def forward(self, x: torch.Tensor, time: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        shift, scale, gate, shift_mlp, scale_mlp, gate_mlp = self.modulation(self.condition(time, label))
        x = x + gate * self.o(attend(self.heads(self.norm(x) * (1 + scale) + shift)))
        return x + gate_mlp * self.mlp(self.norm(x) * (1 + scale_mlp) + shift_mlp)


class ClassDiT(nn.Module):
    """Patches, blocks of one stream, a modulated output."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        n, patch = config["num_attention_heads"], config["patch_size"]
        width, channels = n * config["attention_head_dim"], config["in_channels"]
        self.patches = nn.Conv2d(channels, width, patch, patch)
        self.blocks = nn.ModuleList(
            ClassBlock(width, n, config["num_embeds_ada_norm"], bias=config["attention_bias"])
            for _ in range(config["num_layers"])
        )
        self.norm, self.modulation = nn.LayerNorm(width, elementwise_affine=False), Modulation(width, 2)
        self.out = nn.Linear(width, patch**2 * (config["out_channels"] or channels))

    def forward(self, image: torch.Tensor, time: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x, time, label)
        shift, scale = self.modulation(self.blocks[0].condition(time, label))
        return self.out(self.norm(x) * (1 + scale) + shift)


class TwinBlock(nn.Module):
    """A block of two streams, image and text, that attend to each other; the last one may drop its text."""

    def __init__(self, width: int, n: int, *, normed: bool, last: bool = False, dual: bool = False) -> None:
        super().__init__()
        self.last = last
        self.image_modulation = Modulation(width, 9 if dual else 6)
        self.text_modulation = Modulation(width, 2 if last else 6)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.image, self.text = (Heads(width, n, normed=normed) for _ in range(2))
        self.image_o, self.image_mlp = nn.Linear(width, width), Mlp(width, 4 * width, width)
        if not last:
            self.text_o, self.text_mlp = nn.Linear(width, width), Mlp(width, 4 * width, width)
        if dual:
            self.dual, self.dual_o = Heads(width, n, normed=normed), nn.Linear(width, width)

    def forward(self, x: torch.Tensor, text: torch.Tensor, condition: torch.Tensor) -> Any:
        of_image, of_text = self.image_modulation(condition), self.text_modulation(condition)
        read = self.norm(x) * (1 + of_image[1]) + of_image[0]
        read_text = self.norm(text) * (1 + of_text[1]) + of_text[0]
        both = attend(self.image(read), self.text(read_text))
        alone = self.norm(x)
        x = x + of_image[2] * self.image_o(both[:, : x.shape[1]])
        if hasattr(self, "dual"):
            x = x + of_image[8] * self.dual_o(attend(self.dual(alone * (1 + of_image[7]) + of_image[6])))
        x = x + of_image[5] * self.image_mlp(self.norm(x) * (1 + of_image[4]) + of_image[3])
        if self.last:
            return x, text
        text = text + of_text[2] * self.text_o(both[:, x.shape[1] :])
        return x, text + of_text[5] * self.text_mlp(self.norm(text) * (1 + of_text[4]) + of_text[3])


class JoinedBlock(nn.Module):
    """A block of one stream of image and text together: attention beside the feed-forward, one output linear."""

    def __init__(self, width: int, n: int) -> None:
        super().__init__()
        self.modulation, self.norm = Modulation(width, 3), nn.LayerNorm(width, elementwise_affine=False)
        self.heads, self.up = Heads(width, n, normed=True), nn.Linear(width, 4 * width)
        self.out = nn.Linear(5 * width, width)

    def forward(self, x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        shift, scale, gate = self.modulation(condition)
        read = self.norm(x) * (1 + scale) + shift
        return x + gate * self.out(torch.cat([attend(self.heads(read)), nn.functional.gelu(self.up(read))], dim=-1))


class JointDiT(nn.Module):
    """Image and text by their own embeddings, twin blocks, joined blocks where the config has some."""

    def __init__(self, config: dict[str, Any], first: nn.Module, twins: list[nn.Module], n_joined: int = 0) -> None:
        super().__init__()
        n = config["num_attention_heads"]
        width = n * config["attention_head_dim"]
        self.first, self.blocks = first, nn.ModuleList(twins)
        self.joined = nn.ModuleList(JoinedBlock(width, n) for _ in range(n_joined))
        self.text = nn.Linear(config["joint_attention_dim"], width)
        self.time, self.pooled = Mlp(SINUSOIDS, width, width), Mlp(config["pooled_projection_dim"], width, width)
        if config.get("guidance_embeds"):
            self.guidance = Mlp(SINUSOIDS, width, width)
        self.norm, self.modulation = nn.LayerNorm(width, elementwise_affine=False), Modulation(width, 2)
        out = config.get("out_channels") or config["in_channels"]
        self.out = nn.Linear(width, config["patch_size"] ** 2 * out)

    def forward(self, image: torch.Tensor, text: torch.Tensor, time: torch.Tensor, pooled: torch.Tensor) -> Any:
        condition = self.time(time) + self.pooled(pooled)
        if hasattr(self, "guidance"):
            condition = condition + self.guidance(time)
        x, text = self.first(image), self.text(text)
        if x.ndim == 4:
            x = x.flatten(2).transpose(1, 2)
        for block in self.blocks:
            x, text = block(x, text, condition)
        if self.joined:
            n_text, x = text.shape[1], torch.cat([text, x], dim=1)
            for block in self.joined:
                x = block(x, condition)
            x = x[:, n_text:]
        shift, scale = self.modulation(condition)
        return self.out(self.norm(x) * (1 + scale) + shift)


def build_sd3(config: dict[str, Any]) -> JointDiT:
    """Twin blocks alone, the last without text; some with a second attention over the image."""
    n, patch, n_layers = config["num_attention_heads"], config["patch_size"], config["num_layers"]
    width, normed = n * config["attention_head_dim"], config.get("qk_norm") == "rms_norm"
    dual = config.get("dual_attention_layers") or ()
    twins = [
        TwinBlock(width, n, normed=normed, last=index == n_layers - 1, dual=index in dual) for index in range(n_layers)
    ]
    return JointDiT(config, nn.Conv2d(config["in_channels"], width, patch, patch), list(twins))


def build_flux(config: dict[str, Any]) -> JointDiT:
    """Twin blocks, then joined ones; the image comes as packed latents."""
    n = config["num_attention_heads"]
    width = n * config["attention_head_dim"]
    twins = [TwinBlock(width, n, normed=True) for _ in range(config["num_layers"])]
    return JointDiT(config, nn.Linear(config["in_channels"], width), list(twins), config["num_single_layers"])
