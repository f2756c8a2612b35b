"""A scan says its sizes, and refuses those that cannot be."""

from __future__ import annotations

import pytest

from peakwise.core.errors import ConfigError
from peakwise.core.scan import Scan


def test_only_a_convolution_owns_weights_that_tokens_are_multiplied_with() -> None:
    conv = Scan(component="conv", name="conv", kind="conv", n_heads=10, kernel=4, bias=10)
    core = Scan(component="ssm", name="scan", kind="ssd", n_heads=3, d_key=5, d_value=7, block=4)
    assert (conv.matrix_weights, core.matrix_weights) == (40, 0)
    assert core.state == 105


@pytest.mark.parametrize(
    "wrong", [{"n_heads": 0}, {"d_key": 0}, {"d_value": 0}, {"block": 0}, {"kernel": 0}, {"bias": -1}]
)
def test_a_size_that_cannot_be_is_refused_by_name(wrong: dict[str, int]) -> None:
    sizes = {"n_heads": 3, "d_key": 5, "d_value": 7, "block": 4} | wrong
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Scan(component="ssm", name="scan", kind="ssd", **sizes)


def test_a_selective_scan_goes_token_by_token() -> None:
    assert Scan(component="ssm", name="scan", kind="mamba", n_heads=3, d_key=5).block == 0
