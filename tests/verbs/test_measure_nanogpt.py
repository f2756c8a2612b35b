"""`measure` of a nanoGPT log: its MFU over the A100's peak beside ours over the right one."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from peakwise.core.quantity import Quantity
from peakwise.verbs.measure import measure

SAMPLE = str(Path(__file__).parents[1] / "data" / "logs" / "61-nanogpt.log")
PLACEHOLDERS = {"MODEL": "gpt2", "CHIP": "a100-sxm-40gb", "TOKENS": "1024", "SEQUENCES": "480", "N": "8"}
FLAGS = {"model": "gpt2", "chip": "a100-sxm-40gb", "seq": 1024, "global_batch": 480, "devices": 8}


def value(quantity: Quantity | None) -> float:
    assert quantity is not None
    return quantity.value


def test_without_flags_the_log_s_figures_stand_and_ours_are_null() -> None:
    found = measure(SAMPLE)
    assert value(found.step_s.median) == pytest.approx(0.89438)
    assert value(found.logged.mfu) == pytest.approx(0.1667)
    assert value(found.logged.implied_peak_flop_per_s) == 312e12
    assert value(found.logged.flop_per_s_per_device) == pytest.approx(52.0e12, rel=0.02)
    assert found.mfu is None
    assert found.tokens_per_s is None
    assert found.goodput is None
    assert [(part.first, part.last, part.reason) for part in found.steps.excluded] == [(0, 0, "warm-up")]


def test_the_last_line_of_an_incomplete_report_gives_an_mfu() -> None:
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(measure(SAMPLE).command)]
    flags = {words[at][2:].replace("-", "_"): words[at + 1] for at in range(3, len(words), 2)}
    assert value(measure(words[2], **flags).mfu) > 0  # type: ignore[arg-type]


def test_rate_is_sequences_times_length_over_one_iteration() -> None:
    found = measure(SAMPLE, **FLAGS)  # type: ignore[arg-type]
    rate = 480 * 1024 / 0.89438 / 8
    assert value(found.tokens_per_s_per_device) == pytest.approx(rate, rel=1e-4)
    assert value(found.mfu) == pytest.approx(value(found.flop_per_token) * rate / 312e12, rel=1e-4)


def test_on_another_chip_the_reconciliation_says_that_the_log_divided_by_an_a100() -> None:
    found = measure(SAMPLE, **(FLAGS | {"chip": "h100-sxm"}))  # type: ignore[arg-type]
    assert found.logged.convention == "nanogpt"
    assert found.reconciliation is not None
    assert "peak" in found.reconciliation.causes or any("312.0" in warning.message for warning in found.warnings)


def test_tokens_per_iteration_and_the_block_size_need_no_batch(tmp_path: Path) -> None:
    """All devices are in the tokens of an iteration; the sequences follow from the block size."""
    path = tmp_path / "train.log"
    header = "Overriding: block_size = 1024\ntokens per iteration will be: 491,520\nnumber of parameters: 123.59M\n"
    path.write_text(header + Path(SAMPLE).read_text(encoding="utf-8"), encoding="utf-8")
    found = measure(str(path), model="gpt2", chip="a100-sxm-40gb", devices=8)
    assert value(found.tokens_per_step) == 491_520
    assert value(found.global_batch) == 480
    assert value(found.mfu) == pytest.approx(value(measure(SAMPLE, **FLAGS).mfu))  # type: ignore[arg-type]
    assert not [warning for warning in found.warnings if warning.code == "W_DIFFERS"]


def test_a_printed_config_needs_no_model(tmp_path: Path) -> None:
    """The shapes that a config file prints, with the vocabulary found, are the model; its weights agree."""
    header = (
        "block_size = 256 # context\nn_layer = 6\nn_head = 6\nn_embd = 384\ndropout = 0.2\n"
        "tokens per iteration will be: 16,384\nfound vocab_size = 65 (inside meta.pkl)\nnumber of parameters: 10.65M\n"
    )
    path = tmp_path / "train.log"
    path.write_text(header + Path(SAMPLE).read_text(encoding="utf-8"), encoding="utf-8")
    found = measure(str(path), chip="a100-sxm-40gb", devices=1)
    assert value(found.seq_len) == 256
    # 6 · (blocks + head) + 6 · L · d · (T + 1): visible pairs; blocks 12·d² a layer, head V·d.
    work = 6 * (6 * 12 * 384**2 + 65 * 384) + 6 * 6 * 384 * 257
    assert value(found.flop_per_token) == pytest.approx(work)
    assert value(found.mfu) == pytest.approx(work * 16_384 / 0.89438 / 312e12, rel=1e-4)
    # The weights agree; the utilization that the lines print is of another config, and that is said.
    assert [warning.code for warning in found.warnings if warning.input == "model"] == ["W_RULE"]
