"""`measure` of a log of the HF Trainer: an MFU where it prints or implies a time, and a refusal where it does not."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from peakwise.core.measurement import Measurement
from peakwise.core.quantity import Quantity
from peakwise.verbs.measure import measure

LOGS = Path(__file__).parents[1] / "data" / "logs"
BANNER = """***** Running training *****
  Num examples = 52,000
  Num Epochs = 3
  Instantaneous batch size per device = 4
  Total train batch size (w. parallel, distributed & accumulation) = 128
  Gradient Accumulation steps = 4
  Total optimization steps = 1,218
"""
PLACEHOLDERS = {"MODEL": "llama-3.1-8b", "CHIP": "h100-sxm", "TOKENS": "2048", "SEQUENCES": "36", "N": "8"}


def value(quantity: Quantity | None) -> float:
    assert quantity is not None
    return quantity.value


def clocked(folder: Path, *, step_s: float = 2.0, tokens: int = 262_144, start_s: float = 30.0) -> str:
    """A log with the Trainer's own clock and token counter: 20 records of 10 steps, after a slow start."""
    lines = [BANNER]
    for n in range(10, 210, 10):
        entry = {"loss": 1.5, "grad_norm": 0.5, "epoch": n / 406, "num_input_tokens_seen": tokens * n}
        entry |= {"train_runtime": round(start_s + n * step_s, 4), "train_tokens_per_second": 1.0}
        lines.append(f"{n / 1218:4.0%}|█   | {n}/1218 [00:10<01:00,  9.99it/s]\n{entry}\n")
    path = folder / "train.log"
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def complete(found: Measurement) -> Measurement:
    """The run of the last line of an incomplete report, its placeholders filled."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(found.command)]
    assert words[:2] == ["peakwise", "measure"]
    flags = {words[at][2:].replace("-", "_"): words[at + 1] for at in range(3, len(words), 2)}
    return measure(words[2], **flags)  # type: ignore[arg-type]


def test_clock_and_counter_give_step_time_and_tokens(tmp_path: Path) -> None:
    """Differences: start-up is in the first record alone; the bars' rate and the cumulative mean play no part."""
    found = measure(clocked(tmp_path))
    assert value(found.step_s.median) == pytest.approx(2.0, rel=1e-6)
    assert value(found.tokens_per_step) == 262_144
    assert value(found.tokens_per_s) == pytest.approx(131_072, rel=1e-6)
    assert value(found.n_devices) == 8
    assert value(found.seq_len) == 2048
    assert found.step_s.median is not None
    assert found.step_s.median.basis == "derived"


def test_such_a_log_needs_model_and_chip_alone(tmp_path: Path) -> None:
    found = measure(clocked(tmp_path), model="llama-3.1-8b", chip="h100-sxm")
    work = value(found.flop_per_token)
    assert value(found.mfu) == pytest.approx(work * 131_072 / 8 / 989.4e12, rel=1e-3)
    assert found.hfu is None


def test_tokens_that_vary_are_summed_over_their_time(tmp_path: Path) -> None:
    lines = list[str]()
    seen, clock = 0, 10.0007
    for n, (tokens, seconds) in enumerate([(100, 1.0), (300, 1.2), (200, 1.1), (400, 1.2), (250, 1.1)], start=1):
        seen, clock = seen + tokens, clock + seconds
        entry = {
            "loss": 1.5,
            "epoch": n / 9,
            "step": n,
            "num_input_tokens_seen": seen,
            "train_runtime": round(clock, 4),
        }
        lines.append(f"{entry}\n")
    path = tmp_path / "train.log"
    path.write_text("".join(lines), encoding="utf-8")
    found = measure(str(path), global_batch=4, devices=1)
    assert found.tokens_per_step is None
    assert value(found.tokens_per_s) == pytest.approx(1150 / 4.6, rel=1e-6)


def test_a_clock_printed_with_few_digits_is_read_over_longer_stretches(tmp_path: Path) -> None:
    """Whole seconds over 3.3 s would give 3 or 4: over 50 s and more they give the step."""
    lines = [
        f"{{'loss': '1.5', 'epoch': '{n / 400:.4g}', 'global_step': {n}, 'train_runtime': '{1000 + n * 3.3:.0f}'}}\n"
        for n in range(1, 200)
    ]
    path = tmp_path / "train.log"
    path.write_text("".join(lines), encoding="utf-8")
    assert value(measure(str(path)).step_s.median) == pytest.approx(3.3, rel=0.02)


def test_a_resumed_run_s_clock_begins_again_and_costs_one_record(tmp_path: Path) -> None:
    entries = [{"loss": 1.5, "step": n, "train_runtime": 30 + n * 2.0} for n in range(1, 11)]
    entries += [{"loss": 1.5, "step": n, "train_runtime": 50 + (n - 10) * 2.0} for n in range(11, 21)]
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({"log_history": entries}), encoding="utf-8")
    found = measure(str(path))
    assert value(found.step_s.median) == pytest.approx(2.0)
    assert found.steps.records == 20


