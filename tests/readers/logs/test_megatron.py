"""The Megatron-LM reader: every generation and fork, every kind of damage, mapped to base units and nothing more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.core.errors import PeakwiseError, ReadError, UnknownFormat
from peakwise.core.series import Series
from peakwise.readers.find import read_log

LOGS = Path(__file__).parents[2] / "data" / "logs"
SAMPLES = (
    "01-megatron-lm.log",
    "04-megatron-llm.log",
    "26-mindspeed-llm.log",
    "34-megatron-deepspeed-v1-1-5-ze.log",
)
RECORD = (
    " iteration       10/     100 | consumed samples:         1280 | elapsed time per iteration (ms): 2800.1 |"
    " throughput per GPU (TFLOP/s/GPU): 301.2 | learning rate: 3.000000E-04 | global batch size:   128 |"
    " lm loss: 2.504285E+00 | loss scale: 1.0 | grad norm: 0.284 | number of skipped iterations:   1 |"
    " number of nan iterations:   0 |"
)
STAMP = " [2025-06-01 12:00:28.500000]"


def read(folder: Path, text: str) -> Series:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    return read_log(str(path))


def check_record(series: Series, n: int = 1) -> None:
    assert series["step"].tolist() == [10] * n
    assert series["step_s"].tolist() == pytest.approx([2.8001] * n)
    assert series["flop_per_s_per_device"].tolist() == pytest.approx([301.2e12] * n)
    assert series["global_batch"].tolist() == [128] * n
    assert series["n_samples"].tolist() == [1280] * n
    assert series["n_skipped"].tolist() == [1] * n


def test_a_record_is_in_base_units(tmp_path: Path) -> None:
    """Milliseconds become seconds, TFLOP/s FLOP/s; the clock keeps its fraction; timers and losses are no times."""
    series = read(tmp_path, f"{STAMP}{RECORD}\n")
    check_record(series)
    assert series["time_s"][0] % 60 == 28.5
    assert series.stated["global_batch"].value == 128
    assert series.spans == "interval"


@pytest.mark.parametrize(
    ("line", "generation", "rule"),
    [
        (
            "iteration 1/ 9 | elapsed time per iteration (ms): 334.9 | learning rate 1.0E-06 | lm loss 1.0E+01 |",
            "2019",
            "",
        ),
        ("iteration 1/ 9 | elapsed time per iteration (ms): 334.9 | learning rate: 1.0E-06 |", "2020", ""),
        ("iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): 334.9 |", "2020-12", ""),
        (
            "iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): 334.9 |"
            " throughput per GPU (TFLOP/s/GPU): 9.1 |",
            "2023-11",
            "megatron@2023-11",
        ),
        (
            "[2024-06-01 10:00:00] iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): 334.9 |"
            " throughput per GPU (TFLOP/s/GPU): 9.1 |",
            "2024-03",
            "megatron@2023-11",
        ),
        (
            "[2025-03-06 00:00:01] iteration 1/ 9 | consumed samples: 8 | skipped samples: 0 |"
            " elapsed time per iteration (ms): 334.9 | throughput per GPU (TFLOP/s/GPU): 9.1 |",
            "2024-07",
            "megatron@2025-03",
        ),
        (
            "iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): 334.9 |"
            " throughput per GPU (TFLOP/s/GPU): 9.1 | energy per GPU (J/iter/GPU): 210 | power per GPU (W/GPU): 628 |",
            "2025-06",
            "megatron@2025-03",
        ),
    ],
)
def test_every_generation_is_told_by_its_fields(tmp_path: Path, line: str, generation: str, rule: str) -> None:
    series = read(tmp_path, f" {line}\n")
    assert series["step_s"].tolist() == pytest.approx([0.3349])
    assert (series.generation, series.convention) == (generation, rule)


@pytest.mark.parametrize(
    ("fields", "column", "expected"),
    [
        ("throughput per GPU (TFLOP/s/GPU): 450.1/448.2 |", "flop_per_s_per_device", 450.1e12),
        ("compute per GPU (TFLOP/s/GPU): 450.1 (avg 448.2) |", "flop_per_s_per_device", 450.1e12),
        ("tokens per GPU (tokens/s/GPU): 9500.5/9400.1 |", "tokens_per_s_per_device", 9500.5),
        ("tokens per gpu per second (tgs): 1234.567 |", "tokens_per_s_per_device", 1234.567),
        ("samples per second: 12.5 | TFLOPs: 143.2 |", "samples_per_s", 12.5),
        ("TFLOPs: 143.2 |", "flop_per_s_per_device", 143.2e12),
        ("consumed tokens: 83886080 |", "n_tokens", 83886080),
        ("hip mem usage/free/total/usage_ratio: 50.1GB/141.9GB/192GB/26.1% | grad norm: 1.0 |", "step_s", 2.8),
    ],
)
def test_fields_of_the_forks_are_read(tmp_path: Path, fields: str, column: str, expected: float) -> None:
    """Where a fork prints this interval's figure and a mean since the start, the interval's is the record's."""
    line = f" iteration 5/ 10 | consumed samples: 640 | elapsed time per iteration (ms): 2800.0/2795.3 | {fields}\n"
    series = read(tmp_path, line)
    assert series[column].tolist() == pytest.approx([expected])
    assert series["step_s"].tolist() == pytest.approx([2.8])


