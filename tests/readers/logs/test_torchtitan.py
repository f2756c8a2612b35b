"""The torchtitan reader: every generation, every kind of damage, mapped to base units and nothing more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.core.errors import PeakwiseError, ReadError, UnknownFormat
from peakwise.core.series import Series
from peakwise.readers.find import read_log

SAMPLE = Path(__file__).parents[2] / "data" / "logs" / "15-torchtitan.log"
STAMP = "[rank0]:[titan] 2025-04-10 22:30:50,322 - root - INFO - "
RECORD = "step: 10  loss:  6.1416  grad_norm:  1.2  memory: 49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%"


def read(folder: Path, text: str) -> Series:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    return read_log(str(path))


def test_sample_has_six_records_in_base_units() -> None:
    """The sample's rates are tokens/s, FLOP/s and fractions, its clock seconds."""
    series = read_log(str(SAMPLE))
    assert len(series) == 6
    assert series["step"].tolist() == [200, 210, 220, 230, 240, 250]
    assert series["tokens_per_s_per_device"][0] == 5856
    assert series["flop_per_s_per_device"][0] == pytest.approx(339.16e12)
    assert series["mfu"][0] == pytest.approx(0.3429)
    assert np.diff(series["time_s"])[0] == pytest.approx(14.648)
    assert series.generation == "2025-02"


@pytest.mark.parametrize(
    ("line", "generation", "absent"),
    [
        ("step:  5  loss: 9.1  memory: 3.18GiB(1.7%)  wps: 1,339  mfu: 12.50%", "2024", "flop_per_s_per_device"),
        ("step:  5  loss: 9.1  memory: 3.18GiB(1.7%)  tps: 1,339  mfu: 12.50%", "2024-11", "flop_per_s_per_device"),
        ("step:  5  loss: 9.1  memory: 3.18GiB(1.7%)  tps: 1,339  tflops: 9.10  mfu: 12.50%", "2025-02", "step_s"),
        (
            "step:  5  loss: 9.1  grad_norm: 1.0  memory: 3.18GiB(1.7%)  tps: 1,339  tflops: 9.10  mfu: N/A",
            "2026-02",
            "mfu",
        ),
    ],
)
def test_every_generation_gives_the_rate_it_prints(tmp_path: Path, line: str, generation: str, absent: str) -> None:
    """wps and tps are one column; what a generation does not print, `N/A` among it, is not there."""
    series = read(tmp_path, f"{STAMP}{line}\n")
    assert series["tokens_per_s_per_device"].tolist() == [1339]
    assert np.isnan(series[absent]).all()
    assert series.generation == generation


@pytest.mark.parametrize("code", ["\x1b[31m", "[31m", "\x1b[38;2;180;0;0m", "[1;39m"])
def test_colour_codes_do_not_matter(tmp_path: Path, code: str) -> None:
    """A record is read the same with colour codes, with and without their escape byte."""
    coloured = RECORD.replace("loss", f"{code}loss").replace("tps", f"{code}tps").replace("mfu", f"{code}mfu")
    series = read(tmp_path, f"{STAMP}{code}{coloured}{code}\n")
    assert series["tokens_per_s_per_device"].tolist() == [5856]
    assert series["mfu"].tolist() == pytest.approx([0.3429])


def test_header_facts_are_stated(tmp_path: Path) -> None:
    """Chip, model size, mesh, batch, length, recompute and the producer's own peak are facts of the log."""
    header = (
        "CUDA capacity: NVIDIA H100 80GB HBM3 (0) with 79.10GiB memory",
        "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]",
        "Model llama3 8B size: 8,030,261,248 total parameters",
        "Applied full activation checkpointing to the model",
        "Peak FLOPS used for computing MFU: 9.890e+14",
        "Training starts at step 1, with local batch size 2, global batch size 8, sequence length 8192, total steps 9",
    )
    series = read(tmp_path, "".join(f"{STAMP}{line}\n" for line in (*header, RECORD)))
    assert {key: fact.value for key, fact in series.stated.items()} == {
        "chip": "NVIDIA H100 80GB HBM3",
        "model": "llama3 8B",
        "n_params": 8_030_261_248,
        "n_devices": 8,
        "recompute": "full",
        "peak_flop_per_s": 9.89e14,
        "global_batch": 8,
        "seq_len": 8192,
    }


def test_mesh_by_named_degrees_counts_each_rank_once(tmp_path: Path) -> None:
    """Expert degrees reuse the other ranks, so they are not multiplied in."""
    mesh = "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=8, cp=1, tp=4, ep=8, etp=1"
    assert read(tmp_path, f"{STAMP}{mesh}\n{STAMP}{RECORD}\n").stated["n_devices"].value == 64


