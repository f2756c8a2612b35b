"""`measure` of a Megatron-LM log: its argument dump is all that an MFU needs beside the chip."""

from __future__ import annotations

import json
import shlex
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peakwise.core.quantity import Quantity
from peakwise.verbs.count import count
from peakwise.verbs.measure import measure

LOGS = Path(__file__).parents[1] / "data" / "logs"
PEAK = 989.4e12  # H100 SXM, dense bf16
WORK = 51_471_187_968  # FLOPs per token of Llama-3.1-8B at 8,192 tokens
FULL = 57_912_852_480  # the same, every query seeing every key
RECOMPUTE = {"recompute_granularity": "full", "recompute_method": "uniform", "recompute_num_layers": "1"}
LLAMA = {
    "add_bias_linear": "False",
    "bf16": "True",
    "data_parallel_size": "32",
    "ffn_hidden_size": "14336",
    "fp16": "False",
    "fp8": "None",
    "global_batch_size": "128",
    "group_query_attention": "True",
    "hidden_size": "4096",
    "kv_channels": "128",
    "kv_lora_rank": "32",
    "max_position_embeddings": "8192",
    "micro_batch_size": "1",
    "moe_router_topk": "2",
    "multi_latent_attention": "False",
    "normalization": "RMSNorm",
    "num_attention_heads": "32",
    "num_experts": "None",
    "num_layers": "32",
    "num_query_groups": "8",
    "padded_vocab_size": "128256",
    "pipeline_model_parallel_size": "1",
    "position_embedding_type": "rope",
    **RECOMPUTE,
    "seq_length": "8192",
    "swiglu": "True",
    "tensor_model_parallel_size": "2",
    "untie_embeddings_and_output_weights": "True",
    "virtual_pipeline_model_parallel_size": "None",
    "world_size": "64",
}


class Log:
    """A Megatron-LM log as the producer would write it, with rank prefixes of a launcher and a clock."""

    def __init__(
        self,
        arguments: dict[str, str],
        *,
        step_s: float = 2.8,
        start: datetime = datetime(2025, 6, 1, 12),
        tflops: float | None = None,
        ranks: tuple[str, ...] = ("[rank0]:", "[rank63]:"),
    ) -> None:
        self.clock, self.step_s, self.tflops, self.ranks = start, step_s, tflops, ranks
        self.batch = int(arguments.get("global_batch_size", "128"))
        self.lines = ["[rank0]:------------------------ arguments ------------------------"]
        for name in sorted(arguments):
            self.lines.append(f"[rank0]:  {name} {'.' * max(3, 48 - len(name))} {arguments[name]}")
        self.lines.append("[rank0]:-------------------- end of arguments ---------------------")

    def steps(self, first: int, last: int, extra_s: float = 0.0) -> None:
        """Steps one by one; the last digits of a number differ by rank. `extra_s`: more seconds inside the first."""
        for step in range(first, last + 1):
            step_s = self.step_s + (extra_s if step == first else 0.0)
            self.clock += timedelta(seconds=step_s)
            rate = "" if self.tflops is None else f" throughput per GPU (TFLOP/s/GPU): {self.tflops:.1f} |"
            for rank in self.ranks:
                self.lines.append(
                    f"{rank} [{self.clock:%Y-%m-%d %H:%M:%S.%f}] iteration {step:8d}/{200:8d} |"
                    f" consumed samples: {step * self.batch:12d} |"
                    f" elapsed time per iteration (ms): {step_s * 1000:.1f} |{rate} learning rate: 3.000000E-04 |"
                    f" global batch size: {self.batch:5d} | lm loss: {2 + 1 / step:.6E} | loss scale: 1.0 |"
                    f" grad norm: 1.234 | number of skipped iterations:   0 | number of nan iterations:   0 |"
                )

    def wait(self, seconds: float) -> None:
        self.clock += timedelta(seconds=seconds)

    def evaluate(self, step: int, seconds: float) -> None:
        self.lines.append("[rank63]:(min, max) time across ranks (ms):")
        self.lines.append("[rank63]:    evaluate .......................................: (59990.12, 60000.31)")
        self.lines.append(
            f"[rank63]: validation loss at iteration {step} | lm loss value: 2.1E+00 | lm loss PPL: 8.2E+00 |"
        )
        self.wait(seconds)

    def write(self, folder: Path, name: str = "megatron-64.log") -> str:
        path = folder / name
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return str(path)


def shown_run(arguments: dict[str, str] = LLAMA, **how: object) -> Log:
    """200 steps of 2.8 s on 64 devices: an evaluation of 60 s, a stall of 300 s, a restart of 46 s that repeats 5."""
    log = Log(arguments, **how)  # type: ignore[arg-type]
    log.steps(1, 100)
    log.evaluate(100, 60)
    log.steps(101, 140)
    log.wait(300)
    log.steps(141, 160)
    log.wait(46)
    log.steps(156, 200)
    return log


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in LLAMA.items() if name not in names}


