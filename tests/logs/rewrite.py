"""Rewrites a log as its producer would have written it: slower, later, or from two ranks at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

NUMBER = r"\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"

# Labels that a duration follows, and labels that a rate follows, of every producer in the samples.
DURATIONS = (
    r"elapsed time per iteration \(ms\): ",
    r"(?:forward|backward|backward-backward|backward-allreduce|optimizer|batch generator|data loader): ",
    r"\d, time ",  # nanoGPT
    r"_runtime': '?",
    r"traces in ",
    r"collection\. ",
)
RATES = (
    r" (?:tps|wps|tflops|mfu): +",
    r", mfu ",  # nanoGPT
    r"throughput: ",
    r"throughput per GPU \(TFLOP/s/GPU\): ",
    r"Effective Tera Flops per GPU: ",
    r"_per_second(?:': '?| = +)",
    r"train_speed\(iter/s\)': ",
)
_DURATION = re.compile(rf"(?P<label>{'|'.join(DURATIONS)})(?P<number>{NUMBER})")
_RATE = re.compile(rf"(?P<label>{'|'.join(RATES)})(?P<number>{NUMBER})")
_BAR = re.compile(rf"\[(?P<at>[\d:]+)<(?P<left>[\d:]+),(?P<blank> +)(?P<rate>{NUMBER})it/s")
_SPOKEN = re.compile(r"(?P<label>(?:elapsed|remaining)_time': ')(?P<time>[\dhms ]+)")
_TABLE = re.compile(r"(?P<label>train_runtime += )(?P<h>\d+):(?P<m>\d\d):(?P<s>\d\d(?:\.\d+)?)")
_STAMP = re.compile(r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:(?P<point>[.,])(?P<digits>\d+))?")
_S = {"h": 3600, "m": 60, "s": 1}


def slower(text: str, factor: float) -> str:
    """The same run with every duration × `factor`: rates are divided, clocks stretched from the first one on."""
    text = _DURATION.sub(lambda m: m["label"] + _times(m["number"], factor), text)
    text = _RATE.sub(lambda m: m["label"] + _times(m["number"], 1 / factor), text)
    text = _BAR.sub(lambda m: _bar(m, factor), text)
    text = "\n".join(_slower_words(line, factor) for line in text.split("\n"))
    text = _TABLE.sub(lambda m: m["label"] + _hours(m, factor), text)
    return _stretch(text, factor)


def later(text: str, steps: int) -> str:
    """The same run, its steps numbered `steps` higher, in a run that ends as much later."""

    def shift(pattern: str) -> Callable[[str], str]:
        found = re.compile(pattern)
        return lambda text: found.sub(lambda m: m[1] + _plus(m[2], steps) + (m[3] or ""), text)

    for move in (
        shift(r"(\bstep: +)(\d+)()"),
        shift(r"(at step )(\d+)()"),
        shift(r"(iteration +)(\d+)(/)"),
        shift(r"(iteration +\d+/ *)(\d+)()"),
        shift(r"(Iteration: )(\d+)()"),
        shift(r"(\biter )(\d+)(:)"),
        shift(r"(^step )(\d+)(?=: train loss)()"),
        shift(r"('global_step': )(\d+)()"),
    ):
        text = move(text)
    text = re.sub(r"(\| )(\d+)/(\d+)( \[)", lambda m: f"{m[1]}{int(m[2]) + steps}/{int(m[3]) + steps}{m[4]}", text)
    return "\n".join(_later_speed(line, steps) for line in text.split("\n"))


def two_ranks(text: str, prefix: str) -> str:
    """Every line twice, as a launcher writes the lines of two ranks; `prefix` holds the rank as `{}`."""
    bare = re.sub(r"^\[rank0\]:", "", text, flags=re.MULTILINE)
    return "".join(f"{prefix.format(rank)}{line}\n" for line in bare.splitlines() for rank in (0, 1))


def _slower_words(line: str, factor: float) -> str:
    """Times in words, which are whole seconds: more exact where the line's speed, slowed down already, says more."""
    speed = re.search(rf"max_steps': '(\d+)/\d+'.*train_speed\(iter/s\)': ({NUMBER})", line)
    exact = int(speed[1]) / float(speed[2]) if speed else None

    def move(match: re.Match[str]) -> str:
        elapsed = exact if "elapsed" in match["label"] else None
        return match["label"] + _speak(_listen(match["time"]) * factor if elapsed is None else elapsed)

    return _SPOKEN.sub(move, line)


def _later_speed(line: str, steps: int) -> str:
    """A count of steps and the mean speed since the start, which is that count over the time gone by."""
    count = re.search(r"(global_step/max_steps': ')(\d+)/(\d+)", line)
    if count is None:
        return line
    n = int(count[2])
    line = line.replace(count[0], f"{count[1]}{n + steps}/{int(count[3]) + steps}")
    return re.sub(rf"(train_speed\(iter/s\)': )({NUMBER})", lambda m: m[1] + _times(m[2], (n + steps) / n), line)


def _plus(number: str, steps: int) -> str:
    return str(int(number) + steps)


def _times(number: str, factor: float) -> str:
    """A number × factor, with its thousands separators and at least its own decimals."""
    value = float(number.replace(",", "")) * factor
    if "e" in number.lower():
        return f"{value:.6e}"
    decimals = len(number.partition(".")[2])
    return f"{value:,.{decimals}f}" if "," in number else f"{value:.{decimals}f}"


def _bar(match: re.Match[str], factor: float) -> str:
    at, left = (_clock(_seconds(match[key]) * factor) for key in ("at", "left"))
    return f"[{at}<{left},{match['blank']}{_times(match['rate'], 1 / factor)}it/s"


def _seconds(clock: str) -> int:
    total = 0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return total


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _listen(words: str) -> int:
    return sum(int(word[:-1]) * _S[word[-1]] for word in words.split())


def _speak(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m {rest}s" if hours else f"{minutes}m {rest}s" if minutes else f"{rest}s"


def _hours(match: re.Match[str], factor: float) -> str:
    seconds = (int(match["h"]) * 3600 + int(match["m"]) * 60 + float(match["s"])) * factor
    hours, rest = divmod(seconds, 3600)
    return f"{hours:.0f}:{rest // 60:02.0f}:{rest % 60:05.2f}"


def _stretch(text: str, factor: float) -> str:
    """Every time stamp moved away from the first. Stamps of whole seconds in brackets gain digits, as they once did."""
    first: list[datetime] = []

    def move(match: re.Match[str]) -> str:
        digits = match["digits"] or ""
        clock = datetime.fromisoformat(match["time"]) + timedelta(
            seconds=int(digits) / 10 ** len(digits) if digits else 0
        )
        first.append(clock)
        moved = first[0] + (clock - first[0]) * factor
        bracketed = text[match.start() - 1 : match.start()] == "[" and not digits
        n = 6 if bracketed else len(digits)
        moved += timedelta(microseconds=500_000 // 10**n) if n < 6 else timedelta()
        fraction = f"{moved.microsecond:06}"[:n]
        return f"{moved:%Y-%m-%d %H:%M:%S}" + ((match["point"] or ".") + fraction if n else "")

    return _STAMP.sub(move, text)
