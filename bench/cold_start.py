"""CPU time of a cold `peakwise` command, as a ratio to a bare interpreter: `python bench/cold_start.py`."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys

ROUNDS = 15
THREE_NUMBERS = ["--workload", "inference", "--params", "70B", "--rate", "2000", "--peak", "989 TFLOP/s"]
# Name, argv, and the budget in seconds of CPU that the project set itself for it.
COMMANDS: tuple[tuple[str, list[str], float], ...] = (
    ("calc mfu", ["calc", "mfu", *THREE_NUMBERS], 0.2),
    ("count deepseek-v3", ["count", "deepseek-v3", "--seq", "4096"], 0.3),
)
RUN = "import sys; from peakwise.cli.main import main; main(sys.argv[1:])"
LOADED = "numpy torch transformers pydantic fastapi"
SHOW = (
    "import sys\nfrom peakwise.cli.main import main\n"
    "try:\n    main(sys.argv[1:])\n"
    f"finally:\n    print([n for n in '{LOADED}'.split() if n in sys.modules], file=sys.stderr)\n"
)


# An installed command finds its bytecode written; a variable of the caller may forbid writing it.
INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu_s(argv: list[str]) -> float:
    """CPU seconds, user and system, of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=INSTALLED)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Prints, for each command: median and least CPU, both as ratios to `python -c pass`, and what was loaded."""
    bare: list[float] = []
    spent: dict[str, list[float]] = {name: [] for name, _, _ in COMMANDS}
    for _, argv, _ in COMMANDS:  # writes the bytecode once
        cpu_s([sys.executable, "-c", RUN, *argv])
    for _ in range(ROUNDS):  # in turns, so that a busy machine slows all alike
        bare.append(cpu_s([sys.executable, "-c", "pass"]))
        for name, argv, _ in COMMANDS:
            spent[name].append(cpu_s([sys.executable, "-c", RUN, *argv]))
    base = statistics.median(bare)
    print(f"python -c pass      {base:.3f} s of CPU (median of {ROUNDS}, least {min(bare):.3f})")
    for name, argv, budget in COMMANDS:
        middle = statistics.median(spent[name])
        shown = subprocess.run([sys.executable, "-c", SHOW, *argv], check=True, capture_output=True, text=True)
        loaded = shown.stderr.splitlines()[-1]
        print(
            f"{name:<19} {middle:.3f} s of CPU (least {min(spent[name]):.3f}, budget {budget}), "
            f"{middle / base:.1f} × python -c pass; loaded of {LOADED}: {loaded}"
        )


if __name__ == "__main__":
    main()
