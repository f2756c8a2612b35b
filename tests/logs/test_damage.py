"""No input crashes `measure`: whatever bytes a file holds, it is measured or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.readers.find import BUILT_IN
from peakwise.readers.protocol import LONGEST_LINE

from .mutate import damage
from .samples import SAMPLES, run

LAWS = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
READERS = [reader.name for reader in BUILT_IN]


def check(path: Path, data: bytes, *flags: str) -> None:
    """An answer without NaN, or an error with its four parts; `run` refuses any other output."""
    path.write_bytes(data)
    ran = run("measure", str(path), *flags)
    assert ran.code in (0, 1)
    if ran.code:
        assert ran.document["schema"] == "peakwise.error/1"
        assert ran.document["error"]["got"]
        assert ran.document["error"]["expected"]
    else:
        assert ran.document["schema"] == "peakwise.measure/1"


@LAWS
@given(data=st.binary(max_size=2000))
def test_random_bytes_are_refused_or_measured(data: bytes, tmp_path: Path) -> None:
    check(tmp_path / "x.log", data)


@pytest.mark.parametrize("reader", READERS)
@settings(LAWS, max_examples=25)
@given(data=st.binary(max_size=1000))
def test_random_bytes_under_a_named_format_are_refused_or_measured(reader: str, data: bytes, tmp_path: Path) -> None:
    check(tmp_path / "x.log", data, "--format", reader)


@settings(LAWS, max_examples=150)
@given(sample=st.sampled_from(SAMPLES), other=st.sampled_from(SAMPLES), seed=st.integers(min_value=0, max_value=2**32))
def test_a_damaged_log_is_refused_or_measured(sample, other, seed: int, tmp_path: Path) -> None:
    check(tmp_path / "x.log", damage(sample.data, other.data, Random(seed)))


# Texts on which a pattern that looks back would take forever, and lines without an end.
ENDLESS: dict[str, Callable[[], bytes]] = {
    "blanks": lambda: b" " * LONGEST_LINE * 3,
    "digits": lambda: b"step: " + b"9" * LONGEST_LINE * 3,
    "thousands": lambda: b"step: 1  loss:  " + b"1," * LONGEST_LINE,
    "dots": lambda: b"  seq_length " + b"." * LONGEST_LINE * 3,
    "bars": lambda: b" iteration 1/ 2 " + b"| " * LONGEST_LINE,
    "quotes": lambda: b"{'loss': " + b"'" * LONGEST_LINE,
    "braces": lambda: b"{'loss': " + b"{" * LONGEST_LINE,
    "JSON braces": lambda: b'{"log_history": ' + b"[" * LONGEST_LINE,
    "colours": lambda: b"\x1b[" * LONGEST_LINE + b"step: 1  loss:  1.0",
    "records on a line": lambda: b"step: 1  loss:  1.0  tps: 5  mfu: 1.0% " * 5000,
    "iterations on a line": lambda: b" iteration 1/ 2 | elapsed time per iteration (ms): 5.0 |" * 3000,
    "times on a line": lambda: b"iter 1: loss 1.0, time 5.00ms, mfu 1.00% " * 3000,
    "dicts on a line": lambda: b"{'loss': 1.0, 'epoch': 0.1}" * 4000,
    "clocks on a line": lambda: b"2025-01-01 00:00:00,000 " * 5000 + b"step: 1  loss:  1.0  tps: 5  mfu: 1.0%",
    "torn records": lambda: b"step: 1  loss:  1.0\n" * 20_000,
    "torn iterations": lambda: b" iteration 1/ 2 |\n" * 20_000,
    "bar positions": lambda: b" 50%|#| 1/2 [00:01<00:01,  1.00it/s]\r" * 20_000 + b"{'loss': 1.0, 'epoch': 0.1}\n",
    "carriage returns": lambda: b"\r" * LONGEST_LINE * 16,
}


@pytest.mark.parametrize("what", ENDLESS)
def test_no_line_is_too_long_to_be_passed_over(what: str, tmp_path: Path) -> None:
    data = ENDLESS[what]()
    check(tmp_path / "x.log", data)
    for sample in SAMPLES[::4]:
        check(tmp_path / "x.log", sample.data + data)
