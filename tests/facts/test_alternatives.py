"""Figures of other documents stand beside the catalogue's with their source, and are never used for it."""

from __future__ import annotations

from peakwise.facts.alternatives import alternatives_of
from peakwise.facts.chips import load_chips
from peakwise.verbs.catalog import catalog


def test_every_alternative_differs_from_the_figure_that_is_used() -> None:
    found = 0
    for chip in load_chips():
        for one in alternatives_of(chip):
            found += 1
            assert one.flop_per_s.source
            used = chip.peak_flop_per_s(one.figure)  # type: ignore[arg-type]
            assert used is not None
            assert one.flop_per_s.value != used
    assert found == 5


def test_an_alternative_is_for_one_device() -> None:
    (row,) = catalog("chips", "tpu-v2").to_dict()["rows"]  # type: ignore[misc]
    assert [one["flop_per_s"]["value"] for one in row["alternatives"]] == [22.5e12]


def test_every_dense_peak_is_a_datasheet_figure_with_its_source() -> None:
    (row,) = catalog("chips", "h100-sxm").to_dict()["rows"]  # type: ignore[misc]
    peaks = {peak["precision"]: peak for peak in row["peaks"]}
    assert {"tf32", "fp16", "bf16", "fp8", "int8"} <= set(peaks)
    assert peaks["bf16"]["dense_flop_per_s"]["value"] == 989.4e12
    assert peaks["bf16"]["sparse_flop_per_s"]["value"] == 1978.8e12
    assert {peak["kind"] for peak in peaks.values()} == {"datasheet"}
    assert row["alternatives"] == []
