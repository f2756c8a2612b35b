"""The arguments that Megatron-LM prints at its start, as facts of the run and as the model's fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

import numpy as np

from peakwise.core.series import Column
from peakwise.readers.logs.table import Table
from peakwise.readers.protocol import CUT

# "  seq_length ...................................... 8192"; timers have a colon after their dots.
_ARGUMENT = re.compile(r"(?:^|[\s:>|])([A-Za-z_]\w*) \.{3,}(?![.:]) ?(.*)$")
# Printed after the dump: the tokenizer's own vocabulary, and what it is padded to.
_VOCABULARY = re.compile(r"padded vocab \(size: (\d{1,15})\) with \d+ dummy tokens \(new size: (\d{1,15})\)")
_WORLD = re.compile(r"using world size: (\d{1,15})(?=[\s,])")
MARKS = (" ...", "padded vocab (size", "using world size")

_WORDS: Mapping[str, object] = {"None": None, "True": True, "False": False}
_INTEGER = re.compile(r"-?\d{1,15}")
_DECIMAL = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_LIST = re.compile(r"\[([^\[\]]*)\]")
# Arguments whose words are those of other configs and mean something else here, or nothing while their switch is off.
_NOT_OF_THE_MODEL = ("model_type", "architectures", "auto_map", "size", "dim", "model_dim")

_SOURCE = "arguments in the log"


class Arguments:
    """Arguments by name, as they are met. The first value of a name stands: a restart or a rank prints it again."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.vocab_size = 0
        self.padded_vocab_size = 0
        self.world_size = 0

    def read(self, text: str) -> bool:
        """Takes in one line; False where it holds no argument."""
        match = _ARGUMENT.search(text)
        if match is not None:
            name, value = match.groups()
            if value.endswith(CUT):
                return False
            self.values.setdefault(name, parse_argument(value))
            return True
        match = _VOCABULARY.search(text)
        if match is not None and not self.vocab_size:
            self.vocab_size, self.padded_vocab_size = int(match.group(1)), int(match.group(2))
            return True
        match = _WORLD.search(text)
        if match is not None and not self.world_size:
            self.world_size = int(match.group(1))
            return True
        return False

    def number(self, name: str) -> int | None:
        """A whole number of at least 1; None where the argument is absent or something else."""
        value = self.values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None

    def state(self, table: Table, batches: Column | None) -> None:
        """States the facts of the run that the arguments hold, and the batch that its records print.

        `batches`: sequences of one step by record. Where it grows during the run, no one number is the run's.
        """
        printed = () if batches is None else np.unique(batches[~np.isnan(batches)])
        if len(printed) == 1 and printed[0] >= 1:
            table.state("global_batch", int(printed[0]), "stated in the log")
        numbers = {
            "n_devices": self.number("world_size") or self.world_size or None,
            "seq_len": self.number("seq_length"),
            "global_batch": None if len(printed) else self.number("global_batch_size"),
            "pp": self._pipeline(),
            "vp": self.number("virtual_pipeline_model_parallel_size"),
            "n_microbatches": self._n_microbatches(),
        }
        for key, number in numbers.items():
            if number is not None:
                table.state(key, number, _SOURCE)
        for key, word in (("precision", self._precision()), ("recompute", self._recompute())):
            if word:
                table.state(key, word, _SOURCE)

    def config(self) -> dict[str, object]:
        """The model's fields in Megatron's own words, its own vocabulary in place of the padded one; empty without."""
        if not {"num_layers", "hidden_size", "num_attention_heads"} <= self.values.keys():
            return {}
        fields = {name: value for name, value in self.values.items() if name not in _NOT_OF_THE_MODEL}
        own = self.vocab_size or self.number("vocab_size")
        padded = self.padded_vocab_size or self.number("padded_vocab_size")
        for name in ("vocab_size", "padded_vocab_size"):
            fields.pop(name, None)
        if own or padded:
            fields["vocab_size"] = own or padded
        return fields

    def _pipeline(self) -> int | None:
        return self.number("pipeline_model_parallel_size") or self.number("transformer_pipeline_model_parallel_size")

    def _n_microbatches(self) -> int | None:
        """Micro-batches of one step of one replica: global batch ÷ (micro-batch × replicas), where that is whole."""
        batch, micro, devices = (self.number(name) for name in ("global_batch_size", "micro_batch_size", "world_size"))
        tensor = self.number("tensor_model_parallel_size")
        if batch is None or micro is None or devices is None or tensor is None:
            return None
        ranks = tensor * (self._pipeline() or 1) * (self.number("context_parallel_size") or 1)
        replicas = self.number("data_parallel_size") or devices // ranks
        return batch // (micro * replicas) if replicas and batch % (micro * replicas) == 0 else None

    def _precision(self) -> str:
        if self.values.get("fp8") not in (None, False):
            return "fp8"
        half = {name: self.values.get(name) for name in ("bf16", "fp16")}
        for name, said in half.items():
            if said is True:
                return name
        return "fp32" if all(said is False for said in half.values()) else ""

    def _recompute(self) -> str:
        """The policy that the arguments state; empty where none of them does, or where no policy is like theirs."""
        if "recompute_granularity" in self.values:
            return self._granularity(self.values["recompute_granularity"])
        for name in ("checkpoint_activations", "activations_checkpoint_method"):
            if name in self.values:
                method = self.values[name]
                if method in (None, False):
                    return "none"
                return self._of_blocks(str(method), self.number(_LAYERS_OF[name]))
        return ""

    def _granularity(self, granularity: object) -> str:
        if granularity is None:
            return "none"
        if granularity == "full":
            return self._of_blocks(str(self.values.get("recompute_method")), self.number("recompute_num_layers"))
        modules = self.values.get("recompute_modules")
        core_alone = modules is None or modules == ["core_attn"]
        return "selective" if granularity == "selective" and core_alone else ""

    def _of_blocks(self, method: str, n_layers: int | None) -> str:
        """`block` recomputes the first layers of each pipeline stage, every other method each layer once."""
        if method != "block":
            return "full"
        layers, parts = self.number("num_layers"), (self._pipeline() or 1)
        parts *= self.number("virtual_pipeline_model_parallel_size") or 1
        if layers is None or n_layers is None or layers % parts:
            return ""
        stage = layers // parts
        if n_layers >= stage:
            return "full"
        return f"every:{stage // n_layers}" if stage % n_layers == 0 else ""


_LAYERS_OF = {
    "checkpoint_activations": "checkpoint_num_layers",
    "activations_checkpoint_method": "activations_checkpoint_num_layers",
}


def parse_argument(text: str) -> object:
    """A value as Python prints it: None, a truth value, a number, a list of these; else the text itself."""
    text = text.strip()
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    match = _LIST.fullmatch(text)
    if match is not None:
        items = [item.strip() for item in match.group(1).split(",")]
        return [parse_argument(item.strip("'\"")) for item in items if item]
    return cast(object, text)