def test_validation_and_profiler_lines_are_no_records(tmp_path: Path) -> None:
    """Evaluation, checkpoint and profiler lines explain time; they are no steps and not skipped lines."""
    other = "validate step: 10  loss: 12.47  memory: 69.81GiB(88.17%)  tps: 74,600"
    series = read(tmp_path, f"{STAMP}{RECORD}\n{STAMP}{other}\n{STAMP}Dumping profiler traces at step 10\n")
    assert len(series) == 1
    assert series.n_skipped_lines == 0
    assert [event.kind for event in series.events] == ["evaluation", "profiler"]


@pytest.mark.parametrize("cut", ["34.", "34.29", "34"])
def test_number_that_may_be_cut_is_no_number(tmp_path: Path, cut: str) -> None:
    """A last number without its end is left out; what is whole in the record stays."""
    text = f"{STAMP}{RECORD}".removesuffix("34.29%") + cut
    series = read(tmp_path, text)
    assert np.isnan(series["mfu"]).all()
    assert series["tokens_per_s_per_device"].tolist() == [5856]


@pytest.mark.parametrize("at", ["  tps:", "tps:", "ps:", " 5,856"])
def test_line_cut_in_two_is_one_record(tmp_path: Path, at: str) -> None:
    """A record that a wrapping launcher cut in two is joined."""
    place = RECORD.index(at)
    series = read(tmp_path, f"{STAMP}{RECORD[:place]}\n{RECORD[place:]}\n{STAMP}{RECORD.replace('10', '20', 1)}\n")
    assert series["step"].tolist() == [10, 20]
    assert series["tokens_per_s_per_device"].tolist()[-1] == 5856


def test_carriage_returns_end_a_line(tmp_path: Path) -> None:
    """A progress bar's carriage return before a record does not hide it."""
    assert len(read(tmp_path, f"12%|##   | 3/20\r{STAMP}{RECORD}\r\n")) == 1


def test_utf16_log_is_read(tmp_path: Path) -> None:
    """A log that a Windows shell redirected reads like any other."""
    path = tmp_path / "train.log"
    path.write_bytes(f"{STAMP}{RECORD}\n".encode("utf-16"))
    assert len(read_log(str(path))) == 1


def test_log_without_the_logger_name_is_recognised(tmp_path: Path) -> None:
    """The record's grammar is enough where "[titan]" was cut away."""
    assert len(read(tmp_path, RECORD + "\n")) == 1


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", ReadError),
        (b"\x00\x01\x02\x03" * 500, ReadError),
        (b"\x1f\x8b\x08 packed", ReadError),
        (bytes(range(128, 256)) * 40, ReadError),
        (b"hello, world\n", UnknownFormat),
        (b"[titan] started\n", ReadError),
    ],
)
def test_what_is_no_log_is_a_clear_error(tmp_path: Path, content: bytes, error: type[PeakwiseError]) -> None:
    """Empty, binary, packed, foreign and recordless files are refused with place and expectation."""
    path = tmp_path / "x.log"
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        read_log(str(path))
    assert caught.value.where
    assert caught.value.expected


def test_missing_file_and_directory_are_refused(tmp_path: Path) -> None:
    """No such file and a directory each say so."""
    with pytest.raises(ReadError, match="no such file"):
        read_log(str(tmp_path / "nothing.log"))
    with pytest.raises(ReadError, match="directory"):
        read_log(str(tmp_path))


def test_unknown_format_name_lists_the_readers() -> None:
    """`--format` with an unknown name says which there are."""
    with pytest.raises(UnknownFormat) as caught:
        read_log(str(SAMPLE), "torchtitn")
    assert "--format torchtitan" in caught.value.hint


def test_endless_line_takes_bounded_memory(tmp_path: Path) -> None:
    """A line of megabytes is passed over and the record after it read."""
    assert len(read(tmp_path, f"{STAMP}{RECORD}\n" + "x" * 3_000_000 + f"\n{STAMP}{RECORD}\n")) == 2


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(length=st.integers(min_value=0, max_value=SAMPLE.stat().st_size))
def test_truncation_at_any_byte_is_read_or_refused(tmp_path: Path, length: int) -> None:
    """A sample cut anywhere gives a prefix of its own records, or a clear error."""
    whole = read_log(str(SAMPLE))
    path = tmp_path / "cut.log"
    path.write_bytes(SAMPLE.read_bytes()[:length])
    try:
        part = read_log(str(path))
    except PeakwiseError:
        return
    for name in part.columns:
        known = ~np.isnan(part[name])
        assert part[name][known].tolist() == whole[name][: len(part)][known].tolist()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=400), place=st.integers(min_value=0, max_value=1300))
def test_noise_anywhere_never_crashes(tmp_path: Path, noise: bytes, place: int) -> None:
    """Bytes of any kind inside a log give an answer or a clear error."""
    data = SAMPLE.read_bytes()
    path = tmp_path / "noise.log"
    path.write_bytes(data[:place] + noise + data[place:])
    try:
        assert len(read_log(str(path))) > 0
    except PeakwiseError:
        return
