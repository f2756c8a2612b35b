"""Residual convolution stages: a stem, then blocks of convolutions whose streams shrink from stage to stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from peakwise.core.errors import ConfigError
from peakwise.core.fields import shown
from peakwise.core.model import Layer, Matmul, Op, Step, Stream, Weights
from peakwise.readers.configs.sizes import Sizes
from peakwise.readers.configs.stack import Stack

# ResNet: the stem is a 7 × 7 convolution of stride 2 and a 3 × 3 pooling of stride 2 (He et al. 2015, table 1).
STEM = (Step(7, 2, 3), Step(3, 2, 1))
REDUCTION = 4  # a bottleneck is a quarter as wide inside (He et al. 2015, figure 5)


def build_resnet(sizes: Sizes) -> Stack:
    """The stages of a residual network.

    **Counts / leaves out** a normalisation owns two weights a channel; pooling and activations are out. The stem's
    input is pixels, which need no gradient.
    """
    depths, widths = _lists(sizes)
    stem = sizes.whole("embedding_size")
    stream = Stream(name="stem", origin="image", steps=STEM[:1], dims=2)
    streams = [stream]
    outside = tuple(_convolution("stem", sizes.whole("num_channels"), stem, STEM[0].kernel, stream.name, data=True))
    steps, d_in, layers = STEM, stem, list[Layer]()
    for stage, (depth, d_out) in enumerate(zip(depths, widths, strict=True), start=1):
        stride = 2 if stage > 1 or sizes.holds("downsample_in_first_stage") else 1
        wide = Stream(name=f"stage{stage}.in", origin="image", steps=steps, dims=2)
        steps = (*steps, Step(3, stride, 1))
        narrow = Stream(name=f"stage{stage}", origin="image", steps=steps, dims=2)
        streams += [wide, narrow]
        layers.append(_block(sizes, d_in, d_out, wide=wide.name, narrow=narrow.name, stride=stride))
        layers += [_block(sizes, d_out, d_out, wide=narrow.name, narrow=narrow.name, stride=1)] * (depth - 1)
        d_in = d_out
    return Stack(layers=tuple(layers), outside=outside, streams=tuple(streams))


def _lists(sizes: Sizes) -> tuple[list[int], list[int]]:
    pool = sizes.pool
    depths, widths = cast(list[int], pool.get("depths") or []), cast(list[int], pool.get("hidden_sizes") or [])
    if not depths or len(depths) != len(widths) or min(*depths, *widths, 1) < 1:
        got = f"depths {shown(depths)}, hidden_sizes {shown(widths)}"
        expected = "one depth and one width a stage, each at least 1"
        raise ConfigError("the stages contradict each other", where=pool.place("depths"), got=got, expected=expected)
    return depths, widths


def _convolution(
    name: str, d_in: int, d_out: int, kernel: int, over: str, *, data: bool = False
) -> Iterator[Matmul | Weights]:
    yield Matmul(component="conv", name=name, d_in=d_in * kernel * kernel, d_out=d_out, over=over, input_grad=not data)
    yield Weights(component="other", name=f"{name}.norm", n=2 * d_out)


def _block(sizes: Sizes, d_in: int, d_out: int, *, wide: str, narrow: str, stride: int) -> Layer:
    """One residual block; `wide` is its stream before the stride and `narrow` after it."""
    ops: list[Op] = []
    if d_in != d_out or stride != 1:
        ops += _convolution("shortcut", d_in, d_out, 1, narrow)
    if sizes.holds("layer_type == 'bottleneck'"):
        inner, first = d_out // REDUCTION, narrow if sizes.holds("downsample_in_bottleneck") else wide
        ops += _convolution("conv1", d_in, inner, 1, first)
        ops += _convolution("conv2", inner, inner, 3, narrow)
        ops += _convolution("conv3", inner, d_out, 1, narrow)
    else:
        ops += _convolution("conv1", d_in, d_out, 3, narrow)
        ops += _convolution("conv2", d_out, d_out, 3, narrow)
    return Layer(ops=tuple(ops))
