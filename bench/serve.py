"""Requests a second and latency of one `peakwise web` worker: `python bench/serve.py` (needs `wrk` and the extra web).

Each is a ratio to the same server answering "ok" from a bare route (`/healthz`), measured in the same run.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

PORT = 8731
BASE = f"http://127.0.0.1:{PORT}"
RUN = "import sys; from peakwise.cli.main import main; main(sys.argv[1:])"
SECONDS = 8  # of each measurement
API = "/api/v1/mfu?workload=inference&params_b=70&tokens_per_s=2000&peak_tflops=989&accelerators=1"
PAGE = "/en/mfu?v=1&w=inf&n=70&tps=2000&peak=989&acc=1"
# What is asked, its path, and the rate that one core should give.
ASKED: tuple[tuple[str, str, int], ...] = (("API calculation", API, 300), ("page", PAGE, 100))
P99_BUDGET_S = 0.05  # at half the rate


def main() -> None:
    """Prints the highest rate by wrk, and the latency at half the wanted rate by an open loop of our own."""
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed: apt-get install wrk")
    pin = ["taskset", "-c", "0"] if shutil.which("taskset") and (os.cpu_count() or 1) > 1 else []
    command = [*pin, sys.executable, "-c", RUN, "web", "--port", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait()
            _report()
        finally:
            server.terminate()


def _report() -> None:
    bare = _most("/healthz")
    print(f"{'bare route':<16} {bare:8.0f} a second by wrk, 1 worker, 4 connections")
    for name, path, wanted in ASKED:
        with urllib.request.urlopen(BASE + path) as answer:
            size = len(answer.read())
        most = _most(path)
        times = asyncio.run(_open_loop(path, wanted / 2))
        p99 = statistics.quantiles(times, n=100)[98]
        print(
            f"{name:<16} {most:8.0f} a second by wrk ({most / bare:.2f} of the bare route; wanted {wanted}), "
            f"{size / 1000:.1f} kB; at {wanted / 2:.0f} a second p50 {statistics.median(times) * 1000:.1f} ms, "
            f"p99 {p99 * 1000:.1f} ms (budget {P99_BUDGET_S * 1000:.0f}), {len(times)} requests, open loop"
        )


def _wait() -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(f"{BASE}/healthz").close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit("the server did not start")


def _most(path: str) -> float:
    """The highest rate, requests a second; a first run warms what is loaded on demand."""
    pin = ["taskset", "-c", "1"] if shutil.which("taskset") and (os.cpu_count() or 1) > 1 else []
    for seconds in (2, SECONDS):
        out = subprocess.run(
            [*pin, "wrk", "-t1", "-c4", f"-d{seconds}s", BASE + path], check=True, capture_output=True, text=True
        ).stdout
    if "Non-2xx" in out:
        sys.exit(f"{path} did not answer with success:\n{out}")
    return float(next(line for line in out.splitlines() if line.startswith("Requests/sec:")).split()[1])


async def _open_loop(path: str, rate: float) -> list[float]:
    """Seconds from the moment each request was due to its last byte, requests due at a steady rate."""
    idle: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(16):
        idle.put_nowait(await asyncio.open_connection("127.0.0.1", PORT))
    times: list[float] = []

    async def ask(due: float) -> None:
        reader, writer = await idle.get()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
        times.append(time.perf_counter() - due)
        idle.put_nowait((reader, writer))

    start = time.perf_counter() + 0.1
    tasks: list[asyncio.Task[None]] = []
    for place in range(int(rate * SECONDS)):
        due = start + place / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(ask(due)))
    await asyncio.gather(*tasks)
    return times


if __name__ == "__main__":
    main()
