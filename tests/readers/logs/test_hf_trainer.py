"""The HF Trainer reader: dicts of every kind of script, the bars between them, and the banner before them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.core.errors import PeakwiseError
from peakwise.core.series import Series
from peakwise.readers.find import read_log

LOGS = Path(__file__).parents[2] / "data" / "logs"
BANNER = """[INFO|trainer.py:2414] 2025-01-01 10:00:00,123 >> ***** Running training *****
[INFO|trainer.py:2415] 2025-01-01 10:00:00,123 >>   Num examples = 52,000
[INFO|trainer.py:2416] 2025-01-01 10:00:00,123 >>   Num Epochs = 3
[INFO|trainer.py:2417] 2025-01-01 10:00:00,123 >>   Instantaneous batch size per device = 4
[INFO|trainer.py:2418] 2025-01-01 10:00:00 >>   Total train batch size (w. parallel, distributed & accumulation) = 128
[INFO|trainer.py:2419] 2025-01-01 10:00:00,123 >>   Gradient Accumulation steps = 4
[INFO|trainer.py:2420] 2025-01-01 10:00:00,123 >>   Total optimization steps = 1,218
[INFO|trainer.py:2421] 2025-01-01 10:00:00,123 >>   Number of trainable parameters = 6,738,415,616
"""


def read(folder: Path, text: str) -> Series:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    return read_log(str(path), "hf-trainer")


def bar(n: int, total: int = 500, label: str = "") -> str:
    return f"\r{label}{100 * n // total:3}%|{'█' * 3}       | {n}/{total} [00:10<01:00,  1.49it/s]"


def record(loss: float = 1.5, **more: object) -> str:
    return str({"loss": loss, "grad_norm": 0.5, "learning_rate": 2e-05, "epoch": 0.1, **more})


def test_a_dict_without_a_step_belongs_to_the_bar_before_it() -> None:
    """The first one, before any bar, belongs to the bar that is drawn again after it."""
    series = read_log(str(LOGS / "38-hf-trainer.log"))
    assert series["step"].tolist() == [2086, 2087, 2088, 2089]
    assert series["step_s"].tolist() == [0.6309, 0.641, 0.6355, 0.6715]
    assert series["samples_per_s"][0] == 57.063


def test_a_final_summary_is_no_record_and_stands_once() -> None:
    """Dict and table of one run: the first of them gives the totals, its texts are numbers."""
    series = read_log(str(LOGS / "39-hf-trainer.log"))
    assert len(series) == 0
    assert series.stated["total_s"].value == 2219
    assert series.stated["global_batch"].value == 8
    assert series.stated["global_batch"].basis == "derived"


def test_ms_swift_positions_and_durations_are_read() -> None:
    """`35/94` is the step; the cumulative speed gives the clock with more digits than "1m 8s"."""
    series = read_log(str(LOGS / "41-ms-swift.log"))
    assert series["step"].tolist() == [1, 5, 10, 15, 20, 25, 30, 35, 40, 90]
    assert series["elapsed_s"][7] == pytest.approx(68.57, abs=0.01)
    assert series.stated["total_steps"].value == 94
    assert np.isnan(series["step_s"]).all()


def test_ms_swift_s_clock_is_as_fine_where_the_run_began_from_another_step(tmp_path: Path) -> None:
    """Its mean speed counts from the step that a resumed run began from."""
    text = (LOGS / "41-ms-swift.log").read_text(encoding="utf-8")
    later = re.sub(r"'(\d+)/94'", lambda match: f"'{int(match.group(1)) + 1000}/1094'", text)
    series, whole = read(tmp_path, later), read_log(str(LOGS / "41-ms-swift.log"))
    assert series["step"].tolist() == (whole["step"] + 1000).tolist()
    assert series["elapsed_s"].tolist() == pytest.approx(whole["elapsed_s"].tolist())


def test_a_callback_s_rate_and_the_counter_are_columns() -> None:
    """A cumulative mean beside them is not used."""
    series = read_log(str(LOGS / "45-hf-trainer-liger-callback.log"))
    assert series["tokens_per_s"].tolist() == [18801.85, 18835.9, 18920.33]
    assert series["n_tokens"].tolist() == [65_536, 98_304, 131_072]
    assert np.isnan(series["step"]).all()


def test_dicts_without_step_time_or_rate_are_no_records() -> None:
    assert len(read_log(str(LOGS / "46-stanford-alpaca-hf-trainer.log"))) == 0


def test_a_dict_before_a_bar_on_one_line_keeps_its_own_step() -> None:
    series = read_log(str(LOGS / "49-paddlenlp.log"))
    assert series["step"].tolist() == [150, 160, 200]
    assert [event.kind for event in series.events] == ["evaluation"]


def test_bars_of_evaluation_and_of_data_give_no_step(tmp_path: Path) -> None:
    text = bar(3000, 3000, "Map: ") + bar(10) + "\n" + record(1.5) + "\n"
    text += bar(10) + bar(60, 60) + "\n" + str({"eval_loss": 1.0, "epoch": 0.1}) + "\n"
    text += bar(11) + bar(20) + "\n" + record(1.4) + "\n"
    series = read(tmp_path, text)
    assert series["step"].tolist() == [10, 20]
    assert [(event.kind, event.before) for event in series.events] == [("evaluation", 1)]


def test_dicts_that_come_after_each_other_without_a_bar_do_not_share_its_step(tmp_path: Path) -> None:
    series = read(
        tmp_path, bar(10) + "\n" + "\n".join(record(loss, train_step_runtime=0.5) for loss in (1.5, 1.4)) + "\n"
    )
    assert series["step"].tolist()[0] == 10
    assert np.isnan(series["step"][1])


def test_the_same_step_from_two_loggers_or_ranks_is_one_record(tmp_path: Path) -> None:
    one = record(1.5, train_step_runtime=0.5)
    other = str({"loss": 1.5, "epoch": 0.1, "step_tokens_per_second": 100.0})
    series = read(tmp_path, "\n".join([one, *[one] * 63, other, record(1.4, train_step_runtime=0.6)]) + "\n")
    assert series["step_s"].tolist() == [0.5, 0.6]
    assert series["tokens_per_s"][0] == 100


@pytest.mark.parametrize("joiner", ["", "\n", "    \n", " [rank0]: "])
def test_dicts_run_together_or_apart_are_the_same(tmp_path: Path, joiner: str) -> None:
    series = read(tmp_path, joiner.join(record(loss, global_step=n) for n, loss in enumerate((1.5, 1.4, 1.3))) + "\n")
    assert series["step"].tolist() == [0, 1, 2]


def test_a_dict_broken_anywhere_over_two_lines_is_read_as_one(tmp_path: Path) -> None:
    one = record(1.25, global_step=12, train_step_runtime=0.6309)
    for at in range(2, len(one)):
        series = read(tmp_path, f"{one[:at]}\n{one[at:]}\n{record(1.2, global_step=13)}\n")
        assert series["step"].tolist() == [12, 13], one[:at]
        assert series["step_s"].tolist()[0] == 0.6309, one[:at]


def test_a_dict_wrapped_by_a_narrow_terminal_is_read_as_one(tmp_path: Path) -> None:
    one = record(1.25, **{"rewards/chosen": 0.123456, "global_step": 12, "logps/rejected": -1.5, "step_time": 0.75})
    wrapped = "\n".join(one[at : at + 40] for at in range(0, len(one), 40))
    series = read(tmp_path, wrapped + "\n")
    assert series["step"].tolist() == [12]
    assert series["step_s"].tolist() == [0.75]


def test_a_dict_that_broke_off_for_good_keeps_what_is_whole(tmp_path: Path) -> None:
    """A number that touches the break is no number."""
    series = read(
        tmp_path, "{'loss': 1.5, 'global_step': 12, 'train_step_runtime': 0.6{'loss': 1.4, 'global_step': 13}\n"
    )
    assert series["step"].tolist() == [12, 13]
    assert np.isnan(series["step_s"]).all()


@pytest.mark.parametrize("cut", range(1, 90))
def test_a_log_cut_at_any_byte_keeps_what_is_whole(tmp_path: Path, cut: int) -> None:
    text = "".join(record(1.5 - n / 10, global_step=n, train_step_runtime=0.5 + n / 100) + "\n" for n in range(3))
    whole, series = read(tmp_path, text), read(tmp_path, text[:-cut])
    for column in ("step", "step_s"):
        kept = series[column]
        assert ((kept == whole[column][: len(kept)]) | np.isnan(kept)).all()
    assert len(series) >= 2


def test_numbers_as_texts_and_the_trainer_s_own_clock_are_read(tmp_path: Path) -> None:
    """Since 2025 the Trainer prints texts of four digits; with tokens counted, its clock stands in each dict."""
    line = "{{'loss': '6.25', 'epoch': '{0}', 'num_input_tokens_seen': {1}, 'train_runtime': '{2}'}}\n"
    series = read(tmp_path, line.format(0.1, 5120, 7.382) + line.format(0.2, 10240, 13.4))
    assert series["elapsed_s"].tolist() == [7.382, 13.4]
    assert series["n_tokens"].tolist() == [5120, 10240]
    assert len(series) == 2


def test_a_counter_printed_with_four_digits_is_too_coarse_to_be_differenced(tmp_path: Path) -> None:
    series = read(tmp_path, record(1.5, num_tokens="1.311e+06", step_time="1.25") + "\n")
    assert np.isnan(series["n_tokens"]).all()
    assert series["step_s"].tolist() == [1.25]


def test_llama_factory_s_json_lines_are_read(tmp_path: Path) -> None:
    line = (
        '{{"current_steps": {0}, "total_steps": 410, "loss": 1.5, "lr": 1e-05, "epoch": 0.1, "percentage": 2.4, '
        '"elapsed_time": "{1}", "remaining_time": "1 day, 2:03:04", "throughput": 2000.0, "total_tokens": {2}}}\n'
    )
    series = read(tmp_path, line.format(10, "0:00:50", 100_960) + line.format(20, "0:01:41", 202_400))
    assert series["step"].tolist() == [10, 20]
    assert series["elapsed_s"].tolist() == [50.48, 101.2]
    assert series["n_tokens"].tolist() == [100_960, 202_400]
    assert np.isnan(series["tokens_per_s"]).all()


def test_trainable_tokens_a_second_are_not_the_tokens_of_the_step(tmp_path: Path) -> None:
    series = read(tmp_path, record(1.5, global_step=1, **{"tokens/train_per_sec_per_gpu": 900.0}) + "\n")
    assert np.isnan(series["tokens_per_s_per_device"]).all()


def test_the_banner_states_batch_steps_and_ranks(tmp_path: Path) -> None:
    """Ranks follow from the batch sizes: derived. One rank says nothing: a model may be spread over several devices."""
    stated = read(tmp_path, BANNER + record(1.5, global_step=1) + "\n").stated
    assert stated["global_batch"].value == 128
    assert stated["n_devices"].value == 8
    assert stated["n_devices"].basis == "derived"
    alone = BANNER.replace("per device = 4", "per device = 32").replace("52,000", "52,002")
    assert "n_devices" not in read(tmp_path, alone + record(1.5, global_step=1) + "\n").stated


def test_a_banner_that_contradicts_itself_states_no_batch(tmp_path: Path) -> None:
    """128 sequences a step, but 1,218 steps of 208,000 examples in three epochs are 512 a step."""
    text = BANNER.replace("52,000", "208,000") + record(1.5, global_step=1) + "\n"
    assert "global_batch" not in read(tmp_path, text).stated


def test_unsloth_s_banner_is_read(tmp_path: Path) -> None:
    banner = """==((====))==  Unsloth 2025.3: Fast Llama patching. Transformers: 4.49.0.
   \\\\   /|    GPU: NVIDIA GeForce RTX 3090. Num GPUs = 1. Max memory: 23.691 GB.
   \\\\   /|    Num examples = 1,000 | Num Epochs = 1 | Total steps = 60
