"""A pasted text is read in memory, by the producer that recognises it: long logs, single lines, keys and tables."""

from __future__ import annotations

import pytest

from peakwise.core.errors import ReadError, UnknownFormat
from peakwise.core.records import Record
from peakwise.readers.pasted import MOST_BYTES, read_pasted

PROFILE = """-------------------------- DeepSpeed Flops Profiler --------------------------
Profile Summary at step 10:
fwd flops per GPU:                                                      382.64 G
fwd latency:                                                            60 ms
fwd FLOPS per GPU = fwd flops per GPU / fwd latency:                    6.38 TFLOPS
bwd FLOPS per GPU = 2 * fwd flops per GPU / bwd latency:                2.66 TFLOPS
fwd+bwd FLOPS per GPU = 3 * fwd flops per GPU / (fwd+bwd latency):      3.3 TFLOPS
iter latency:                                                           500 ms
FLOPS per GPU = 3 * fwd flops per GPU / iter latency:                   2.35 TFLOPS
samples/second:                                                         196.88
"""
TABLE = """***** train metrics *****
  epoch                    =        3.0
  total_flos               =        2GF
  train_runtime            = 0:14:32.12
  train_samples_per_second =      3.749
  train_steps_per_second   =      0.471
"""
SUMMARY = (
    "{'train_runtime': 100.5, 'train_samples_per_second': 18.22, 'train_steps_per_second': 0.285, "
    "'train_tokens_per_second': 2737.984, 'total_flos': 3.5e15, 'train_loss': 1.2, 'epoch': 3.0}"
)
STATE = """{
  "epoch": 3.0,
  "log_history": [
    {
      "epoch": 0.1,
      "learning_rate": 1e-05,
      "loss": 2.0,
      "step": 10
    },
    {
      "epoch": 3.0,
      "step": 100,
      "total_flos": 3.5e15,
      "train_loss": 1.2,
      "train_runtime": 100.0,
      "train_samples_per_second": 18.2,
      "train_steps_per_second": 0.3
    }
  ],
  "total_flos": 3.5e15
}"""
NEMO = """| Model | #-GPUs | Tokens / sec / GPU | Model TFLOP / sec / GPU |
|-------|--------|--------------------|-------------------------|
| LLAMA3_8B | 8 | 31,357 (29925) | 1614 (1540) |
| LLAMA3_70B | 64 | 5357 | 1814 |

| another | table |
"""
TITAN = "[titan] 2025-01-01 00:00:00,000 - step:  1  loss:  8.2  tps: 5,000  tflops: 290.1  mfu: 29.3%"


def _flop(value: float, **others: float) -> Record:
    return Record(flop_per_s_per_device=value, **others)


