"""`explain`: peak × window of a run by cause, from its log or its measurement."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.errors import InputError
from peakwise.core.waterfall import Waterfall
from peakwise.verbs.explain import explain
from peakwise.verbs.measure import measure

TORCHTITAN = str(Path(__file__).parents[1] / "data" / "logs" / "15-torchtitan.log")
# Llama-3.1-8B in the words of the argument dump
ARGUMENTS = {
    "num_layers": "32",
    "hidden_size": "4096",
    "ffn_hidden_size": "14336",
    "num_attention_heads": "32",
    "num_query_groups": "8",
    "group_query_attention": "True",
    "kv_channels": "128",
    "swiglu": "True",
    "normalization": "RMSNorm",
    "add_bias_linear": "False",
    "position_embedding_type": "rope",
    "untie_embeddings_and_output_weights": "True",
    "vocab_size": "128256",
    "seq_length": "8192",
    "global_batch_size": "128",
    "micro_batch_size": "1",
    "world_size": "64",
    "tensor_model_parallel_size": "1",
    "pipeline_model_parallel_size": "1",
    "context_parallel_size": "1",
    "bf16": "True",
}
RECOMPUTE = {"recompute_granularity": "full", "recompute_method": "uniform", "recompute_num_layers": "1"}


class Log:
    """A log of Megatron-LM as its last rank would print it, with the launcher's prefix of two ranks."""

    def __init__(self, *, step_s: float, arguments: dict[str, str]) -> None:
        self.step_s, self.clock = step_s, datetime(2025, 7, 1, 10)
        dots = "............................................"
        self.lines = ["[rank0]: ------------------------ arguments ------------------------"]
        self.lines += [f"[rank0]:   {name} {dots[len(name) :]} {value}" for name, value in arguments.items()]
        self.lines.append("[rank0]: -------------------- end of arguments ---------------------")

    def steps(self, first: int, last: int) -> None:
        for step in range(first, last + 1):
            self.clock += timedelta(seconds=self.step_s)
            line = (
                f"[{self.clock:%Y-%m-%d %H:%M:%S.%f}] iteration {step:8}/     200 | consumed samples: {step * 128:12} "
                f"| elapsed time per iteration (ms): {1e3 * self.step_s:.1f} | learning rate: 3.000000E-04 "
                f"| global batch size:   128 | lm loss: {3 - step / 200:.6E} | loss scale: 1.0 | grad norm: 0.284 "
                "| number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
            self.lines += [f"[rank0]: {line}", f"[rank63]: {line}"]

    def wait(self, seconds: float, words: str = "") -> None:
        self.clock += timedelta(seconds=seconds)
        if words:
            self.lines.append(f"[rank63]: {words}")

    def write(self, folder: Path) -> str:
        path = folder / "megatron-64.log"
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return str(path)


def write_log(
    folder: Path,
    *,
    step_s: float = 2.8,
    evaluation: float = 60,
    stall: float = 300,
    restart: float = 46,
    again: int = 5,
    arguments: dict[str, str] = ARGUMENTS | RECOMPUTE,
) -> str:
    """The run of the look: 200 steps, evaluation after 100, stall after 140, restart after 160."""
    log = Log(step_s=step_s, arguments=arguments)
    log.steps(1, 100)
    log.wait(evaluation, " validation loss at iteration 100 | lm loss value: 2.5E+00 | lm loss PPL: 1.2E+01 |")
    log.steps(101, 140)
    log.wait(stall)
    log.steps(141, 160)
    log.wait(restart)
    log.steps(161 - again, 200)
    return log.write(folder)


def fractions(result: Waterfall) -> dict[str, float]:
    return {part.cause: part.fraction for part in result.parts}


def test_bars_of_the_megatron_log_are_their_seconds_over_the_window(tmp_path: Path) -> None:
    """Evaluation, stall, restart and repeated steps are what the clock shows, and all bars sum to 1."""
    result = explain(write_log(tmp_path), chip="h100-sxm")
    found = fractions(result)
    assert result.window_s is not None
    assert result.window_s.value == pytest.approx(980, abs=1e-3)
    for cause, seconds in (("evaluation", 60), ("stall", 300), ("restart", 46), ("repeated_steps", 14)):
        assert found[cause] == pytest.approx(seconds / 980, abs=1e-6)
    assert found["mfu"] == pytest.approx(0.3044 * 560 / 980, abs=1e-4)
    assert found["recompute"] == pytest.approx((0.3997 - 0.3044) * 560 / 980, abs=1e-4)
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)
    assert result.warnings == ()
    assert result.command == ""


