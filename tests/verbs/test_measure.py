"""`measure`: a log becomes an MFU, with the reason why it is not what the log says."""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from peakwise.core.errors import InputError, UnknownChip
from peakwise.core.measurement import NUMBERS, Measurement
from peakwise.core.quantity import Quantity
from peakwise.verbs.measure import measure

SAMPLE = str(Path(__file__).parents[1] / "data" / "logs" / "15-torchtitan.log")
MODEL = "llama-3.1-8b"
WORK = 57_914_449_920  # torchtitan's FLOPs per token of this model at 8,192 tokens
HEADER = (
    "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory",
    "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]",
    "Model llama3 8B size: 8,030,261,248 total parameters",
    "Applied full activation checkpointing to the model",
    "Training starts at step 1, with local batch size 2, global batch size 8, sequence length 8192, total steps 99",
)


def value(quantity: Quantity | None) -> float:
    assert quantity is not None
    return quantity.value


def sample(**flags: object) -> Measurement:
    return measure(SAMPLE, **flags)  # type: ignore[arg-type]


class Log:
    """A torchtitan log as the producer would write it, one record a step."""

    def __init__(self, *, step_s: float = 1.4, header: tuple[str, ...] = (), peak: float = 989e12) -> None:
        self.clock = datetime(2025, 4, 10, 22, 30)
        self.step_s, self.peak = step_s, peak
        self.lines: list[str] = []
        for line in header:
            self.say(line)

    def say(self, words: str) -> None:
        stamp = f"{self.clock:%Y-%m-%d %H:%M:%S},{self.clock.microsecond // 1000:03d}"
        self.lines.append(f"[rank0]:[titan] {stamp} - root - INFO - {words}")

    def steps(self, first: int, last: int, slow: float = 1.0) -> None:
        for step in range(first, last + 1):
            self.clock += timedelta(seconds=self.step_s * slow)
            rate = 8192 / self.step_s / slow
            flop = rate * WORK
            self.say(
                f"step: {step:2}  loss:  6.1416  grad_norm:  1.2  memory: 49.66GiB(52.28%)  tps: {round(rate):,}  "
                f"tflops: {flop / 1e12:,.2f}  mfu: {100 * flop / self.peak:.2f}%"
            )

    def wait(self, seconds: float) -> None:
        self.clock += timedelta(seconds=seconds)

    def write(self, folder: Path) -> str:
        path = folder / "run.log"
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return str(path)


def test_sample_is_30_percent_and_the_log_says_34() -> None:
    """The shown run: 30.5 % exact, 34.3 % in the log, the same by its rule over its own peak."""
    run = sample(model=MODEL, chip="h100-sxm", seq=8192)
    assert value(run.mfu) == pytest.approx(0.3050, abs=0.0005)
    assert value(run.logged.mfu) == pytest.approx(0.3434, abs=0.0005)
    assert value(run.logged.recomputed_mfu) == pytest.approx(0.3433, abs=0.0005)
    assert run.logged.convention == "torchtitan"
    assert value(run.peak_flop_per_s_per_device) == pytest.approx(989.4e12)
    assert value(run.flop_per_token) == 51_471_187_968
    assert run.warnings == ()


def test_numbers_carry_their_basis_and_source() -> None:
    """Each number of the report says where it is from, and each that lacks says why."""
    run = sample(model=MODEL, chip="h100-sxm", seq=8192)
    step, rate, whole = run.step_s.median, run.tokens_per_s_per_device, run.mfu_wall
    assert step == Quantity(value=value(step), unit="s", basis="derived", source="clock, median of 60 steps")
    assert value(step) == pytest.approx(1.3974, abs=1e-6)
    assert rate == Quantity(value=5863, unit="token/s", basis="measured", source="log, median of 6 records")
    assert whole is not None
    assert (whole.basis, whole.source) == ("derived", "goodput 99.2 % of 84.5 s")
    assert value(whole) == pytest.approx(value(run.mfu) * value(run.goodput))
    assert run.absent["hfu"] == "recompute not stated"
    assert run.absent["tokens_per_s"] == "number of GPUs not stated"
    assert all(getattr(run, name) is not None or name in run.absent for name in NUMBERS if name != "global_batch")


def test_reconciliation_leads_from_the_log_to_ours() -> None:
    """The rows say the masked half of attention, and their parts sum to the difference."""
    table = sample(model=MODEL, chip="h100-sxm", seq=8192).reconciliation
    assert table is not None
    assert [row.label for row in table.rows] == [
        "the log",
        "its rule, torchtitan",
        "masked half of attention",
        "norm weights; peak 989.4",
        "visible pairs, exact",
    ]
    assert table.causes == ("attention",)
    assert table.sentence == "The difference is the masked half of attention."
    rule, *parts, ours = table.rows[1:]
    assert sum(part.mfu or 0 for part in parts) == pytest.approx((ours.mfu or 0) - (rule.mfu or 0), abs=1e-12)
    assert sum(part.flop_per_token or 0 for part in parts) == (ours.flop_per_token or 0) - (rule.flop_per_token or 0)


