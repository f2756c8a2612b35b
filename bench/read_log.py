"""Reading of a 200 MB log: its rate as a ratio to `wc -l`, and the peak of memory: `python bench/read_log.py`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

SIZE = 200_000_000  # bytes of each log
STEPS = 1_000_000  # of the log that has that many distinct steps, however large it gets
LIMIT = 200_000_000  # bytes of memory that reading may take
EXAMPLE = Path(__file__).parents[1] / "examples" / "torchtitan-llama-8b.log"
START = datetime(2025, 4, 10, 22, 30)
RUN = "import sys; from peakwise.cli.main import main; sys.exit(main(['measure', sys.argv[1], '--json']))"


class Cost(NamedTuple):
    """Seconds of CPU and peak bytes of memory of one process."""

    seconds: float
    memory: int


def stamp(step: int) -> str:
    """The clock of a step in torchtitan's form: 1.4 s a step."""
    clock = START + timedelta(seconds=1.4 * step)
    return f"{clock:%Y-%m-%d %H:%M:%S},{clock.microsecond // 1000:03d}"


def torchtitan(step: int) -> str:
    """One record, as the example has it."""
    return (
        f"[rank0]:[titan] {stamp(step)} - root - INFO - step: {step}  loss:  6.1416  memory: 49.66GiB(52.28%)  "
        f"tps: {5850 + step % 20:,}  tflops: 339.16  mfu: 34.29%\n"
    )


def noisy(step: int) -> str:
    """One record among forty lines of other programs."""
    noise = f"[rank0]:{stamp(step)} INFO worker.py:123] prefetched shard 00017 of 12,345 in 0.35 s, queue 12 of 16\n"
    return torchtitan(step) + noise * 40


def megatron(step: int) -> str:
    """One iteration with its timers."""
    clock = START + timedelta(seconds=2.8 * step)
    return (
        f" [{clock:%Y-%m-%d %H:%M:%S}] iteration {step:8}/ 9000000 | consumed samples: {step * 128:12} | "
        f"elapsed time per iteration (ms): {2800 + step % 9}.4 | throughput per GPU (TFLOP/s/GPU): 301.4 | "
        f"learning rate: 3.000E-04 | global batch size:   128 | lm loss: 2.512345E+00 | loss scale: 1.0 | "
        f"grad norm: 0.213 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )


def nanogpt(step: int) -> str:
    """One line of nanoGPT."""
    return f"iter {step}: loss 2.5141, time {893 + step % 7}.90ms, mfu 16.68%\n"


def hf_trainer(step: int) -> str:
    """One printed dict and the bar that follows it."""
    bar = f" 50%|#####     | {step}/9000000 [{step // 3600}:{step // 60 % 60:02}:{step % 60:02}<10:00:00,  1.00it/s]\n"
    return f"{{'loss': 1.2345, 'grad_norm': 0.53, 'learning_rate': 2e-05, 'epoch': {step / 1000:.3f}}}\n" + bar


def repeated() -> Iterator[str]:
    """The example again and again, as restarts print it."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for _ in range(SIZE // len(text) + 1):
        yield text


def growing(line: Callable[[int], str]) -> Iterator[str]:
    """Lines with growing steps until the log is large."""
    size = step = 0
    while size < SIZE:
        step += 1
        text = line(step)
        size += len(text)
        yield text


LOGS: dict[str, Callable[[], Iterator[str]]] = {
    "a real log again and again": repeated,
    "torchtitan, a record a line": lambda: growing(torchtitan),
    "torchtitan, a million steps": lambda: (torchtitan(step) for step in range(STEPS)),
    "torchtitan, a record in 41 lines": lambda: growing(noisy),
    "Megatron-LM, a record a line": lambda: growing(megatron),
    "nanoGPT, a record a line": lambda: growing(nanogpt),
    "HF Trainer, dicts and bars": lambda: growing(hf_trainer),
}


def cost(argv: list[str]) -> Cost:
    """What one process took; it must end well."""
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{argv[-1]}: exit code {process.returncode}")
    return Cost(
        used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    )  # kibibytes but on macOS


def main() -> None:
    """Prints a line for each log whose name holds the first argument; exit code 1 where one passes the limit."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    counter = shutil.which("wc")
    over = False
    for name, lines in LOGS.items():
        if wanted not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "train.log"
            with log.open("w", encoding="utf-8") as file:
                file.writelines(lines())
            size = log.stat().st_size
            count = cost([counter, "-l", str(log)]).seconds if counter else float("nan")
            read = cost([sys.executable, "-c", RUN, str(log)])
        over |= read.memory > LIMIT
        print(
            f"{name:<33} {size / 1e6:4.0f} MB in {read.seconds:6.2f} s of CPU, {size / 1e6 / read.seconds:5.1f} MB/s, "
            f"{read.seconds / count:6.0f} × wc -l ({count:.2f} s), memory {read.memory / 1e6:4.0f} MB",
            flush=True,
        )
    sys.exit(int(over))


if __name__ == "__main__":
    main()
