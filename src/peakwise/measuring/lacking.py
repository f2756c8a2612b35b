"""Which inputs nobody gave, and the command that asks for them."""

from __future__ import annotations

from peakwise.core.measurement import Missing

# What neither sequences nor their length alone give.
RATES = ("tokens_per_step", "tokens_per_s", "tokens_per_s_per_device")
MODEL = Missing(
    input="model",
    why="which model ran",
    how="ids: peakwise catalog models",
    flag="--model",
    placeholder="MODEL",
    needed_for=("flop_per_token", "flop_per_s_per_device", "mfu", "hfu", "mfu_wall"),
)
CHIP = Missing(
    input="chip",
    why="which GPU ran it",
    how="ids: peakwise catalog chips",
    flag="--chip",
    placeholder="CHIP",
    needed_for=("peak_flop_per_s_per_device", "mfu", "hfu", "mfu_wall"),
)
SEQ = Missing(
    input="seq",
    why="tokens of a sequence",
    how="the run's config: seq_len, seq_length or block_size",
    flag="--seq",
    placeholder="TOKENS",
    needed_for=("flop_per_token", "flop_per_s_per_device", "mfu", "hfu", "mfu_wall"),
)
DEVICES = Missing(
    input="devices",
    why="number of GPUs not stated",
    how="the launch command: nodes × GPUs of a node",
    flag="--devices",
    placeholder="N",
    needed_for=("n_devices", "tokens_per_s"),
)
BATCH = Missing(
    input="global_batch",
    why="sequences of one optimizer step",
    how="the run's config: micro batch × accumulation × data-parallel ranks",
    flag="--global-batch",
    placeholder="SEQUENCES",
    needed_for=(*RATES, "mfu", "hfu", "mfu_wall"),
)
RECOMPUTE = Missing(
    input="recompute",
    why="recompute not stated",
    how="none, selective, full or every:N",
    flag="--recompute",
    placeholder="POLICY",
    needed_for=("hfu",),
)

NO_TIME = "The log holds no step time, no rate and no clock: no flag leads to an MFU."


def complete_command(command: str, missing: tuple[Missing, ...]) -> str:
    """The command with a flag and a placeholder for each missing input; empty where none is missing."""
    if not missing:
        return ""
    return " ".join([command, *(f"{item.flag} {item.placeholder}" for item in missing)])
