"""What the Trainer and the scripts on top of it state once: batch sizes, steps, parameters, devices, chip."""

from __future__ import annotations

import re

from peakwise.readers.logs.launch import LAUNCH_MARKS, read_launch
from peakwise.readers.logs.table import Table

BANNER = "***** Running training *****"
_COUNT = r"(\d[\d,]{0,20})(?=\s|$|\|)"
# The banner's lines: the Trainer's, then Unsloth's, which puts two or three on a line.
_BANNER = (
    ("examples", re.compile(rf"Num examples = {_COUNT}")),
    ("epochs", re.compile(rf"Num [Ee]pochs = {_COUNT}")),
    ("per_device", re.compile(rf"(?:Instantaneous batch|[Bb]atch) size per device = {_COUNT}")),
    ("accumulation", re.compile(rf"Gradient [Aa]ccumulation steps = {_COUNT}")),
    ("total", re.compile(rf"Total (?:train )?batch size (?:\([^)]{{0,80}}\) )?= {_COUNT}")),
    ("steps", re.compile(rf"Total (?:optimization )?steps = {_COUNT}")),
    ("trainable", re.compile(rf"(?:Number of trainable|Trainable) parameters = {_COUNT}")),
    ("devices", re.compile(r"(?:Num GPUs(?: used)?|Data Parallel GPUs) = (\d{1,7})(?=[\s.|]|$)")),
)
_PEFT = re.compile(r"trainable params: (\d[\d,]{0,20}) \|\| all params: (\d[\d,]{0,20}) \|\|")
_UNSLOTH_PARAMS = re.compile(r"Trainable parameters = (\d[\d,]{0,20})(?:/| of )(\d[\d,]{0,20}) \(")
_WORLD = re.compile(r"\bdist_world_size=(\d{1,7})\b")  # DeepSpeed's launcher: processes of all nodes
_UNSLOTH_CHIP = re.compile(r"GPU: ([A-Z][\w .-]{2,60}?)\. (?:Num|Max)")
_SMI = re.compile(r"\|\s{1,4}\d{1,3}\s{1,4}((?:NVIDIA|Tesla|GeForce|Quadro)[\w .-]{2,60}?)\s{2,}(?:On|Off)\s")
_CHECKPOINTING = re.compile(
    r"gradient_checkpointing(?:=|['\"]?: | )(True|False|true|false)\b|--(gradient_checkpointing)(?=\s|$)"
)
_ENABLED = "Gradient checkpointing enabled"  # LLaMA-Factory
_MODEL = re.compile(r"--model_name_or_path[ =]['\"]?([A-Za-z][\w.-]{0,80}/[\w.-]{1,80})(?=['\"\s]|$)")

MARKS = (
    "*****",
    "Num ",
    "batch size",
    "Batch size",
    "Total steps",
    "Total optimization",
    "radient ",
    "gradient_checkpointing",
    "rainable param",
    "dist_world_size",
    "GPU: ",
    "|   ",
    "model_name_or_path",
    "Saving model checkpoint",
    *LAUNCH_MARKS,
)


class Banner:
    """The numbers of the banner before training, as they are read line by line."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def see(self, text: str) -> bool:
        """Takes note of a banner's line; whether it was one."""
        seen = False
        for key, pattern in _BANNER:
            match = pattern.search(text)
            if match is not None:
                self._numbers.setdefault(key, int(match.group(1).replace(",", "")))
                seen = True
        return seen

    def restart(self) -> None:
        """Another banner begins."""
        self._numbers.clear()

    @property
    def steps(self) -> int:
        """The optimizer steps of the run; 0 where not stated."""
        return self._numbers.get("steps", 0)

    def state(self, table: Table) -> None:
        """States the global batch and the devices that follow. Two ways that disagree state neither."""
        total, devices = self._numbers.get("total"), self._numbers.get("devices")
        each, accumulation = self._numbers.get("per_device"), self._numbers.get("accumulation")
        if devices:
            table.state("n_devices", devices, "banner in the log")
        if not total:
            return
        if each and accumulation:
            ranks, rest = divmod(total, each * accumulation)
            if rest or ranks < 1 or (devices is not None and ranks != devices):
                return
            if ranks > 1:  # one rank may drive one device, or several with a part of the model on each
                source = "total batch ÷ (batch per device × accumulation), data-parallel ranks"
                table.state("n_devices", ranks, source, "derived")
        if self._fits(total):
            table.state("global_batch", total, "banner in the log")

    def _fits(self, total: int) -> bool:
        """Whether this many sequences a step give the stated steps of the stated examples and epochs."""
        examples, epochs = self._numbers.get("examples"), self._numbers.get("epochs")
        steps = self._numbers.get("steps")
        if not examples or not epochs or not steps:
            return True
        # Steps may be limited, then epochs are rounded up; an epoch's last step may be short.
        return examples * (epochs - 1) < total * (steps + epochs) and total * (steps - epochs) <= examples * epochs


def state_facts(text: str, table: Table) -> None:
    """States what one line says outside the banner."""
    peft = _PEFT.search(text) or _UNSLOTH_PARAMS.search(text)
    if peft is not None:
        trainable, total = (int(group.replace(",", "")) for group in peft.groups())
        table.state("n_trainable_params", trainable, "stated in the log")
        table.state("n_params", total, "stated in the log, adapters included")
    world = _WORLD.search(text)
    devices = int(world.group(1)) if world is not None else read_launch(text)
    if devices:
        table.state("n_devices", devices, "launch command in the log")
    chip = _UNSLOTH_CHIP.search(text) or _SMI.search(text)
    if chip is not None:
        table.state("chip", chip.group(1).strip(), "stated in the log")
    model = _MODEL.search(text)
    if model is not None:
        table.state("model", model.group(1), "launch command in the log")
    checkpointing = _CHECKPOINTING.search(text)
    if checkpointing is not None or _ENABLED in text:
        on = checkpointing is None or checkpointing.group(2) or checkpointing.group(1).lower() == "true"
        table.state("recompute", "full" if on else "none", "gradient checkpointing in the log")


def find_event(text: str) -> str:
    """The kind of event that a line tells of; an empty text where it tells of none."""
    if "Saving model checkpoint" in text:
        return "checkpoint"
    return "evaluation" if "***** Running Evaluation" in text or "***** Running Prediction" in text else ""