def test_a_summary_alone_gives_a_mean_and_no_rate(tmp_path: Path) -> None:
    """Start-up, evaluation and saving are in it: it is no step time."""
    found = measure(str(LOGS / "39-hf-trainer.log"))
    assert found.steps.records == 0
    assert found.step_s.median is None
    assert value(found.step_s.mean) == pytest.approx(5.41, rel=0.02)
    assert found.tokens_per_s is None


@pytest.mark.parametrize("name", ["38-hf-trainer.log", "41-ms-swift.log", "45-hf-trainer-liger-callback.log"])
def test_the_last_line_of_an_incomplete_report_gives_an_mfu(name: str) -> None:
    found = measure(str(LOGS / name))
    assert found.mfu is None
    assert value(complete(found).mfu) > 0


def test_the_liger_callback_s_rate_stands_and_the_counter_gives_the_tokens() -> None:
    found = measure(str(LOGS / "45-hf-trainer-liger-callback.log"))
    assert value(found.tokens_per_s) == pytest.approx(18835.9, rel=0.02)
    assert value(found.tokens_per_step) == 32_768
    assert found.n_devices is None


def test_sequences_follow_from_a_callback_s_samples_per_second() -> None:
    found = measure(str(LOGS / "38-hf-trainer.log"))
    assert value(found.global_batch) == 36
    assert value(found.step_s.median) == pytest.approx(0.63825)


@pytest.mark.parametrize("name", ["46-stanford-alpaca-hf-trainer.log", "49-paddlenlp.log"])
def test_no_time_is_invented_where_none_is_printed(name: str) -> None:
    found = measure(str(LOGS / name))
    assert found.step_s.median is None
    assert found.tokens_per_s is None
    assert found.mfu is None


CONFIG = """[INFO|configuration_utils.py:765] 2025-01-01 10:00:00,123 >> Model config LlamaConfig {
  "architectures": [
    "LlamaForCausalLM"
  ],
  "attention_bias": false,
  "hidden_act": "silu",
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "max_position_embeddings": 131072,
  "mlp_bias": false,
  "model_type": "llama",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "tie_word_embeddings": false,
  "vocab_size": 128256
}

"""


def test_a_printed_config_needs_no_model(tmp_path: Path) -> None:
    path = Path(clocked(tmp_path))
    path.write_text(CONFIG + path.read_text(encoding="utf-8"), encoding="utf-8")
    found = measure(str(path), chip="h100-sxm")
    assert found.model_id == "llama-3.1-8b"
    assert value(found.mfu) == pytest.approx(value(measure(str(path), model="llama-3.1-8b", chip="h100-sxm").mfu))


def test_adapters_get_the_warning_that_the_work_is_of_full_training(tmp_path: Path) -> None:
    """Frozen weights need no gradient of their own: their MFU counted as of full training is too high."""
    path = Path(clocked(tmp_path))
    line = "trainable params: 41,943,040 || all params: 8,072,204,288 || trainable%: 0.5196\n"
    path.write_text(line + path.read_text(encoding="utf-8"), encoding="utf-8")
    found = measure(str(path), model="llama-3.1-8b", chip="h100-sxm")
    assert [warning.code for warning in found.warnings if "41,943,040" in warning.message] == ["W_RULE"]


@pytest.mark.parametrize("name", ["46-stanford-alpaca-hf-trainer.log", "39-hf-trainer.log"])
def test_a_log_without_any_time_says_that_no_flag_leads_to_an_mfu(name: str) -> None:
    run = measure(str(LOGS / name))
    assert run.command == ""
    assert run.notes == ("The log holds no step time, no rate and no clock: no flag leads to an MFU.",)
    assert measure(str(LOGS / name), model="gpt2-124m", chip="h100-sxm", seq=512, global_batch=8, devices=1).mfu is None


def bar(step: int, seconds: int, rate: str = "9.99s/it") -> str:
    return f"{step // 12:3d}%|{'█' * 3}       | {step}/1218 [{seconds // 60:02d}:{seconds % 60:02d}<1:00:00,  {rate}]"


def test_the_clock_of_the_training_bar_gives_the_step_time_and_its_smoothed_rate_does_not(tmp_path: Path) -> None:
    """3 s a step by the bar's clock between dicts; an evaluation's own bar has another total."""
    lines: list[str] = []
    for step in range(10, 210, 10):
        lines += [bar(step, 3 * step), "", f"{{'loss': {3 - step / 100:.4f}, 'epoch': {step / 406:.2f}}}", ""]
        lines += [bar(step, 3 * step + 1), "  5%|█    | 3/60 [00:07<01:00,  1.00it/s]"]
    path = tmp_path / "train.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = measure(str(path))
    assert run.step_s.median is not None
    assert run.step_s.median.value == pytest.approx(3.0, rel=0.02)
    assert run.step_s.median.basis == "derived"
    assert (run.steps.first, run.steps.last) == (10, 200)
    filled = measure(str(path), model="gpt2-124m", chip="h100-sxm", seq=1024, global_batch=64, devices=8)
    assert filled.mfu is not None
    assert filled.tokens_per_s is not None
    assert filled.tokens_per_s.value == pytest.approx(64 * 1024 / 3.0, rel=0.02)