def value(quantity: Quantity | None) -> float:
    assert quantity is not None
    return quantity.value


def test_the_dump_and_a_chip_are_all_that_an_mfu_needs(tmp_path: Path) -> None:
    """30.44 %, 39.97 % with the blocks' forward once more, 17.4 % of the whole run; nothing is missing."""
    run = measure(shown_run().write(tmp_path), chip="h100-sxm")
    assert value(run.mfu) == pytest.approx(0.3044, abs=5e-5)
    assert value(run.hfu) == pytest.approx(0.3997, abs=5e-5)
    assert value(run.hfu) / value(run.mfu) == pytest.approx(1.3129, abs=5e-5)
    assert value(run.mfu_wall) == pytest.approx(value(run.mfu) * value(run.goodput), rel=1e-12)
    assert value(run.wall_s) == pytest.approx(980)
    assert value(run.goodput) == pytest.approx(200 * 2.8 / 980)
    assert (run.missing, run.command, run.warnings) == ((), "", ())
    assert (run.model_id, run.model_name, run.recompute) == ("llama-3.1-8b", "Llama-3.1-8B", "full")
    assert run.flop_per_token is not None
    assert (run.flop_per_token.value, run.flop_per_token.basis) == (WORK, "derived")
    stated = (run.n_devices, run.seq_len, run.global_batch)
    assert [(value(number), number.basis) for number in stated if number] == [
        (64, "stated"),
        (8192, "stated"),
        (128, "stated"),
    ]
    assert run.mfu is not None
    assert run.mfu.basis == "derived"


def test_each_gap_has_its_seconds_and_its_reason_and_two_ranks_are_one_record(tmp_path: Path) -> None:
    run = measure(shown_run().write(tmp_path), chip="h100-sxm")
    assert [(gap.after, pytest.approx(gap.seconds, abs=1e-3), gap.reason) for gap in run.steps.gaps] == [
        (100, 60, "evaluation"),
        (140, 300, "stall"),
        (160, 46, "restart"),
    ]
    steps = run.steps
    assert (steps.records, steps.covered, steps.used, steps.repeated, steps.skipped) == (205, 205, 205, 5, 0)
    assert (steps.first, steps.last, steps.excluded) == (1, 200, ())


def test_a_stall_inside_a_step_is_an_excluded_record_with_its_reason(tmp_path: Path) -> None:
    log = Log(LLAMA)
    log.steps(1, 140)
    log.steps(141, 200, extra_s=300)
    run = measure(log.write(tmp_path), chip="h100-sxm")
    assert [(part.first, part.last, part.reason) for part in run.steps.excluded] == [(141, 141, "stall")]
    assert run.steps.excluded[0].seconds == pytest.approx(302.8)
    assert value(run.mfu) == pytest.approx(0.3044, abs=5e-5)


def test_without_a_word_on_recompute_hfu_is_missing_and_never_the_mfu(tmp_path: Path) -> None:
    run = measure(shown_run(without(*RECOMPUTE)).write(tmp_path), chip="h100-sxm")
    assert value(run.mfu) == pytest.approx(0.3044, abs=5e-5)
    assert run.hfu is None
    assert [(item.input, item.needed_for) for item in run.missing] == [("recompute", ("hfu",))]
    assert run.command.endswith("--recompute POLICY")


@pytest.mark.parametrize(
    ("more", "policy", "ratio"),
    [
        ({"recompute_granularity": "None"}, "none", 1.0),
        ({"recompute_granularity": "selective"}, "selective", 1.0417),
        ({"recompute_granularity": "selective", "recompute_modules": "['core_attn']"}, "selective", 1.0417),
        (
            {"recompute_granularity": "full", "recompute_method": "block", "recompute_num_layers": "16"},
            "every:2",
            1.1565,
        ),
        ({"checkpoint_activations": "True", "checkpoint_num_layers": "1"}, "full", 1.3129),
        ({"checkpoint_activations": "False"}, "none", 1.0),
        ({"activations_checkpoint_method": "uniform"}, "full", 1.3129),
        ({"activations_checkpoint_method": "None"}, "none", 1.0),
    ],
)
def test_every_way_to_state_recompute_gives_its_hfu(
    tmp_path: Path, more: dict[str, str], policy: str, ratio: float
) -> None:
    log = Log(without(*RECOMPUTE) | more)
    log.steps(1, 20)
    run = measure(log.write(tmp_path), chip="h100-sxm")
    assert run.recompute == policy
    assert value(run.hfu) / value(run.mfu) == pytest.approx(ratio, abs=5e-4)


