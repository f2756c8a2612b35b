"""The number of devices that a launch command in a log asks for."""

from __future__ import annotations

import re

# A launcher as a command: not in a comment, where it is an example.
_LAUNCHER = re.compile(
    r"(?:^|[\s/;&|$])(?:torchrun|torch\.distributed\.(?:launch|run)|accelerate\s+launch|deepspeed)\s"
)
_PER_NODE = re.compile(r"--(?:nproc[-_]per[-_]node|num[-_]gpus)[ =](\d{1,6})(?=\s|$)")
_NODES = re.compile(r"--(?:nnodes|num[-_]nodes)[ =](\S+)")
_PROCESSES = re.compile(r"--num[-_]processes[ =](\d{1,7})(?=\s|$)")  # of all machines

# Words of which a line with a launch command has one.
LAUNCH_MARKS = ("torchrun ", "torch.distributed.", "accelerate launch", "deepspeed ")


def read_launch(line: str) -> int:
    """The devices of a launch command: nodes × processes of a node; 0 where the line has none or leaves them open."""
    start = _LAUNCHER.search(line)
    if start is None or line.lstrip().startswith("#"):
        return 0
    command = line[start.start() :]
    processes = _PROCESSES.search(command)
    if processes is not None:
        return int(processes.group(1))
    per_node, nodes = _PER_NODE.search(command), _NODES.search(command)
    if per_node is None:
        return 0
    if nodes is None:
        return int(per_node.group(1))
    count = nodes.group(1)
    return int(per_node.group(1)) * int(count) if count.isascii() and count.isdigit() and len(count) <= 6 else 0
