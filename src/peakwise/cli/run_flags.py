"""The flags that tell of a run what its log does not; `measure` and `explain` take the same."""

from __future__ import annotations

from peakwise.cli.command import Flag

RUN_FLAGS = (
    Flag("--model", "model", "Which model ran.", metavar="MODEL"),
    Flag("--chip", "chip", "Which accelerator ran it.", metavar="CHIP"),
    Flag("--devices", "devices", "How many ran it.", metavar="N"),
    Flag("--seq", "seq", "Tokens in one sequence.", metavar="N"),
    Flag("--global-batch", "global_batch", "Sequences of one optimizer step.", metavar="N"),
    Flag("--precision", "precision", "Type of the matmuls: bf16, fp16, fp8 …", metavar="TYPE"),
    Flag("--recompute", "recompute", "none, selective, full or every:N; gives HFU.", metavar="POLICY"),
    Flag("--peak", "peak", 'Dense peak of one accelerator: "989 TFLOP/s".', metavar="PEAK"),
    Flag("--convention", "convention", "The counting rule of MFU; exact if left out.", metavar="ID"),
    Flag("--format", "format", "Which reader reads the log.", metavar="NAME"),
)
