"""The Trainer's JSON files: the history of a state, and the final results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from peakwise.core.errors import ReadError
from peakwise.readers.find import read_log

HISTORY: list[dict[str, object]] = [
    {"epoch": 0.1, "loss": 6.25, "num_input_tokens_seen": 5120, "step": 5, "train_runtime": 7.382},
    {"epoch": 0.2, "loss": float("nan"), "num_input_tokens_seen": 10240, "step": 10, "train_runtime": 13.405},
    {"epoch": 0.2, "eval_loss": 6.1, "eval_runtime": 3.0, "step": 10},
    {"epoch": 0.3, "loss": 6.2, "num_input_tokens_seen": 15360, "step": 15, "train_runtime": 19.981},
    {
        "epoch": 0.3,
        "step": 15,
        "total_flos": 1.2e17,
        "train_loss": 6.2,
        "train_runtime": 30.0,
        "train_samples_per_second": 4.003,
        "train_steps_per_second": 0.501,
    },
]


def state(folder: Path, **more: object) -> str:
    path = folder / "trainer_state.json"
    text = json.dumps(
        {"best_metric": None, "global_step": 15, "log_history": HISTORY, "max_steps": 80, **more}, indent=2
    )
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_history_s_records_have_steps_clock_and_counter(tmp_path: Path) -> None:
    """What Python writes for no number is passed over; evaluation and summary are no records."""
    series = read_log(state(tmp_path))
    assert series.producer == "hf-trainer"
    assert series["step"].tolist() == [5, 10, 15]
    assert series["elapsed_s"].tolist() == [7.382, 13.405, 19.981]
    assert series["n_tokens"].tolist() == [5120, 10240, 15360]
    assert np.isnan(series["loss"][1])
    assert [(event.kind, event.before) for event in series.events] == [("evaluation", 2)]
    assert series.stated["global_batch"].value == 8


def test_final_results_have_no_record(tmp_path: Path) -> None:
    path = tmp_path / "all_results.json"
    path.write_text(json.dumps(HISTORY[-1], indent=4), encoding="utf-8")
    series = read_log(str(path))
    assert len(series) == 0
    assert series.stated["total_s"].value == 30
    assert series.stated["total_steps"].value == 15


@pytest.mark.parametrize("cut", [1, 40, 400])
def test_a_state_that_is_cut_off_is_refused(tmp_path: Path, cut: int) -> None:
    path = Path(state(tmp_path))
    path.write_text(path.read_text(encoding="utf-8")[:-cut], encoding="utf-8")
    with pytest.raises(ReadError, match="cannot be read") as caught:
        read_log(str(path))
    assert "earlier checkpoint" in caught.value.hint


def test_a_state_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trainer_state.json"
    path.write_text('{"log_history": [{"a": ' + "[" * 100_000, encoding="utf-8")
    with pytest.raises(ReadError, match="cannot be read"):
        read_log(str(path))


def test_a_state_larger_than_the_bound_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peakwise.readers.logs.trainer_state.MOST_BYTES", 100)
    with pytest.raises(ReadError, match="too large"):
        read_log(state(tmp_path))