O^O/ \\_/ \\    Batch size per device = 2 | Gradient accumulation steps = 4
\\        /    Data Parallel GPUs = 1 | Total batch size (2 x 4 x 1) = 8
 "-____-"     Trainable parameters = 41,943,040/8,000,000,000 (0.52% trained)
"""
    stated = read(tmp_path, banner + record(1.5, global_step=1) + "\n").stated
    assert stated["chip"].value == "NVIDIA GeForce RTX 3090"
    assert stated["n_devices"].value == 1
    assert stated["global_batch"].value == 8
    assert stated["n_trainable_params"].value == 41_943_040
    assert stated["n_params"].value == 8_000_000_000


@pytest.mark.parametrize(
    ("line", "policy"),
    [
        ("    gradient_checkpointing=True,", "full"),
        ("gradient_checkpointing=False,", "none"),
        ("torchrun train.py --gradient_checkpointing --bf16", "full"),
        ("[INFO|llamafactory] Gradient checkpointing enabled.", "full"),
        ("gradient_checkpointing_kwargs=None,", None),
    ],
)
def test_gradient_checkpointing_states_recompute(tmp_path: Path, line: str, policy: str | None) -> None:
    stated = read(tmp_path, f"{line}\n{record(1.5, global_step=1)}\n").stated.get("recompute")
    assert (None if stated is None else stated.value) == policy


def test_nothing_in_a_dict_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    read(tmp_path, "{'loss': __import__('pathlib').Path('" + str(trap) + "').touch(), 'epoch': 1, 'global_step': 3}\n")
    assert not trap.exists()


PARTS = [
    "{'loss': ",
    "1.5",
    ", 'epoch': ",
    "'0.1'",
    "}",
    "{",
    "'",
    '"',
    "\n",
    "12/94",
    ": ",
    "100%|██| 3/5 [0",
    "(",
    "1e999",
]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=60))
def test_no_text_makes_it_fail_otherwise_than_with_a_reason(tmp_path: Path, parts: list[str]) -> None:
    try:
        series = read(tmp_path, "".join(parts) + "\n")
    except PeakwiseError:
        return
    assert np.isfinite(series["step_s"][~np.isnan(series["step_s"])]).all()