def test_megatron_deepspeed_counts_recompute(tmp_path: Path) -> None:
    line = " iteration 5/ 10 | elapsed time per iteration (ms): 2800.0 | actual seqlen: 2048 | TFLOPs: 143.2 |\n"
    series = read(tmp_path, line)
    assert (series.convention, series.stated["seq_len"].value) == ("megatron_deepspeed", 2048)


def test_bridge_prints_its_rate_before_the_line_of_the_last_rank(tmp_path: Path) -> None:
    """One record of the two lines; alone, the step time is a record without a number."""
    bridge = "Step Time : 2.80s GPU utilization: 301.5MODEL_TFLOP/s/GPU\n"
    line = " iteration 5/ 10 | consumed samples: 640 | elapsed time per iteration (ms): 2800.4 | lm loss: 2.0E+00 |\n"
    both = read(tmp_path, bridge + line)
    assert both["step"].tolist() == [5]
    assert both["step_s"].tolist() == pytest.approx([2.8004])
    assert both["flop_per_s_per_device"].tolist() == pytest.approx([301.5e12])
    assert both.convention == "megatron_bridge"
    alone = read(tmp_path, bridge.replace("MODEL_", "") * 3)
    assert alone["step_s"].tolist() == pytest.approx([2.8] * 3)
    assert np.isnan(alone["step"]).all()


@pytest.mark.parametrize(
    ("prefix", "rank"),
    [("", -1), ("0:", 0), ("63: ", 63), ("[rank7]:", 7), ("[default12]:", 12), ("[3]:", 3), ("INFO >> ", -1)],
)
@pytest.mark.parametrize("code", ["", "\x1b[32m", "[1;39m"])
@pytest.mark.parametrize("stamp", ["", STAMP])
def test_prefixes_colours_and_carriage_returns_do_not_matter(
    tmp_path: Path, prefix: str, rank: int, code: str, stamp: str
) -> None:
    coloured = RECORD.replace("2800.1", f"{code}2800.1{code}").replace("throughput", f"{code}throughput")
    series = read(tmp_path, f"loading\rwarming up\r{prefix}{stamp}{coloured}\r\n")
    check_record(series)
    assert series["stream"].tolist() == [rank]


@pytest.mark.parametrize("at", range(RECORD.index("|") + 1, len(RECORD) - 1))
def test_a_line_cut_in_two_is_one_record(tmp_path: Path, at: int) -> None:
    """A break inside a label, a number or at a blank loses nothing, nor does the prefix of the second piece."""
    check_record(read(tmp_path, f"{STAMP}{RECORD[:at]}\n{RECORD[at:]}\n"))
    check_record(read(tmp_path, f"0: {STAMP}{RECORD[:at]}\n0: {RECORD[at:]}\n"))