@pytest.mark.parametrize(
    ("start", "tflops", "rule"),
    [
        (datetime(2023, 12, 1), 291.7, "megatron@2023-11-4h"),
        (datetime(2024, 6, 1), 338.9, "megatron@2023-11"),
        (datetime(2025, 3, 5), 338.9, "megatron@2023-11"),
        (datetime(2025, 3, 7), 301.2, "megatron@2025-03"),
        (datetime(2026, 2, 1), 301.2, "megatron@2025-03"),
        (datetime(2026, 2, 1), 338.9, "megatron@2023-11"),
    ],
)
@pytest.mark.parametrize("seq", [True, False])
def test_the_generation_is_told_by_the_clock_and_by_the_figure(
    tmp_path: Path, start: datetime, tflops: float, rule: str, seq: bool
) -> None:
    """A run may use older code than its date, never newer; the length is solved by that generation's formula."""
    arguments = LLAMA if seq else without("seq_length", "max_position_embeddings")
    log = Log(arguments, start=start, tflops=tflops)
    log.steps(1, 20)
    run = measure(log.write(tmp_path), chip="h100-sxm")
    assert run.logged.convention == rule
    assert value(run.logged.flop_per_s_per_device) == pytest.approx(tflops * 1e12)
    assert run.seq_len is not None
    assert (run.seq_len.value, run.seq_len.basis) == (8192, "stated" if seq else "solved")
    assert run.mfu is not None
    assert (run.mfu.value, run.mfu.basis) == (pytest.approx(0.3044, abs=5e-5), "derived" if seq else "solved")
    assert run.warnings == ()


def test_the_reconciliation_leads_from_full_attention_to_ours(tmp_path: Path) -> None:
    log = Log(LLAMA, start=datetime(2024, 6, 1), tflops=128 * 8192 * FULL / 64 / 2.8 / 1e12)
    log.steps(1, 20)
    table = measure(log.write(tmp_path), chip="h100-sxm").reconciliation
    assert table is not None
    assert table.causes == ("attention",)
    assert [row.label for row in table.rows[:3]] == [
        "the log",
        "its rule, megatron@2023-11",
        "masked half of attention",
    ]


def test_a_model_flag_wins_and_a_difference_is_said(tmp_path: Path) -> None:
    path = shown_run().write(tmp_path)
    same = measure(path, model="llama-3.1-8b", chip="h100-sxm")
    assert same.warnings == ()
    other = measure(path, model="llama-2-7b", chip="h100-sxm")
    assert other.model_id == "llama-2-7b"
    finding = other.warnings[0]
    assert (finding.code, finding.input) == ("W_DIFFERS", "model")
    assert "8,030,261,248" in finding.message


def test_shapes_that_cannot_be_counted_ask_for_the_model_with_the_reason(tmp_path: Path) -> None:
    log = Log(LLAMA | {"multi_latent_attention": "True"})
    log.steps(1, 20)
    run = measure(log.write(tmp_path), chip="h100-sxm")
    assert run.mfu is None
    assert [item.input for item in run.blocking] == ["model"]
    assert "multi_latent_attention" in run.blocking[0].why


def test_the_own_vocabulary_is_counted_and_not_the_padded_one(tmp_path: Path) -> None:
    log = Log(LLAMA | {"padded_vocab_size": "131072"})
    log.lines.append("[rank0]: > padded vocab (size: 128256) with 2816 dummy tokens (new size: 131072)")
    log.steps(1, 20)
    assert value(measure(log.write(tmp_path), chip="h100-sxm").flop_per_token) == WORK


def test_a_model_of_no_catalogue_has_the_shapes_for_a_name(tmp_path: Path) -> None:
    log = Log(LLAMA | {"num_layers": "30"})
    log.steps(1, 20)
    run = measure(log.write(tmp_path), chip="h100-sxm")
    assert run.model_name == "30 layers of width 4,096"
    assert value(run.flop_per_token) == WORK - (WORK - 3 * 2 * 4096 * 128256) / 32 * 2


def test_iteration_lines_alone_name_what_they_lack_and_the_filled_command_gives_an_mfu(tmp_path: Path) -> None:
    """No dump: model, chip, length and devices lack, the batch does not; filled in, the command gives the same MFU."""
    log = Log({})
    log.lines = []
    log.steps(1, 20)
    path = log.write(tmp_path)
    run = measure(path)
    assert run.mfu is None
    assert [item.input for item in run.blocking] == ["model", "chip", "seq", "devices"]
    assert value(run.global_batch) == 128
    fill = {"MODEL": "llama-3.1-8b", "CHIP": "h100-sxm", "TOKENS": "8192", "N": "64"}
    words = [fill.get(word, word) for word in shlex.split(run.command)]
    assert words[:3] == ["peakwise", "measure", path]
    flags = {flag.lstrip("-"): text for flag, text in zip(words[3::2], words[4::2], strict=True)}
    assert value(measure(path, **flags).mfu) == pytest.approx(0.3044, abs=5e-5)  # type: ignore[arg-type]


