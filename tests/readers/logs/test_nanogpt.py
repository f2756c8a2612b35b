"""The nanoGPT reader: one iteration's time, its placeholder, its fixed peak, and what the log states around them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.core.errors import PeakwiseError, ReadError
from peakwise.core.series import Series
from peakwise.readers.find import read_log

SAMPLE = Path(__file__).parents[2] / "data" / "logs" / "61-nanogpt.log"
RECORD = "iter 10: loss 3.2413, time 893.76ms, mfu 16.68%"
HEADER = """Overriding config with config/train_gpt2.py:
# $ torchrun --standalone --nproc_per_node=4 train.py config/train_gpt2.py
batch_size = 12
block_size = 1024
gradient_accumulation_steps = 5 * 8
Overriding: block_size = 2048
tokens per iteration will be: 491,520
number of parameters: 123.59M
"""


def read(folder: Path, text: str) -> Series:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    return read_log(str(path))


def test_sample_has_thirteen_iterations_in_base_units() -> None:
    """Times are seconds, MFU fractions; an iteration speaks for itself alone."""
    series = read_log(str(SAMPLE))
    assert series["step"].tolist()[:3] == [0, 10, 20]
    assert len(series) == 13
    assert series["step_s"][1] == pytest.approx(0.89376)
    assert series["mfu"][1] == pytest.approx(0.1668)
    assert series.spans == "step"
    assert series.generation == "2023-02"


def test_the_placeholder_of_minus_100_percent_is_no_figure() -> None:
    assert np.isnan(read_log(str(SAMPLE))["mfu"][0])


def test_evaluation_and_checkpoint_lines_are_events_and_no_records() -> None:
    kinds = {(event.kind, event.before) for event in read_log(str(SAMPLE)).events}
    assert kinds == {("evaluation", 13), ("checkpoint", 13)}


def test_the_peak_behind_its_mfu_is_the_constant_that_the_producer_divides_by(tmp_path: Path) -> None:
    """A generation without MFU divides by nothing, so nothing is said of a peak."""
    assert read(tmp_path, RECORD + "\n").stated["peak_flop_per_s"].value == 312e12
    old = read(tmp_path, "iter 10: loss 3.2413, time 893.76ms\n")
    assert "peak_flop_per_s" not in old.stated
    assert old.generation == "2022-12"


def test_header_states_tokens_length_and_parameters(tmp_path: Path) -> None:
    """An overriding flag wins over the printed file; a launch command in a comment is an example."""
    series = read(tmp_path, HEADER + RECORD + "\n")
    assert series["tokens_per_step"].tolist() == [491_520]
    assert series.stated["seq_len"].value == 2048
    assert series.stated["n_params"].value == 123_590_000
    assert "n_devices" not in series.stated


@pytest.mark.parametrize(
    ("command", "devices"),
    [
        ("+ torchrun --standalone --nproc_per_node=8 train.py", 8),
        ("$ torchrun --nproc-per-node 8 --nnodes=2 --node_rank=0 train.py", 16),
        ("torchrun --nproc_per_node=8 --nnodes=$NODES train.py", None),
    ],
)
def test_a_launch_command_states_the_devices_unless_it_leaves_them_open(
    tmp_path: Path, command: str, devices: int | None
) -> None:
    stated = read(tmp_path, f"{command}\n{RECORD}\n").stated.get("n_devices")
    assert (None if stated is None else stated.value) == devices


@pytest.mark.parametrize("prefix", ["[rank0]: ", "0: ", "\x1b[32m", "[default0]:", "2024-01-02T03:04:05.678Z "])
def test_launcher_prefixes_and_colours_change_nothing(tmp_path: Path, prefix: str) -> None:
    series = read(tmp_path, f"{prefix}{RECORD}\n{prefix}{RECORD.replace('iter 10', 'iter 20')}\n")
    assert series["step"].tolist() == [10, 20]
    assert series["step_s"].tolist() == pytest.approx([0.89376, 0.89376])


@pytest.mark.parametrize("at", range(5, len(RECORD)))
def test_a_line_that_broke_in_two_is_read_as_one(tmp_path: Path, at: int) -> None:
    series = read(tmp_path, f"{RECORD[:at]}\n{RECORD[at:]}\niter 20: loss 2.7264, time 894.88ms, mfu 16.67%\n")
    assert series["step"].tolist() == [10, 20]
    assert series["step_s"].tolist() == pytest.approx([0.89376, 0.89488])


def test_two_records_on_one_line_are_two(tmp_path: Path) -> None:
    series = read(tmp_path, f"{RECORD}{RECORD.replace('iter 10', ' iter 20')}\n")
    assert series["step"].tolist() == [10, 20]


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_log_cut_at_any_byte_keeps_what_is_whole(tmp_path: Path, cut: int) -> None:
    """No number changes: a cut one is left out."""
    text = SAMPLE.read_text(encoding="utf-8").split("step 250")[0].rstrip("\n")
    whole, series = read(tmp_path, text + "\n"), read(tmp_path, text[:-cut])
    for column in ("step", "step_s", "mfu"):
        kept = series[column]
        same = (kept == whole[column][: len(kept)]) | np.isnan(kept)
        assert same.all()
    assert len(series) >= 11


def test_a_log_whose_records_are_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no training record"):
        read_log(str(_written(tmp_path, "step 250: train loss 1.5986, val loss 1.7417\n")), "nanogpt")


def _written(folder: Path, text: str) -> Path:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    return path


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from([RECORD, "iter ", "time ", "ms, mfu", "%", "\n", "10: loss", "nan", "1e9", "{'", " "])))
def test_no_text_makes_it_fail_otherwise_than_with_a_reason(tmp_path: Path, parts: list[str]) -> None:
    try:
        series = read_log(str(_written(tmp_path, "".join(parts) + "\n")), "nanogpt")
    except PeakwiseError:
        return
    assert len(series) > 0
