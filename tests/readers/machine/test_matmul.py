"""This machine's matmuls are timed with a warm-up, often enough, on the CPU at least."""

from __future__ import annotations

from itertools import count

import pytest

from peakwise.readers.machine import matmul


def test_the_cpu_is_timed_in_two_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmul, "find_spec", lambda _: None)
    ticks = count()
    taken = matmul.time_machine((4, 8), clock=lambda: next(ticks) / 10)
    assert [(times.precision, times.m) for times in taken] == [("fp32", 4), ("fp64", 4), ("fp32", 8), ("fp64", 8)]
    for times in taken:
        assert times.library.startswith("numpy")
        assert times.seconds == pytest.approx([0.1] * len(times.seconds))
        assert matmul.FEWEST_RUNS <= len(times.seconds) <= matmul.MOST_RUNS


@pytest.mark.torch
def test_a_machine_without_accelerator_has_the_cpu_alone() -> None:
    import torch

    expected = torch.accelerator.is_available()
    assert bool(matmul._accelerator_tasks(torch, 4)) == expected
