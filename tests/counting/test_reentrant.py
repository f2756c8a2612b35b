"""A reentrant checkpoint: its way through frozen blocks is hardware work, and MFU does not move."""

from __future__ import annotations

import pytest

import peakwise as pw


@pytest.mark.parametrize("train", ["full", "lora:r=4,targets=qv,last=2", "last:3", "frozen:embed"])
def test_model_flops_stay_and_recompute_grows(train: str) -> None:
    kinds = {"seq": 64, "train": train, "recompute": "full"}
    bare, plain, reentrant = (
        pw.count("llama-3.2-1b", seq=64, train=train).ledger,
        pw.count("llama-3.2-1b", **kinds).ledger,
        pw.count("llama-3.2-1b", **kinds, reentrant=True).ledger,
    )
    assert reentrant.model == plain.model == bare.model
    assert reentrant.hardware == reentrant.model + reentrant.recompute
    below = train not in (
        "full",
        "frozen:embed",
    )  # the norms of the first block train there, so it is gone through anyway
    assert (reentrant.recompute > plain.recompute) == below


@pytest.mark.parametrize("flags", [{"recompute": "none"}, {"recompute": "selective"}, {"early_stop": True}])
def test_it_is_one_of_whole_blocks_that_never_stops_early(flags: dict[str, object]) -> None:
    with pytest.raises(pw.PeakwiseError, match="reentrant"):
        pw.count("llama-3.2-1b", **({"seq": 64, "recompute": "full", "reentrant": True} | flags))