SECONDS = st.integers(10, 900)


@settings(max_examples=15, deadline=None)
@given(
    step_s=st.integers(5, 40).map(lambda tenths: tenths / 10),
    lost=st.tuples(SECONDS, SECONDS, SECONDS),
    again=st.integers(1, 15),
)
def test_the_identities_hold_for_any_seconds(
    tmp_path_factory: pytest.TempPathFactory, step_s: float, lost: tuple[int, int, int], again: int
) -> None:
    """Whatever the seconds, each bar is its seconds over the window, and MFU of the whole run is MFU × goodput."""
    folder, (evaluation, stall, restart) = tmp_path_factory.mktemp("run"), lost
    path = write_log(folder, step_s=step_s, evaluation=evaluation, stall=stall, restart=restart, again=again)
    run = measure(path, chip="h100-sxm")
    result = explain(run)
    window = 200 * step_s + evaluation + stall + restart + again * step_s
    assert run.wall_s is not None
    assert run.wall_s.value == pytest.approx(window, rel=1e-6)
    expected = {"evaluation": evaluation, "stall": stall, "restart": restart, "repeated_steps": again * step_s}
    for cause, seconds in expected.items():
        assert fractions(result)[cause] == pytest.approx(seconds / window, rel=1e-4)
    assert run.mfu is not None
    assert run.goodput is not None
    assert fractions(result)["mfu"] == pytest.approx(run.mfu.value * run.goodput.value, rel=1e-9)
    assert abs(result.residual) <= 1e-9
    assert run.steps.repeated == again


def test_a_measurement_and_its_files_are_one_path(tmp_path: Path) -> None:
    """`explain(measure(FILE))` and `explain(FILE)` give one document."""
    path = write_log(tmp_path)
    assert explain(path, chip="h100-sxm").to_dict() == explain(measure(path, chip="h100-sxm")).to_dict()


def test_the_document_has_the_contracts_keys(tmp_path: Path) -> None:
    """Window, devices and utilizations are quantities; each part says cause, fraction, device-seconds and evidence."""
    document = explain(write_log(tmp_path), chip="h100-sxm").to_dict()
    assert document["schema"] == "peakwise.explain/1"
    for key in ("window_s", "devices", "mfu_wall", "hfu_wall", "peak_flop_per_s_per_device"):
        assert isinstance(document[key], dict)
    parts = document["parts"]
    assert isinstance(parts, list)
    for part in parts:
        assert set(part) == {"cause", "fraction", "device_s", "evidence", "where"}
        assert part["device_s"] == pytest.approx(part["fraction"] * 980 * 64, rel=1e-6)
    assert {part["evidence"] for part in parts} == {"measured", "modelled", "unknown"}


def test_without_a_recompute_statement_there_is_no_recompute_bar(tmp_path: Path) -> None:
    """The dump without its recompute lines leaves HFU null, listed as missing, and no bar for it."""
    result = explain(write_log(tmp_path, arguments=ARGUMENTS), chip="h100-sxm")
    assert "recompute" not in fractions(result)
    assert result.hfu_wall is None
    assert [item.input for item in result.run.missing] == ["recompute"]
    assert result.command.startswith("peakwise explain ")
    assert result.command.endswith("--recompute POLICY")