def test_ranks_that_cut_each_other_are_two_records(tmp_path: Path) -> None:
    at = RECORD.index("throughput") + 3
    text = f"[rank0]: {RECORD[:at]}\n[rank1]: {RECORD[:at]}\n[rank1]: {RECORD[at:]}\n[rank0]: {RECORD[at:]}\n"
    series = read(tmp_path, text)
    check_record(series, n=2)
    assert sorted(series["stream"].tolist()) == [0, 1]


def test_a_line_that_is_never_finished_keeps_what_is_whole(tmp_path: Path) -> None:
    """The next record, an event or a timer ends it; a number without its bar is cut and no number."""
    cut = " iteration 9/ 100 | consumed samples: 1152 | elapsed time per iteration (ms): 28"
    for line in ("time (ms) | forward: 132.49 | backward: 182.57 |", "saving checkpoint at iteration 9 | to x |", ""):
        series = read(tmp_path, f"{cut}\n{line}\n{RECORD}\n")
        assert series["step"].tolist() == [9, 10]
        assert series["n_samples"].tolist() == [1152, 1280]
        assert np.isnan(series["step_s"][0])


def test_timers_are_never_step_times(tmp_path: Path) -> None:
    timers = (
        "time (ms) | forward: 132.49 | backward: 182.57 | optimizer: 18.18 | batch generator: 45.29",
        "(min, max) time across ranks (ms):",
        "    forward-backward ...............................: (2501.10, 2503.99)",
        "    optimizer ......................................: (61.10, 61.20)",
        "times across ranks (ms):",
        "  forward-backward:",
        "     rank  0: 2501.10",
    )
    series = read(tmp_path, "\n".join((RECORD, *timers, "")))
    check_record(series)
    assert series.config == {}


def test_the_end_of_a_line_without_its_beginning_is_a_record_without_a_number(tmp_path: Path) -> None:
    rest = RECORD[RECORD.index("| elapsed") :]
    series = read(tmp_path, f"{rest}\n{RECORD}\n")
    assert series["step_s"].tolist() == pytest.approx([2.8001] * 2)
    assert np.isnan(series["step"][0])


def test_evaluation_and_checkpoint_lines_are_events_and_no_records(tmp_path: Path) -> None:
    later = RECORD.replace("      10/", "      20/")
    events = (
        " validation loss at iteration 10 | lm loss value: 2.1E+00 | lm loss PPL: 8.2E+00 | ",
        "saving checkpoint at iteration      10 to /data in torch_dist format",
        "  successfully saved checkpoint from iteration      10 to /data",
    )
    series = read(tmp_path, "\n".join((RECORD, *events, later, "")))
    assert series["step"].tolist() == [10, 20]
    assert [(event.kind, event.before) for event in series.events] == [("evaluation", 1), ("checkpoint", 1)]


def test_a_batch_that_grows_is_stated_nowhere(tmp_path: Path) -> None:
    """One number would be wrong for the run; the column has each record's own."""
    dump = "  global_batch_size ............................... 256\n"
    series = read(tmp_path, f"{dump}{RECORD}\n{RECORD.replace('size:   128', 'size:   256')}\n")
    assert "global_batch" not in series.stated
    assert series["global_batch"].tolist() == [128, 256]