def test_without_model_nothing_is_guessed_and_the_command_completes_it() -> None:
    """No model, no MFU: the answer asks for model and chip, and its command with the placeholders filled runs."""
    run = sample()
    assert run.mfu is None
    assert [item.input for item in run.blocking] == ["model", "chip"]
    assert value(run.logged.implied_peak_flop_per_s) == pytest.approx(988.9e12, rel=1e-4)
    assert run.logged.implied_peak_flop_per_s is not None
    assert run.logged.implied_peak_flop_per_s.source == "fits h100-sxm, h200-sxm"
    for name in ("tokens_per_step", "tokens_per_s", "n_devices", "seq_len", "global_batch", "flop_per_s_per_device"):
        assert getattr(run, name) is None
    assert run.command.endswith("--model MODEL --chip CHIP")
    words = shlex.split(run.command.replace("MODEL", MODEL).replace("CHIP", "h100-sxm"))
    assert words[:2] == ["peakwise", "measure"]
    flags = dict(zip(words[3::2], words[4::2], strict=True))
    filled = measure(words[2], model=flags["--model"], chip=flags["--chip"])
    assert value(filled.mfu) == pytest.approx(0.3050, abs=0.0005)


def test_length_is_solved_from_the_log_and_marked() -> None:
    """With the model known, the log's FLOP/s give 8,192 tokens, and the MFU is solved, not derived."""
    run = sample(model=MODEL, chip="h100-sxm")
    assert run.seq_len is not None
    assert run.mfu is not None
    assert (run.seq_len.value, run.seq_len.basis, run.mfu.basis) == (8192, "solved", "solved")


def test_wrong_chip_is_named_as_the_likely_cause() -> None:
    """On an A100 the run would reach over 96 %: the warning names the chip and the one that fits."""
    run = sample(model=MODEL, chip="a100-sxm-80", seq=8192)
    assert value(run.mfu) > 0.96
    warning = run.warnings[0]
    assert (warning.code, warning.input, warning.fix) == ("W_HIGH", "chip", "--chip h100-sxm")
    assert "A100 SXM" in warning.message
    assert "likely cause is the chip" in warning.message


def test_above_the_peak_is_said_and_never_clamped() -> None:
    """A declared peak below what was done gives an MFU above 1 with E_OVER."""
    run = sample(model=MODEL, peak="200 TFLOP/s", seq=8192)
    assert value(run.mfu) == pytest.approx(1.5089, abs=1e-3)
    assert run.warnings[0].code == "E_OVER"
    assert run.peak is not None
    assert run.peak.kind == "declared"


def test_wrong_length_and_wrong_model_are_found_out() -> None:
    """A flag that contradicts what the log's FLOP/s imply is used, with a warning that shows both."""
    codes = {warning.code for warning in sample(model=MODEL, chip="h100-sxm", seq=4096).warnings}
    assert "W_DIFFERS" in codes
    assert {warning.code for warning in sample(model="llama-2-7b", chip="h100-sxm").warnings} == {"W_AMBIG"}


def test_devices_and_recompute_fill_the_rest() -> None:
    """With the number of GPUs and the recompute policy nothing is missing, and HFU counts the blocks once more."""
    run = sample(model=MODEL, chip="h100-sxm", seq=8192, devices=8, recompute="full")
    assert run.missing == ()
    assert run.command == ""
    assert value(run.tokens_per_s) == 8 * 5863
    assert value(run.global_batch) == 8
    assert value(run.hfu) / value(run.mfu) == pytest.approx(1.3129, abs=1e-4)
    assert value(sample(model=MODEL, chip="h100-sxm", seq=8192, recompute="none").hfu) == value(run.mfu)


