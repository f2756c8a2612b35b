"""A utilization as it was reported, recompute and the pipeline."""

from __future__ import annotations

from peakwise.calculators.fields.choices import same
from peakwise.core.declaration import Field
from peakwise.core.units import TERA

TRAINING: tuple[Field, ...] = (
    Field(
        key="mfu_pct",
        flag="--mfu",
        param="mfu",
        kind="number",
        note="or --achieved with --peak",
        unit="%",
        dimension="percent",
        low=0,
        high=1000,
    ),
    Field(
        key="achieved_tflops",
        flag="--achieved",
        param="tf",
        kind="number",
        unit="TFLOP/s per accelerator",
        dimension="flop_per_s",
        scale=TERA,
        low=0,
        high=1e7,
    ),
    Field(
        key="flops_kind",
        flag="--flops-kind",
        param="fk",
        kind="choice",
        note="what the achieved rate counts",
        choices=same("model", "hardware"),
    ),
    Field(
        key="recompute",
        flag="--recompute",
        param="rc",
        kind="choice",
        note="what runs forward a second time; not stated, there is no HFU",
        choices=same("none", "selective", "full", "fraction"),
    ),
    Field(
        key="flash_backward",
        flag="--flash-backward",
        param="fb",
        kind="boolean",
        note="the backward pass of fused attention redoes half an attention forward",
    ),
    Field(
        key="early_stop",
        flag="--early-stop",
        param="es",
        kind="boolean",
        note="the last matmul of each block is not redone",
    ),
    Field(
        key="pp",
        flag="--pp",
        param="pp",
        kind="integer",
        note="pipeline stages",
        unit="stages",
        low=1,
        high=10000,
    ),
    Field(
        key="n_microbatches",
        flag="--microbatches",
        param="mb",
        kind="integer",
        note="per step",
        low=1,
        high=1e6,
    ),
    Field(
        key="virtual_stages",
        flag="--virtual-stages",
        param="vp",
        kind="integer",
        note="per device, in an interleaved schedule",
        low=1,
        high=1000,
    ),
)
