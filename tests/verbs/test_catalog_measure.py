"""`catalog chips --measure`: this machine's own rate, apart from every datasheet."""

from __future__ import annotations

import pytest

from peakwise.core.errors import InputError
from peakwise.core.matmul_rate import MatmulTimes
from peakwise.readers.machine import matmul
from peakwise.verbs.catalog import catalog


@pytest.fixture(autouse=True)
def _timed(monkeypatch: pytest.MonkeyPatch) -> None:
    times = MatmulTimes(
        device="CPU (x)", library="numpy 2", precision="fp32", m=100, n=100, k=100, seconds=(1e-3, 2e-3)
    )
    monkeypatch.setattr(matmul, "time_machine", lambda: (times,))


def test_a_measured_rate_is_marked_and_comes_without_datasheet_rows() -> None:
    document = catalog("chips", measure=True).to_dict()
    assert document["rows"] == []
    (peak,) = document["measured"]  # type: ignore[misc]
    assert (peak["kind"], peak["flop_per_s"]["basis"]) == ("measured", "measured")  # type: ignore[index]


def test_with_a_query_both_are_given_apart() -> None:
    page = catalog("chips", "h100-sxm", measure=True)
    document = page.to_dict()
    assert len(document["rows"]) == 1  # type: ignore[arg-type]
    assert len(document["measured"]) == 1  # type: ignore[arg-type]
    text = page.to_markdown()
    assert text.index("Measured on this machine") < text.index("one chip")
    assert "declared: --peak" in text


def test_only_chips_are_measured() -> None:
    with pytest.raises(InputError, match="only chips"):
        catalog("models", measure=True)


def test_nothing_is_measured_unasked() -> None:
    assert catalog("chips", "h100-sxm").to_dict()["measured"] == []
