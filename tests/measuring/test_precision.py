"""Which matmuls ran in which type, and the peak of such a mixture."""

from __future__ import annotations

import pytest

from peakwise.core.chip import Chip, Peak
from peakwise.core.errors import InputError
from peakwise.core.ledger import Ledger, Term
from peakwise.measuring.precision import Mixture, parse_precision, time_at_peak


def test_one_type_of_fewer_than_16_bits_is_that_of_the_linear_layers() -> None:
    """Attention, head and router stay in bf16, and that is assumed."""
    expected = Mixture(linear="fp8", wgrad="fp8", attention="bf16", head="bf16", assumed=True)
    assert parse_precision("fp8") == expected
    assert parse_precision("linear=fp8,wgrad=fp8,attention=bf16,head=bf16").assumed is False
    assert parse_precision("bf16") == Mixture(linear="bf16", wgrad="bf16", attention="bf16", head="bf16", assumed=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fp8", "fp8"),
        ("bf16", "bf16"),
        ("tf32", "tf32"),
        ("linear=fp8,attention=fp32", "fp32"),
        ("linear=fp16", "fp16"),
    ],
)
def test_the_denominator_is_the_widest_above_16_bits(text: str, expected: str) -> None:
    assert parse_precision(text).denominator == expected


@pytest.mark.parametrize(
    "text", ["", "bf17", "wgrad=bf16", "linear=fp8,linear=fp8", "linear", "linear=", "all=fp8", "linear=fp8,,"]
)
def test_a_mixture_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_precision(text)
    assert caught.value.where == "--precision"


def test_the_peak_of_the_declared_mixture_needs_the_chips_figures() -> None:
    """A chip without a type's peak gives no utilization of it."""
    term = Term(component="mlp", name="up", layers=1, over="token", repeats=10, flop=6)
    head = Term(component="lm_head", name="head", layers=1, over="token", repeats=10, flop=2)
    ledger = Ledger(terms=(term, head), trains=True)
    peaks = (Peak(precision="bf16", package_flop_per_s=10.0), Peak(precision="fp8", package_flop_per_s=20.0))
    chip = Chip(
        id="x",
        vendor="x",
        name="X",
        form_factor="",
        aliases=(),
        peaks=peaks,
        package_memory_bytes=None,
        package_bandwidth_byte_per_s=None,
        devices_per_package=1,
        device_is="package",
        confidence="high",
        source="datasheet",
        notes="",
    )
    # up: forward, input and weight gradient of 60 each; head the same of 20
    assert time_at_peak(ledger, parse_precision("bf16"), chip) == pytest.approx(240 / 10)
    assert time_at_peak(ledger, parse_precision("fp8"), chip) == pytest.approx(180 / 20 + 60 / 10)
    mixed = parse_precision("linear=fp8,wgrad=bf16,attention=bf16,head=bf16")
    assert time_at_peak(ledger, mixed, chip) == pytest.approx(120 / 20 + 60 / 10 + 60 / 10)
    assert time_at_peak(ledger, parse_precision("fp4"), chip) is None
