"""The inputs of a measurement, each from the strongest source that has it: flag, log, derived, solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from peakwise.core.chip import PRECISIONS, Chip
from peakwise.core.finding import Finding
from peakwise.core.measurement import Schedule, UsedPeak
from peakwise.core.quantity import Quantity
from peakwise.core.series import Series, Stated
from peakwise.core.units import to_tera
from peakwise.core.workload import Recompute, parse_recompute
from peakwise.measuring.given import Given
from peakwise.measuring.precision import Mixture, parse_precision

# A flag and the log that are further apart than this get a warning that shows both.
DIFFERS = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What was given or stated. `recompute`, `schedule` and `mixture` are None where nobody did."""

    n_devices: Quantity | None
    seq_len: Quantity | None
    global_batch: Quantity | None
    recompute: Recompute | None
    peak: Quantity | None
    used_peak: UsedPeak | None
    schedule: Schedule | None = None
    mixture: Mixture | None = None
    warnings: tuple[Finding, ...] = field(default=())


def read_inputs(given: Given, series: Series, chip: Chip | None) -> Inputs:
    """The inputs that a flag gives or the log states; a flag wins, and a difference over 1 % is a warning."""
    stated = series.stated
    numbers = {
        key: _number(flag, value, unit, stated.get(key))
        for key, flag, value, unit in (
            ("n_devices", "--devices", given.n_devices, "device"),
            ("seq_len", "--seq", given.seq_len, "token"),
            ("global_batch", "--global-batch", given.global_batch, "sequence"),
        )
    }
    warnings = list[Finding]()
    for flag, value, fact in (
        ("--devices", given.n_devices, stated.get("n_devices")),
        ("--seq", given.seq_len, stated.get("seq_len")),
        ("--global-batch", given.global_batch, stated.get("global_batch")),
    ):
        if value is not None and fact is not None and abs(value - float(fact.value)) > DIFFERS * float(fact.value):
            _compare(flag, f"{value:,}", f"{int(fact.value):,}", warnings)
    policy = stated.get("recompute")
    recompute = given.recompute or (None if policy is None else parse_recompute(str(policy.value)))
    if given.recompute is not None and policy is not None:
        _compare("--recompute", given.recompute.text(), str(policy.value), warnings)
    peak = _choose_peak(given, series, chip, warnings)
    return Inputs(
        n_devices=numbers["n_devices"],
        seq_len=numbers["seq_len"],
        global_batch=numbers["global_batch"],
        recompute=recompute,
        peak=None if peak is None else peak[0],
        used_peak=None if peak is None else peak[1],
        schedule=_read_schedule(stated),
        mixture=_choose_mixture(given, stated.get("precision")),
        warnings=tuple(warnings),
    )


def _read_schedule(stated: Mapping[str, Stated]) -> Schedule | None:
    """The pipeline that the log declares; None where it says nothing of stages or micro-batches."""
    if "pp" not in stated or "n_microbatches" not in stated:
        return None
    pp, vp, micro = (int(stated[key].value) if key in stated else 1 for key in ("pp", "vp", "n_microbatches"))
    return Schedule(pp=pp, vp=vp, n_microbatches=micro) if min(pp, vp, micro) >= 1 else None


def _number(flag: str, value: int | None, unit: str, stated: Stated | None) -> Quantity | None:
    if value is not None:
        return Quantity(value=value, unit=unit, basis="stated", source=flag)
    if stated is None:
        return None
    return Quantity(value=int(stated.value), unit=unit, basis=stated.basis, source=stated.source)


def _compare(flag: str, typed: str, logged: str, warnings: list[Finding]) -> None:
    if typed != logged:
        warnings.append(
            Finding(
                code="W_DIFFERS",
                message=f"{flag} says {typed}, the log {logged}; the flag was used",
                input=flag.lstrip("-").replace("-", "_"),
                fix=f"leave {flag} out to use the log's",
            )
        )


def _choose_peak(
    given: Given, series: Series, chip: Chip | None, warnings: list[Finding]
) -> tuple[Quantity, UsedPeak] | None:
    """The dense peak of one device: declared by flag, or the chip's for the run's precision."""
    stated = series.stated.get("precision")
    if given.precision is not None and stated is not None:
        _compare("--precision", given.precision, str(stated.value), warnings)
    name = "" if chip is None else chip.name
    chip_id = "" if chip is None else chip.id
    if given.peak_flop_per_s is not None:
        precision = given.precision or ("" if stated is None else str(stated.value))
        used = UsedPeak(precision=precision, kind="declared", chip=chip_id, chip_name=name)
        return Quantity(value=given.peak_flop_per_s, unit="FLOP/s", basis="stated", source="--peak, declared"), used
    if chip is None:
        return None
    mixture = _choose_mixture(given, stated)
    precision = chip.dense16_precision if mixture is None else chip.denominator(mixture.denominator)
    value = None if precision is None else chip.peak_flop_per_s(precision)
    if precision is None or value is None:
        return None
    used = UsedPeak(precision=precision, kind="datasheet", chip=chip_id, chip_name=name)
    source = f"datasheet, dense {precision}"
    return Quantity(value=value, unit="FLOP/s", basis="stated", source=source), used


def _choose_mixture(given: Given, stated: Stated | None) -> Mixture | None:
    """Which part ran in which type: the flag's, else the log's; None where neither says it."""
    if given.mixture is not None or stated is None or stated.value not in PRECISIONS:
        return given.mixture
    return parse_precision(str(stated.value))


def describe_chip_gap(chip: Chip | None, given: Given) -> str:
    """Why a known chip gives no peak; an empty text where it does."""
    if chip is None:
        return ""
    return f"{chip.name} has no dense {given.precision or '16-bit'} peak in the catalogue"


def shown_peak(flop_per_s: float) -> str:
    """A peak as the warnings print it, in TFLOP/s."""
    return f"{to_tera(flop_per_s):,.1f} TFLOP/s"
