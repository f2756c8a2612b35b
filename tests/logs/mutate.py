"""Damages a log as disks, terminals and people do, by a random source that the caller gives."""

from __future__ import annotations

from random import Random

# What breaks readers: ends, odd encodings, numbers that are none, and pieces of every producer's grammar.
PIECES = (
    b"\x00",
    b"\r",
    b"\n",
    b"\xff\xfe",
    b"\xe2\x96",
    b"\x1b[31m",
    b"[31m",
    b"nan",
    b"inf",
    b"-",
    b"1e999",
    b"1e-999",
    b"99999999999999999999",
    b"-1",
    b"0",
    b"0.0",
    b"{",
    b"}",
    b"'",
    b"[",
    b"]",
    b"|",
    b": ",
    b"step: 7  loss:  1.5  tps: 5,000  tflops: 1.00  mfu: 1.00%",
    b" iteration        7/      10 | elapsed time per iteration (ms): 5.0 |",
    b"iter 7: loss 1.5, time 5.00ms, mfu 1.00%\n",
    b"{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n",
    b'{"log_history": [{"step": 7, "loss": 1.5}], "global_step": 7}',
    b" 50%|#####     | 7/14 [00:07<00:07,  1.00it/s]\r",
    b"2024-02-30 25:61:61",
    b"  seq_length ...................... 4096\n",
    b"- arguments -",
    b"9" * 400,
    b" " * 3000,
    b"." * 3000,
)


def damage(data: bytes, other: bytes, random: Random) -> bytes:
    """The log after one to eight wounds; `other` is a log that pieces are spliced in from."""
    for _ in range(random.randint(1, 8)):
        at, to = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
        match random.randint(0, 7):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + random.choice(PIECES) + data[at:]
            case 2:
                data = data[:at] + data[at + random.randint(1, 40) :]
            case 3:
                data = data[:at] + bytes([random.randint(0, 255)]) + data[at + 1 :]
            case 4:
                data = data[:at] + data[at:to] * random.randint(2, 4) + data[to:]
            case 5:
                start = random.randint(0, len(other))
                data = data[:at] + other[start : start + random.randint(1, 500)] + data[at:]
            case 6:
                lines = data.split(b"\n")
                random.shuffle(lines)
                data = b"\n".join(lines)
            case _:
                data = data[:at] + random.choice(PIECES) + data[to:]
    return data[: 1 << 17]  # a bound, so that repeats of repeats end
