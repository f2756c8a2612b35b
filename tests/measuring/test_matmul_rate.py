"""An achievable rate is at the median time of the best shape, with the spread of its runs."""

from __future__ import annotations

import pytest

from peakwise.core.errors import InputError
from peakwise.core.matmul_rate import MatmulTimes
from peakwise.measuring.matmul_rate import rate_matmuls


def _times(size: int, *seconds: float, device: str = "CPU") -> MatmulTimes:
    return MatmulTimes(device=device, library="numpy 2", precision="fp32", m=size, n=size, k=size, seconds=seconds)


def test_the_best_shape_of_a_device_is_kept_with_its_spread() -> None:
    slow, fast = _times(10, 1.0, 1.0, 1.0), _times(20, 4.0, 1.0, 2.0)
    (peak,) = rate_matmuls([slow, fast])
    assert (peak.m, peak.n_runs) == (20, 3)
    assert peak.flop_per_s == 2 * 20**3 / 2.0
    assert (peak.low, peak.high) == (2 * 20**3 / 4.0, 2 * 20**3 / 1.0)


def test_devices_are_not_mixed_and_a_peak_says_that_it_was_measured() -> None:
    peaks = rate_matmuls([_times(10, 1.0), _times(10, 2.0, device="other")])
    assert [peak.device for peak in peaks] == ["CPU", "other"]
    document = peaks[0].to_dict()
    assert document["kind"] == "measured"
    assert document["flop_per_s"] == {
        "value": 2000.0,
        "unit": "FLOP/s",
        "basis": "measured",
        "source": "numpy 2 on CPU, 10 × 10 × 10, 1 runs",
    }


def test_a_matmul_without_time_is_refused() -> None:
    with pytest.raises(InputError, match="no time"):
        _times(10, 0.0)
