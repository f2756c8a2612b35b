"""Fuzz target of `peakwise measure`: `python -m tests.logs.fuzz [SECONDS [SEED]]`.

With atheris installed, `python -m tests.logs.fuzz atheris [its flags]` lets it steer; else logs are damaged at random.
A finding is an input that crashes, takes over `SLOW_S` seconds or over `MOST_BYTES` of memory; it is kept in a file.
"""

from __future__ import annotations

import importlib
import resource
import sys
import tempfile
import time
import traceback
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from .mutate import damage
from .samples import SAMPLES, run

SLOW_S = 5.0  # CPU; an input has at most 128 KiB
MOST_BYTES = 400_000_000  # the whole process with its libraries
KIB = 1024 if sys.platform != "darwin" else 1


def try_input(data: bytes, folder: Path) -> str:
    """What is wrong with the answer to this input; empty where nothing is."""
    path = folder / "train.log"
    path.write_bytes(data)
    begun = time.process_time()
    try:
        ran = run("measure", str(path))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return traceback.format_exc()
    spent = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    if ran.code not in (0, 1):
        return f"exit code {ran.code}"
    if spent > SLOW_S:
        return f"{spent:.1f} s of CPU"
    return f"{memory / 1e6:.0f} MB of memory" if memory > MOST_BYTES else ""


def fuzz(seconds: float, seed: int) -> int:
    """Damages the samples for so long; gives the number of findings."""
    samples = [sample.data for sample in SAMPLES]
    found, slowest, end = 0, 0.0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        for number in count():
            if time.monotonic() > end:
                break
            random = Random(f"{seed}:{number}")
            data = damage(random.choice(samples), random.choice(samples), random)
            begun = time.process_time()
            fault = try_input(data, Path(name))
            slowest = max(slowest, time.process_time() - begun)
            if fault:
                found += 1
                kept = Path(tempfile.gettempdir()) / f"peakwise-fuzz-{seed}-{number}.log"
                kept.write_bytes(data)
                print(f"finding in input {number}, kept as {kept}\n{fault}", flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    print(f"{number} inputs, {found} findings, slowest {slowest:.2f} s of CPU, memory {memory / 1e6:.0f} MB")
    return found


def steer(atheris: Any, flags: list[str]) -> None:
    """Lets atheris choose the inputs."""
    folder = Path(tempfile.mkdtemp())

    def target(data: bytes) -> None:
        fault = try_input(data, folder)
        if fault:
            raise RuntimeError(fault)

    atheris.instrument_all()
    atheris.Setup(["fuzz", *flags], target)
    atheris.Fuzz()


def main(words: list[str]) -> int:
    """Runs as the words say; the exit code is 1 where something was found."""
    if words[:1] == ["atheris"]:
        steer(importlib.import_module("atheris"), words[1:])
        return 0
    seconds, seed = (float(words[0]) if words else 30.0), (int(words[1]) if len(words) > 1 else 0)
    return int(fuzz(seconds, seed) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