@pytest.mark.parametrize(
    ("text", "producer", "records"),
    [
        (PROFILE, "deepspeed", (_flop(2.35e12, step_s=0.5, examples_per_s=196.88),)),
        (PROFILE * 2, "deepspeed", (_flop(2.35e12, step_s=0.5, examples_per_s=196.88),) * 2),
        ("FLOPS per GPU: 450000.0 GFLOPS", "deepspeed", (_flop(450e12),)),
        ("FLOPS per GPU: 450.0 MFLOPS", "deepspeed", (_flop(450e6),)),
        ("FLOPS per GPU: 4.5 K", "deepspeed", (_flop(4500),)),
        ("{'FLOPS_per_gpu': '450.0 TFLOPS'}", "deepspeed", (_flop(450e12),)),
        ('{"FLOPS_per_gpu": 4.5e14}\n{"FLOPS_per_gpu": 4e14}', "deepspeed", (_flop(450e12), _flop(400e12))),
        ("throughput_per_gpu_tflops = 450", "megatron-lm", (_flop(450e12),)),
        (
            '{"elapsed_time_per_iteration_ms": 2000, "throughput_per_gpu_tflops": 450.0}\n'
            '{"elapsed_time_per_iteration_ms": 2100, "throughput_per_gpu_tflops": 440}',
            "megatron-lm",
            (_flop(450e12, step_s=2.0), _flop(440e12, step_s=2.1)),
        ),
        ("Step Time : 2.5s GPU utilization: 450.0MODEL_TFLOP/s/GPU", "megatron-lm", (_flop(450e12, step_s=2.5),)),
        (
            "Step 1 | loss:1.5 lr:9e-05 tokens_per_second_per_gpu:101.5 peak_memory_active:3.2\n"
            "Step 2 | loss:1.4 lr:9e-05 tokens_per_second_per_gpu:103.5",
            "torchtune",
            (Record(tokens_per_s_per_device=101.5), Record(tokens_per_s_per_device=103.5)),
        ),
        (
            SUMMARY,
            "hf-trainer",
            (Record(tokens_per_s_per_device=2737.984, examples_per_s=18.22, total_flop=3.5e15),),
        ),
        (TABLE, "hf-trainer", (Record(examples_per_s=3.749, total_flop=2.0 * 2**30),)),
        (SUMMARY.replace("'total_flos': 3.5e15, ", "") + "\n" + TABLE, "hf-trainer",
         (Record(tokens_per_s_per_device=2737.984, examples_per_s=18.22, total_flop=2.0 * 2**30),)),
        (STATE, "hf-trainer", (Record(examples_per_s=18.2, total_flop=3.5e15),)),
        (
            "{'loss': 1.2, 'learning_rate': 1e-5, 'tokens/train_per_sec_per_gpu': 2044.3, 'epoch': 0.1}",
            "hf-trainer",
            (Record(tokens_per_s_per_device=2044.3),),
        ),
        ("{'loss': 1.2, 'learning_rate': 1e-5, 'epoch': 0.1}", "hf-trainer", ()),
        (
            NEMO,
            "nemo",
            (_flop(1614e12, tokens_per_s_per_device=31357.0), _flop(1814e12, tokens_per_s_per_device=5357.0)),
        ),
        ("Model TFLOP / sec / GPU: 450", "nemo", (_flop(450e12),)),
        ("a\tModel TFLOP / sec / GPU\nllama\t450", "nemo", (_flop(450e12),)),
        (TITAN, "torchtitan", (_flop(290.1e12, tokens_per_s_per_device=5000.0),)),
        ("iter 10: loss 3.1, time 150.00ms, mfu 30.10%", "nanogpt", (Record(step_s=0.15),)),
    ],
)  # fmt: skip
def test_what_a_producer_writes_gives_its_speeds(text: str, producer: str, records: tuple[Record, ...]) -> None:
    found = read_pasted(text)
    assert found.producer == producer
    assert len(found.records) == len(records)
    for record, expected in zip(found.records, records, strict=True):
        assert record == pytest.approx(expected)


def test_a_figure_that_cannot_be_is_no_record() -> None:
    """A profiler whose clock ran backwards prints negative rates."""
    with pytest.raises(UnknownFormat):
        read_pasted("FLOPS per GPU = 3 * fwd flops per GPU / iter latency:      -1.16192e+18 uFLOPS")


def test_a_named_reader_reads_what_it_can_and_says_what_it_cannot() -> None:
    assert read_pasted("iter 10: loss 3.1, time 150.00ms", "nanogpt").records == (Record(step_s=0.15),)
    for name in ("deepspeed", "torchtitan"):
        with pytest.raises(ReadError):
            read_pasted("iter 10: loss 3.1, time 150.00ms", name)


def test_an_unknown_reader_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownFormat, match="unknown format") as caught:
        read_pasted("x", "megatron")
    assert (caught.value.where, "--format megatron-lm" in caught.value.hint) == ("--format", True)


def test_a_text_of_no_producer_is_answered_with_what_it_is_nearest_to() -> None:
    with pytest.raises(UnknownFormat) as caught:
        read_pasted("loss: 3.1 tps: 5")
    assert "torchtitan" in caught.value.hint


def test_a_text_is_bounded() -> None:
    with pytest.raises(ReadError, match="too long"):
        read_pasted("x" * (MOST_BYTES + 1))


@pytest.mark.parametrize(
    "text", ["", "\n", "\x00" * 99, "\ud800", "{'" * 999, "Step 1 |" * 999, "FLOPS per GPU = " * 999]
)
def test_nothing_else_than_a_refusal_comes_of_a_text_without_a_speed(text: str) -> None:
    with pytest.raises((UnknownFormat, ReadError)):
        read_pasted(text)
