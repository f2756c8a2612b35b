"""The chip catalogue: only reviewed rows, dense figures that re-derive, and the look-up by a peak."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from peakwise.core.errors import CatalogError
from peakwise.facts.chips import catalogued_peaks, chip_by_id, fits, load_chips, peaks_like, read_chips

ROWS = list(csv.DictReader((files("peakwise.facts") / "chips.csv").read_text("utf-8").splitlines()))
DERIVABLE = [
    row for row in ROWS if row["compute_units"] and row["flops_per_clk_per_unit_16bit"] and row["peak_clock_mhz"]
]


def one(chip_id: str) -> dict[str, str]:
    return next(row for row in ROWS if row["id"] == chip_id)


def test_every_row_is_a_chip_with_a_source_of_high_or_medium_confidence() -> None:
    assert len(load_chips()) == len(ROWS) == 118
    assert {row["confidence"] for row in ROWS} == {"high", "medium"}
    assert all(chip.source for chip in load_chips())


@pytest.mark.parametrize("row", DERIVABLE, ids=lambda row: row["id"])
def test_the_printed_peak_is_units_times_rate_times_clock(row: dict[str, str]) -> None:
    """Within 1 %, or 2 % where the row says why the print differs."""
    printed = float(row["bf16_tflops"] or row["fp16_fp32acc_tflops"])
    rate = int(row["compute_units"]) * int(row["flops_per_clk_per_unit_16bit"])
    derived = rate * float(row["peak_clock_mhz"]) * 1e6 / 1e12
    assert derived == pytest.approx(printed, rel=0.02 if row["rederive_note"] else 0.01)


def test_a_row_whose_print_differs_really_differs() -> None:
    assert [row["id"] for row in ROWS if row["rederive_note"]] == ["h20"]


def test_a_clock_that_was_inferred_from_the_peak_is_marked() -> None:
    inferred = {row["id"] for row in ROWS if row["clock_inferred"] == "yes"}
    assert {"b200-sxm", "gb200", "b300-sxm", "gb300", "rtx-pro-6000-se", "apple-m4"} <= inferred
    assert "h100-sxm" not in inferred


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"source": ""}, "source"),
        ({"source": "  "}, "source"),
        ({"confidence": "low"}, "confidence"),
        ({"devices_per_package": ""}, "devices_per_package"),
        ({"bf16_tflops": "fast"}, "positive number"),
        ({"bf16_tflops": "-1"}, "positive number"),
        ({"mem_gb": "nan"}, "positive number"),
        ({"sparsity_source": ""}, "sparse"),
        ({"sparsity_types": "fp4"}, "sparse"),
        ({"alias_memory_gb": "another=16"}, "alias"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused(change: dict[str, str], says: str) -> None:
    with pytest.raises(CatalogError, match=says) as caught:
        read_chips([{**one("h100-sxm"), **change}])
    assert caught.value.where == "h100-sxm"


def test_rows_out_of_order_are_refused() -> None:
    with pytest.raises(CatalogError, match="sorted"):
        read_chips([one("l40s"), one("l4")])


@pytest.mark.parametrize(
    ("chip_id", "tflop_per_s", "memory_gb"),
    [
        ("h100-sxm", 989.4, 80),
        ("h100-pcie", 756.4, 80),
        ("l40s", 362.05, 48),
        ("mi250x", 191.5, 64),
        ("tpu-v3", 61.5, 16),
        ("trn2", 166.75, 24),
    ],
)
def test_a_device_has_its_share_of_the_package(chip_id: str, tflop_per_s: float, memory_gb: float) -> None:
    chip = chip_by_id(chip_id)
    assert chip is not None
    assert chip.dense16_flop_per_s == tflop_per_s * 1e12
    assert chip.memory_bytes == memory_gb * 1e9


def test_parts_whose_boost_is_rated_are_marked() -> None:
    marked = {chip.id for chip in load_chips() if chip.rated_boost}
    assert {"rtx-5090", "rtx-4090", "rtx-2080ti"} <= marked
    assert marked.isdisjoint({"h100-sxm", "l40s", "mi300x"})


@pytest.mark.parametrize(
    ("peak_tflop_per_s", "ids"),
    [
        (988.9, ["h100-sxm", "h200-sxm"]),
        (312.0, ["a100-pcie-40", "a100-pcie-80", "a100-sxm-40", "a100-sxm-80"]),
        (191.5, ["mi250x", "r9700"]),
        (1.0, []),
    ],
)
def test_an_implied_peak_names_the_chips_it_fits(peak_tflop_per_s: float, ids: list[str]) -> None:
    """Without the variants of a listed chip (GH200, H800, A800)."""
    assert [chip.id for chip in fits(peak_tflop_per_s * 1e12)] == ids


def test_a_sparse_or_narrower_figure_is_recognised() -> None:
    found = {(peak.chip, peak.precision, peak.kind) for peak in peaks_like(1979e12)}
    assert ("h100-sxm", "bf16", "sparse") in found
    assert ("h100-sxm", "fp8", "dense") in found
    assert not any(precision in ("bf16", "fp16") and kind == "dense" for _, precision, kind in found)
    assert peaks_like(989.4e12)
    assert not peaks_like(989.4e12 * 1.002 * 100)


@pytest.mark.parametrize(
    ("chip_id", "precision", "tflop_per_s"),
    [
        ("h100-sxm", "bf16", 1978.8),
        ("mi355x", "fp8", 10066.4),
        ("trn2", "bf16", 2563 / 4),
        ("v100-sxm2", "fp16", None),
        ("mi355x", "fp4", None),
        ("h100-sxm", "fp64", None),
    ],
)
def test_sparse_figures_are_those_of_chips_with_structured_sparsity(
    chip_id: str, precision: str, tflop_per_s: float | None
) -> None:
    found = [
        peak.flop_per_s
        for peak in catalogued_peaks()
        if (peak.chip, peak.precision, peak.kind) == (chip_id, precision, "sparse")
    ]
    assert found == ([] if tflop_per_s is None else [pytest.approx(tflop_per_s * 1e12)])


def test_a_variant_names_a_chip_of_the_same_peak() -> None:
    for chip in load_chips():
        if chip.variant_of:
            kin = chip_by_id(chip.variant_of)
            assert kin is not None
            assert kin.dense16_flop_per_s == chip.dense16_flop_per_s
