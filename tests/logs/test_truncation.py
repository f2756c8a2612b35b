"""A log that ends anywhere says what it still holds, or why it cannot; a cut number is no number."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.core.errors import PeakwiseError
from peakwise.core.series import COLUMNS, Series
from peakwise.readers.find import read_log

from .samples import FOLDER, NAMES, run

CODES = (0, 1)


@lru_cache(maxsize=len(NAMES))
def whole(name: str) -> Series:
    """The sample's own records."""
    return read_log(str(FOLDER / name))


def check_cut(name: str, cut: int, path: Path) -> None:
    """Each number of the cut log is that of the whole one, or not there."""
    path.write_bytes((FOLDER / name).read_bytes()[:cut])
    try:
        series = read_log(str(path))
    except PeakwiseError:  # the reason is looked at below, where it is shown
        return
    full = whole(name)
    assert series.producer == full.producer
    assert len(series) <= len(full)
    for column in COLUMNS:
        if column == "stream":
            continue
        here, there = series[column], full[column][: len(series)]
        # A clock printed twice is read from its words, whole seconds, where the finer print is cut off.
        coarse = 1.0 if column == "elapsed_s" else 0.0
        held = np.isnan(here) | np.isclose(here, there, rtol=1e-12, atol=coarse)
        assert held.all(), f"{column}: {here[~held]} after {cut} bytes, {there[~held]} in the whole log"


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(min_value=0, max_value=1))
def test_a_log_cut_anywhere_holds_what_it_holds(name: str, share: float, tmp_path: Path) -> None:
    check_cut(name, round(share * (FOLDER / name).stat().st_size), tmp_path / "cut.log")


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_a_log_cut_at_each_of_its_bytes_holds_what_it_holds(name: str, tmp_path: Path) -> None:
    for cut in range((FOLDER / name).stat().st_size + 1):
        check_cut(name, cut, tmp_path / "cut.log")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(min_value=0, max_value=1))
def test_a_cut_log_is_measured_or_refused_with_a_reason(name: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / "cut.log"
    data = (FOLDER / name).read_bytes()
    path.write_bytes(data[: round(share * len(data))])
    ran = run("measure", str(path))
    assert ran.code in CODES
    if ran.code:
        assert ran.document["error"]["got"]
        assert ran.document["error"]["expected"]


@pytest.mark.parametrize("name", NAMES)
def test_a_log_cut_after_a_line_is_the_log_of_the_lines_before(name: str, tmp_path: Path) -> None:
    """A line end more or less at the end of a file changes nothing that ends there."""
    lines = (FOLDER / name).read_bytes().splitlines(keepends=True)
    for n_lines in range(1, len(lines) + 1):
        check_cut(name, sum(len(line) for line in lines[:n_lines]), tmp_path / "cut.log")
        check_cut(name, sum(len(line) for line in lines[:n_lines]) - 1, tmp_path / "cut.log")