def test_lines_without_a_batch_ask_for_it_too(tmp_path: Path) -> None:
    """2019's lines print neither batch nor tokens."""
    run = measure(str(LOGS / "01-megatron-lm.log"))
    assert [item.input for item in run.blocking] == ["model", "chip", "seq", "global_batch", "devices"]
    full = measure(
        str(LOGS / "01-megatron-lm.log"), model="gpt2", chip="v100-sxm2", seq=512, global_batch=64, devices=8
    )
    assert value(full.mfu) > 0


ANSWERS = json.loads((LOGS / "answers.json").read_text())


def test_two_speeds_in_one_log_are_a_warning() -> None:
    run = measure(str(LOGS / "04-megatron-llm.log"))
    assert "W_SPREAD" in [finding.code for finding in run.warnings]


def test_effective_tera_flops_of_2021_are_hardware_flops_and_no_mfu(tmp_path: Path) -> None:
    """8 FLOPs a parameter and token: our count by that rule gives the printed figure back."""
    sample = next(sample for sample in ANSWERS["samples"] if sample["file"].startswith("34"))
    config = tmp_path / "config.json"
    config.write_text(json.dumps(sample["given"]["model_config"]))
    run = measure(str(LOGS / sample["file"]), model=str(config), chip="v100-sxm2", global_batch=768)
    assert run.logged.convention == "megatron_deepspeed@2021"
    assert run.logged.mfu is None
    rule = count(str(config), seq=1024).under(run.logged.convention)
    assert rule.kind == "hardware"
    assert rule.flop_per_token is not None
    rate = rule.flop_per_token * value(run.tokens_per_s_per_device)
    assert rate == pytest.approx(value(run.logged.flop_per_s_per_device), rel=0.02)


RANKS = (("",), ("0:", "7:"), ("[rank0]:", "[rank1]:"), ("[default0]:", "[default15]:", "[rank3]:"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    step_ms=st.integers(200, 60_000),
    sizes=st.tuples(
        st.integers(1, 4096),
        st.sampled_from([128, 1024, 4096, 8192, 131_072]),
        st.sampled_from([1, 8, 64, 1024]),
    ),
    lost=st.tuples(st.floats(2, 20), st.floats(2, 20), st.floats(2, 20)),
    repeated=st.integers(1, 9),
    ranks=st.sampled_from(RANKS),
)
def test_the_identities_hold_for_any_numbers(
    tmp_path: Path,
    *,
    step_ms: int,
    sizes: tuple[int, int, int],
    lost: tuple[float, float, float],
    repeated: int,
    ranks: tuple[str, ...],
) -> None:
    """Rates from batch, length, step and devices; wall time from steps and lost seconds; MFU of the run from both."""
    step_s, (batch, seq, world) = step_ms / 1000, sizes
    evaluation, stall, restart = (round(steps * step_s, 3) for steps in lost)
    arguments = LLAMA | {"global_batch_size": str(batch), "seq_length": str(seq), "world_size": str(world)}
    log = Log(arguments, step_s=step_s, ranks=ranks)
    log.steps(1, 10)
    log.evaluate(10, evaluation)
    log.steps(11, 20)
    log.wait(stall)
    log.steps(21, 30)
    log.wait(restart)
    log.steps(31 - repeated, 40)
    run = measure(log.write(tmp_path), chip="h100-sxm")
    rate = batch * seq / step_s / world
    work = count("llama-3.1-8b", seq=seq).flop_per_token
    recomputed = count("llama-3.1-8b", seq=seq, recompute="full").ledger
    wall_s = (40 + repeated) * step_s + evaluation + stall + restart
    assert value(run.mfu) == pytest.approx(work * rate / PEAK, rel=1e-9)
    assert value(run.hfu) == pytest.approx(value(run.mfu) * recomputed.hardware / recomputed.model, rel=1e-9)
    assert value(run.wall_s) == pytest.approx(wall_s, rel=1e-6)
    assert value(run.goodput) == pytest.approx(40 * step_s / wall_s, rel=1e-6)
    assert value(run.mfu_wall) == pytest.approx(value(run.mfu) * value(run.goodput), rel=1e-12)
    assert (run.steps.records, run.steps.repeated) == (40 + repeated, repeated)
    found = [(gap.after, gap.reason, pytest.approx(gap.seconds, abs=1e-3)) for gap in run.steps.gaps]
    assert found == [(10, "evaluation", evaluation), (20, "stall", stall), (30, "restart", restart)]
