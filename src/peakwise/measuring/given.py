"""What the user gave as flags, read once and checked."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass

from peakwise.core.chip import Precision
from peakwise.core.errors import InputError
from peakwise.core.number import parse_quantity
from peakwise.core.workload import Recompute, parse_recompute, parse_seq
from peakwise.counting.rules import check_convention
from peakwise.measuring.precision import Mixture, parse_precision

# More devices than any machine has (10⁷), more sequences than any step (10⁹): typing errors.
MOST = {"--devices": 10**7, "--global-batch": 10**9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The flags of `peakwise measure`. `seq_len` is None where `--seq` names a file of lengths; `texts` are the
    flags as they were typed, in the order of the help."""

    paths: tuple[str, ...]
    model: str | None = None
    chip: str | None = None
    seq: str | None = None
    seq_len: int | None = None
    n_devices: int | None = None
    global_batch: int | None = None
    mixture: Mixture | None = None
    recompute: Recompute | None = None
    peak_flop_per_s: float | None = None
    convention: str = "exact"
    texts: tuple[tuple[str, str], ...] = ()

    @property
    def precision(self) -> Precision | None:
        """The type that decides the denominator of MFU; None where none was given."""
        return None if self.mixture is None else self.mixture.denominator

    @property
    def command(self) -> str:
        """The command line that gives these flags."""
        words = ["peakwise", "measure", *self.paths]
        for flag, text in self.texts:
            words += [flag, text]
        return shlex.join(words)


def read_given(
    paths: tuple[str, ...],
    *,
    model: str | None,
    chip: str | None,
    seq: int | str | None,
    devices: int | str | None,
    global_batch: int | str | None,
    precision: str | None,
    recompute: str | None,
    peak: float | str | None,
    form: str | None,
    convention: str | None = None,
) -> Given:
    """The flags, typed. **Raises** InputError naming the flag that cannot be used."""
    if not paths:
        raise InputError("no log was given", where="LOG", got="nothing", expected="one path or more")
    texts = (
        ("--model", model),
        ("--chip", chip),
        ("--seq", seq),
        ("--devices", devices),
        ("--global-batch", global_batch),
        ("--precision", precision),
        ("--recompute", recompute),
        ("--peak", peak),
        ("--convention", convention),
        ("--format", form),
    )
    return Given(
        paths=paths,
        model=model,
        chip=chip,
        seq=None if seq is None else str(seq),
        seq_len=None if seq is None else _read_seq(str(seq)),
        n_devices=_read_count("--devices", devices),
        global_batch=_read_count("--global-batch", global_batch),
        mixture=None if precision is None else parse_precision(precision),
        recompute=None if recompute is None else parse_recompute(recompute),
        peak_flop_per_s=_read_peak(peak),
        convention="exact" if convention is None else check_convention(convention),
        texts=tuple((flag, str(text)) for flag, text in texts if text is not None),
    )


def _read_seq(text: str) -> int | None:
    """The length of a run's sequences; None where documents of unequal length fill them without padding."""
    said = parse_seq(text)
    if said.documents is not None and said.documents.policy != "varlen":
        raise InputError(
            "a log does not say whether its tokens count padding",
            where="--seq",
            got=text[:60],
            expected="lengths=FILE without padding, or the length of a sequence",
            hint="peakwise count MODEL with this --seq tells useful from processed tokens",
        )
    return said.seq_len


def _read_count(flag: str, value: int | str | None) -> int | None:
    if value is None:
        return None
    text = str(value).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and 1 <= int(text) <= MOST[flag]):
        raise InputError(
            f"{flag} must be a whole number",
            where=flag,
            got=text[:60] or "nothing",
            expected=f"1 to {MOST[flag]:,}",
            hint=f"{flag} 64",
        )
    return int(text)


def _read_peak(peak: float | str | None) -> float | None:
    """A declared peak in FLOP/s: a text with its unit, or a plain number of FLOP/s from Python."""
    if peak is None:
        return None
    if isinstance(peak, str):
        return parse_quantity(peak, "flop_per_s", where="--peak")
    if isinstance(peak, bool) or not math.isfinite(peak) or peak <= 0:
        raise InputError(
            "a peak must be above 0", where="--peak", got=str(peak), expected="FLOP/s", hint='--peak "989 TFLOP/s"'
        )
    return float(peak)
