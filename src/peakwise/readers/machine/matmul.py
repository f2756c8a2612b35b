"""This machine's matmuls, timed: the CPU through numpy, an accelerator through torch where it is installed."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

from peakwise.core.chip import Precision
from peakwise.core.matmul_rate import MatmulTimes
from peakwise.readers.modules.framework import load_torch

# Square shapes: the middle ones fill a CPU's cores, the large ones an accelerator; a larger one gains little more.
CPU_SIZES = (512, 1024, 2048)
ACCELERATOR_SIZES = (2048, 4096, 8192)
MOST_RUNS, FEWEST_RUNS, WARM_UP = 20, 5, 2
ENOUGH_S = 1.0  # of one shape: then the runs so far do


class _Task(NamedTuple):
    """One multiplication that can be run: `run` returns when it is done."""

    device: str
    library: str
    precision: Precision
    size: int
    run: Callable[[], object]


def time_machine(
    cpu_sizes: tuple[int, ...] = CPU_SIZES, clock: Callable[[], float] = time.perf_counter
) -> tuple[MatmulTimes, ...]:
    """Times of square multiplications on every device that is there, each shape at least five times after a warm-up."""
    taken = [_take(task, clock) for size in cpu_sizes for task in _cpu_tasks(size)]
    if find_spec("torch") is not None:
        taken += [_take(task, clock) for size in ACCELERATOR_SIZES for task in _accelerator_tasks(load_torch(), size)]
    return tuple(taken)


def _take(task: _Task, clock: Callable[[], float]) -> MatmulTimes:
    for _ in range(WARM_UP):
        task.run()
    seconds: list[float] = []
    while len(seconds) < FEWEST_RUNS or (len(seconds) < MOST_RUNS and sum(seconds) < ENOUGH_S):
        started = clock()
        task.run()
        seconds.append(clock() - started)
    return MatmulTimes(
        device=task.device,
        library=task.library,
        precision=task.precision,
        m=task.size,
        n=task.size,
        k=task.size,
        seconds=tuple(seconds),
    )


def _cpu_tasks(size: int) -> list[_Task]:
    import numpy as np

    types: tuple[tuple[Precision, Any], ...] = (("fp32", np.float32), ("fp64", np.float64))
    device = f"CPU ({platform.processor() or platform.machine()})"
    tasks: list[_Task] = []
    for precision, kind in types:
        matrix: Any = np.random.default_rng(0).random((size, size), dtype=kind)
        out: Any = np.empty_like(matrix)
        run = _numpy_run(np, matrix, out)
        tasks.append(_Task(device, f"numpy {np.__version__}", precision, size, run))
    return tasks


def _numpy_run(np: Any, matrix: Any, out: Any) -> Callable[[], object]:
    return lambda: np.matmul(matrix, matrix, out=out)


def _accelerator_tasks(torch: Any, size: int) -> list[_Task]:
    """Every accelerator of the framework's one kind, in its 16-bit types and fp32."""
    if not torch.accelerator.is_available():
        return []
    kind = torch.accelerator.current_accelerator().type
    types: tuple[tuple[Precision, Any], ...] = (
        ("bf16", torch.bfloat16),
        ("fp16", torch.float16),
        ("fp32", torch.float32),
    )
    tasks: list[_Task] = []
    for index in range(torch.accelerator.device_count()):
        device = torch.device(kind, index)
        name = torch.cuda.get_device_name(device) if kind == "cuda" else kind
        for precision, dtype in types:
            run = _torch_run(torch, torch.randn((size, size), device=device, dtype=dtype))
            tasks.append(_Task(f"{name} ({device})", f"torch {torch.__version__}", precision, size, run))
    return tasks


def _torch_run(torch: Any, matrix: Any) -> Callable[[], object]:
    def run() -> None:
        torch.mm(matrix, matrix)
        torch.accelerator.synchronize(matrix.device)

    return run