def test_arguments_are_facts_and_the_model_in_megatrons_words(tmp_path: Path) -> None:
    dump = (
        "------------------------ arguments ------------------------",
        "  bf16 ............................................ True",
        "  fp8 ............................................. hybrid",
        "  global_batch_size ............................... 128",
        "  hidden_size ..................................... 4096",
        "  init_method_std ................................. 0.02",
        "  lr .............................................. 3e-05",
        "  micro_batch_size ................................ 2",
        "  num_attention_heads ............................. 32",
        "  num_layers ...................................... 32",
        "  pipeline_model_parallel_size .................... 4",
        "  recompute_granularity ........................... selective",
        "  seq_length ...................................... 8192",
        "  split ........................................... ['969', '30', '1']",
        "  tensor_model_parallel_size ...................... 2",
        "  virtual_pipeline_model_parallel_size ............ 2",
        "  world_size ...................................... 64",
        "-------------------- end of arguments ---------------------",
        " > padded vocab (size: 50257) with 943 dummy tokens (new size: 51200)",
    )
    for prefix in ("", "0: ", "[rank0]:"):
        series = read(tmp_path, "".join(f"{prefix}{line}\n" for line in (*dump, RECORD)))
        assert {key: fact.value for key, fact in series.stated.items()} == {
            "n_devices": 64,
            "seq_len": 8192,
            "global_batch": 128,
            "pp": 4,
            "vp": 2,
            "n_microbatches": 8,
            "precision": "fp8",
            "recompute": "selective",
        }
        assert (series.config["num_layers"], series.config["vocab_size"]) == (32, 50257)
        assert (series.config["lr"], series.config["split"]) == (3e-05, [969, 30, 1])


def test_of_two_dumps_the_first_stands(tmp_path: Path) -> None:
    """A restart prints its arguments again."""
    dump = "  world_size ...................................... {}\n"
    series = read(tmp_path, f"{dump.format(64)}{RECORD}\n{dump.format(32)}{RECORD}\n")
    assert series.stated["n_devices"].value == 64


def test_a_dump_without_records_says_what_it_lacks(tmp_path: Path) -> None:
    text = "------------------------ arguments ------------------------\n  world_size ............ 64\n"
    with pytest.raises(ReadError, match="no training record"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "line",
    [
        "samples/sec: 2.930 | iteration 1/ 55000 | elapsed time per iteration (ms): 10921.0 | lm_loss: 2.2E+00 |",
        " iteration 1/ 9 | elapsed time per iteration (ms): 9.0 | approx flops per GPU: 9.8TFLOPS | lm_loss: 2.2E+00 |",
        "Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | train_step_timing in s: 0.03 |",
    ],
)
def test_lines_that_only_look_alike_are_of_no_reader(tmp_path: Path, line: str) -> None:
    """Their figures follow other rules, so they are refused rather than misread."""
    with pytest.raises(UnknownFormat):
        read(tmp_path, line + "\n")


def test_progress_txt_has_devices_and_events_and_no_record() -> None:
    series = read_log(str(LOGS / "07-megatron.log"))
    assert (series.producer, len(series), series.stated["n_devices"].value) == ("megatron-progress", 0, 8)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_cut_anywhere_keeps_its_whole_records(tmp_path: Path, name: str) -> None:
    """Numbers that the cut leaves whole are the same as before, and no number is a piece of one."""
    data, path = (LOGS / name).read_bytes(), tmp_path / "cut.log"
    whole = read_log(str(LOGS / name))
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        try:
            part = read_log(str(path))
        except PeakwiseError:
            continue
        for column in part.columns:
            ours, theirs = part[column], whole[column][: len(part)]
            assert (np.isnan(ours) | (ours == theirs)).all(), (end, column)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(
        st.one_of(
            st.sampled_from(["iteration", " iteration 5/ 9 |", " | ", "elapsed time per iteration (ms): ", "1e999"]),
            st.sampled_from(
                ["  hidden_size ........ ", "world_size ....", "Step Time : 1s GPU utilization: 1TFLOP/s/GPU"]
            ),
            st.sampled_from(["global batch size: -3 |", "padded vocab (size: 0)", "actual seqlen: 1e999 |", "9" * 400]),
            st.sampled_from(["\x1b[", "[rank", "\r", "\n", "\x00", "|"]),
            st.text(max_size=12),
        ),
        max_size=40,
    )
)
def test_no_text_crashes_the_reader(tmp_path: Path, pieces: list[str]) -> None:
    series = read(tmp_path, RECORD + "\n" + "".join(pieces).encode("utf-8", "replace").decode())
    assert series["step"][0] == 10
    assert all(np.isfinite(column[~np.isnan(column)]).all() for column in series.columns.values())