def test_full_log_needs_no_other_flag_than_the_model(tmp_path: Path) -> None:
    """Chip, length, batch, GPUs and recompute come from the header; evaluation, stall and restart are told apart."""
    log = Log(header=HEADER)
    log.steps(1, 1, slow=20)
    log.steps(2, 30)
    log.wait(60)
    log.say("validate step: 30  loss:  5.1  memory: 49.66GiB(52.28%)  tps: 9,999")
    log.steps(31, 60)
    log.wait(300)
    log.steps(61, 80)
    log.wait(46)
    log.steps(76, 100)
    path = log.write(tmp_path)
    run = measure(path, model=MODEL)
    assert value(run.mfu) == pytest.approx(0.3044, abs=5e-4)
    assert value(run.hfu) == pytest.approx(0.3997, abs=5e-4)
    assert (value(run.n_devices), value(run.global_batch), value(run.seq_len)) == (8, 8, 8192)
    assert run.steps.repeated == 5
    assert [(part.first, part.last, part.reason) for part in run.steps.excluded] == [(1, 1, "warm-up")]
    assert [(gap.after, round(gap.seconds), gap.reason) for gap in run.steps.gaps] == [
        (30, 60, "evaluation"),
        (60, 300, "stall"),
        (80, 46, "restart"),
    ]
    assert value(run.mfu_wall) == pytest.approx(value(run.mfu) * value(run.goodput))
    assert run.warnings == ()


def test_ranks_interleaved_or_in_two_files_give_the_same_answer(tmp_path: Path) -> None:
    """A second rank's copy of every line changes nothing, in one file or in another."""
    log = Log(header=HEADER)
    log.steps(1, 20)
    path = log.write(tmp_path)
    copies = [line.replace("[rank0]", "[rank1]") for line in log.lines]
    mixed = [line for pair in zip(log.lines, copies, strict=True) for line in pair]
    (tmp_path / "mixed.log").write_text("\n".join(mixed) + "\n", encoding="utf-8")
    (tmp_path / "rank1.log").write_text("\n".join(copies) + "\n", encoding="utf-8")
    alone = measure(path, model=MODEL).to_dict()
    for paths in ((str(tmp_path / "mixed.log"),), (str(tmp_path / "rank1.log"), path)):
        other = measure(*paths, model=MODEL).to_dict()
        assert {**other, "sources": None} == {**alone, "sources": None}


def test_slower_clock_scales_times_and_leaves_goodput(tmp_path: Path) -> None:
    """All durations × 1.37: step times × 1.37, rates ÷ 1.37, goodput as before."""
    runs: list[Measurement] = []
    for factor in (1.0, 1.37):
        log = Log(step_s=1.4 * factor)
        log.steps(1, 30)
        runs.append(measure(log.write(tmp_path), model=MODEL, chip="h100-sxm"))
    fast, slow = runs
    assert value(slow.step_s.median) == pytest.approx(1.37 * value(fast.step_s.median), rel=1e-3)
    assert value(slow.mfu) == pytest.approx(value(fast.mfu) / 1.37, rel=1e-3)
    assert value(slow.goodput) == pytest.approx(value(fast.goodput), rel=1e-6)
    assert slow.n_devices is None


def test_flag_and_log_that_differ_give_a_warning_with_both(tmp_path: Path) -> None:
    """`--devices 16` over a mesh of 8 is used, and the warning shows 16 and 8."""
    log = Log(header=HEADER)
    log.steps(1, 20)
    run = measure(log.write(tmp_path), model=MODEL, devices=16)
    assert value(run.n_devices) == 16
    messages = [warning.message for warning in run.warnings if warning.code == "W_DIFFERS"]
    assert any("16" in message and "8" in message for message in messages)


def test_unknown_chip_in_the_log_is_named_not_guessed(tmp_path: Path) -> None:
    """A GPU that the catalogue lacks leaves MFU empty and says what the log says."""
    log = Log(header=("CUDA capacity: NVIDIA Q9000 with 79.10GiB memory",))
    log.steps(1, 9)
    run = measure(log.write(tmp_path), model=MODEL)
    assert run.mfu is None
    assert "Q9000" in run.absent["peak_flop_per_s_per_device"]


@pytest.mark.parametrize(
    "flags",
    [
        {"devices": 0},
        {"devices": "many"},
        {"seq": 0},
        {"global_batch": -1},
        {"precision": "bf17"},
        {"recompute": "some"},
        {"peak": "fast"},
        {"peak": 0.0},
    ],
)
def test_flag_that_cannot_be_used_is_named(flags: dict[str, object]) -> None:
    """Each bad flag is an error that names the flag and what it takes."""
    with pytest.raises(InputError) as caught:
        sample(**flags)
    assert caught.value.where.startswith("--")
    assert caught.value.expected


def test_unknown_chip_flag_and_no_log_are_refused() -> None:
    """A chip that nobody knows, and a call without a log, are errors."""
    with pytest.raises(UnknownChip):
        sample(chip="rtx 9090")
    with pytest.raises(InputError, match="no log"):
        measure()


def test_document_has_every_key_and_series_one_number_per_record() -> None:
    """The document carries the contract's keys, null where unknown, and the series its columns."""
    run = sample()
    document = run.to_dict()
    assert document["schema"] == "peakwise.measure/1"
    assert set(NUMBERS) <= set(document)
    assert run.series is not None
    assert len(run.series["step_s"]) == 6