def test_a_declared_pipeline_is_a_modelled_bar(tmp_path: Path) -> None:
    """Four stages and 8 micro-batches wait 3 ÷ 11 of the steps' time."""
    pipeline = {"pipeline_model_parallel_size": "4", "tensor_model_parallel_size": "1"}
    result = explain(write_log(tmp_path, arguments=ARGUMENTS | pipeline), chip="h100-sxm")
    assert fractions(result)["pipeline_bubble"] == pytest.approx(3 / 11 * 560 / 980, rel=1e-6)
    assert fractions(result)["not_attributable"] == pytest.approx(0.2417, abs=1e-3)


def test_a_declaration_that_does_not_fit_is_named_and_folded(tmp_path: Path) -> None:
    """Recompute that would take more than the log leaves gets a warning and no bar."""
    result = explain(write_log(tmp_path), peak="310 TFLOP/s")
    assert "recompute" not in fractions(result)
    assert "W_DECLARED" in [finding.code for finding in result.warnings]
    assert sum(fractions(result).values()) == pytest.approx(1, abs=1e-9)


def test_without_devices_seconds_are_not_invented() -> None:
    """A log that does not say how many GPUs ran has fractions, and device-seconds of nobody."""
    result = explain(TORCHTITAN, model="llama-3.1-8b", chip="h100-sxm", seq=8192)
    assert result.devices is None
    assert {part.device_s for part in result.parts} == {None}
    assert sum(fractions(result).values()) == pytest.approx(1, abs=1e-9)


def test_without_a_clock_there_are_bars_of_the_steps_alone(tmp_path: Path) -> None:
    """A log whose lines have no time stamps explains one step, and says nothing of stalls."""
    text = Path(write_log(tmp_path)).read_text(encoding="utf-8")
    path = tmp_path / "no-clock.log"
    path.write_text("\n".join(line.split("] ", 1)[-1] for line in text.splitlines()) + "\n", encoding="utf-8")
    result = explain(str(path), chip="h100-sxm")
    assert result.window == "steps"
    assert result.mfu_wall is None
    assert set(fractions(result)) == {"mfu", "recompute", "pipeline_bubble", "not_attributable"}
    assert fractions(result)["mfu"] == pytest.approx(0.3044, abs=1e-4)


def test_without_a_model_the_clocks_bars_stand_and_mfu_is_missing(tmp_path: Path) -> None:
    """No chip, no MFU: stalls keep their bars, the rest is not attributable, and the command asks for the chip."""
    result = explain(write_log(tmp_path))
    assert "mfu" not in fractions(result)
    assert fractions(result)["stall"] == pytest.approx(300 / 980, abs=1e-6)
    assert result.command.endswith("--chip CHIP")
    assert sum(fractions(result).values()) == pytest.approx(1, abs=1e-9)


def test_an_mfu_above_the_peak_is_never_hidden(tmp_path: Path) -> None:
    """Over a peak below what was done, the parts still sum to 1: what they claim too much stands as negative."""
    result = explain(write_log(tmp_path), peak="100 TFLOP/s")
    assert fractions(result)["mfu"] > 1
    assert fractions(result)["not_attributable"] < 0
    assert "E_OVER" in [finding.code for finding in result.warnings]
    assert sum(fractions(result).values()) == pytest.approx(1, abs=1e-9)


def test_a_measurement_takes_no_flags(tmp_path: Path) -> None:
    """Flags belong to files: beside a measurement they are refused, as is a second run."""
    run = measure(write_log(tmp_path), chip="h100-sxm")
    with pytest.raises(InputError, match="as it is"):
        explain(run, chip="a100-sxm-80")
    with pytest.raises(InputError, match="as it is"):
        explain(run, run)
    with pytest.raises(InputError, match="no log"):
        explain()


def test_a_waterfall_draws_itself(tmp_path: Path) -> None:
    """Markdown and notebook have the same rows."""
    result = explain(write_log(tmp_path), chip="h100-sxm")
    assert "| stall | 30.6 % | 5.33 | measured | after step 140 |" in result.to_markdown()
    assert "after step 140" in result._repr_html_()
