"""One chip: what a device of it has, which peak MFU divides by, and which rows are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peakwise.core.chip import Chip, NamedMemory, Peak, Precision
from peakwise.core.errors import CatalogError

TFLOP_PER_S = 10**12

CHIP = Chip(
    id="x",
    vendor="V",
    name="X",
    form_factor="OAM",
    aliases=("X 32",),
    peaks=(
        Peak(precision="fp32", package_flop_per_s=50 * TFLOP_PER_S),
        Peak(precision="fp16", package_flop_per_s=300 * TFLOP_PER_S),
        Peak(precision="bf16", package_flop_per_s=400 * TFLOP_PER_S),
        Peak(precision="fp8", package_flop_per_s=800 * TFLOP_PER_S),
    ),
    sparse_peaks=(Peak(precision="bf16", package_flop_per_s=800 * TFLOP_PER_S),),
    package_memory_bytes=64 * 10**9,
    package_bandwidth_byte_per_s=2e12,
    devices_per_package=2,
    device_is="part of package",
    confidence="high",
    source="a data sheet",
    notes="",
    named_memory=(NamedMemory(alias="X 32", package_memory_bytes=32 * 10**9, package_bandwidth_byte_per_s=1e12),),
)


def test_every_figure_of_a_device_is_the_package_s_divided_once() -> None:
    assert CHIP.peak_flop_per_s("bf16") == 200e12
    assert CHIP.sparse_peak_flop_per_s("bf16") == 400e12
    assert CHIP.dense16_flop_per_s == 200e12
    assert CHIP.memory_bytes == 32e9
    assert CHIP.bandwidth_byte_per_s == 1e12


def test_a_figure_the_vendor_does_not_state_is_unknown() -> None:
    bare = replace(CHIP, peaks=(), package_memory_bytes=None, package_bandwidth_byte_per_s=None)
    assert bare.peak_flop_per_s("bf16") is None
    assert bare.dense16_precision is None
    assert bare.dense16_flop_per_s is None
    assert bare.memory_bytes is None
    assert bare.bandwidth_byte_per_s is None
    assert CHIP.sparse_peak_flop_per_s("fp8") is None


@pytest.mark.parametrize(
    ("ran", "divides"),
    [("bf16", "bf16"), ("fp16", "fp16"), ("fp8", "bf16"), ("fp4", "bf16"), ("int8", "bf16"), ("fp32", "fp32")],
)
def test_runs_in_16_bits_or_fewer_divide_by_the_16_bit_peak(ran: Precision, divides: Precision) -> None:
    assert CHIP.denominator(ran) == divides


def test_a_wider_type_without_a_peak_of_its_own_has_no_denominator() -> None:
    assert CHIP.denominator("tf32") is None


def test_a_16_bit_type_the_chip_lacks_divides_by_the_16_bit_peak_it_has() -> None:
    fp16_only = replace(CHIP, peaks=CHIP.peaks[:2])
    assert fp16_only.denominator("bf16") == "fp16"


def test_an_alias_with_another_memory_gives_that_memory() -> None:
    assert CHIP.called("X 32").package_memory_bytes == 32 * 10**9
    assert CHIP.called("X 32").bandwidth_byte_per_s == 0.5e12
    assert CHIP.called("X") is CHIP


def test_every_catalogued_figure_is_for_one_device() -> None:
    figures = {(peak.precision, peak.kind): peak.flop_per_s for peak in CHIP.catalogued}
    assert figures["bf16", "dense"] == 200e12
    assert figures["bf16", "sparse"] == 400e12
    assert len(figures) == 5


def test_a_chip_without_a_source_is_refused() -> None:
    with pytest.raises(CatalogError, match="source"):
        replace(CHIP, source="")


def test_a_package_of_no_devices_is_refused() -> None:
    with pytest.raises(CatalogError, match="devices_per_package"):
        replace(CHIP, devices_per_package=0)
