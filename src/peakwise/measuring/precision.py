"""Which matmuls ran in which type, and the utilization of the peak that such a mixture has."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.chip import BITS, PRECISIONS, Chip, Precision
from peakwise.core.errors import InputError
from peakwise.core.ledger import Ledger, Term

PARTS = ("linear", "wgrad", "attention", "head")
# What stays in 16 bits where only the linear layers are said to run in fewer (DESIGN, Denominator).
HALF: Precision = "bf16"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """The type of each part: linear layers, their weight gradients, attention, and the head with the router.

    `assumed`: one type was said, of fewer than 16 bits, and the rest follows from custom.
    """

    linear: Precision
    wgrad: Precision
    attention: Precision
    head: Precision
    assumed: bool

    @property
    def denominator(self) -> Precision:
        """The type that decides the denominator of MFU: the widest above 16 bits, else that of the linear layers."""
        widest = max((self.linear, self.wgrad, self.attention, self.head), key=lambda name: BITS[name])
        return widest if BITS[widest] > BITS[HALF] else self.linear


def parse_precision(text: str, where: str = "--precision") -> Mixture:
    """The mixture of `bf16`, `fp8` or `linear=fp8,wgrad=bf16,attention=bf16,head=bf16`. **Raises** InputError."""
    if "=" not in text:
        plain = _read_type(text, text, where)
        rest = plain if BITS[plain] >= BITS[HALF] else HALF
        return Mixture(linear=plain, wgrad=plain, attention=rest, head=rest, assumed=rest != plain)
    found: dict[str, Precision] = {}
    for word in text.split(","):
        part, _, name = word.strip().partition("=")
        if part not in PARTS or part in found:
            raise _refused(f'unknown or repeated part "{part[:40]}"', text, where)
        found[part] = _read_type(name, text, where)
    if "linear" not in found:
        raise _refused("the type of the linear layers is not given", text, where)
    linear = found["linear"]
    rest = linear if BITS[linear] >= BITS[HALF] else HALF
    return Mixture(
        linear=linear,
        wgrad=found.get("wgrad", linear),
        attention=found.get("attention", rest),
        head=found.get("head", rest),
        assumed=len(found) < len(PARTS) and rest != linear,
    )


def _read_type(name: str, text: str, where: str) -> Precision:
    for precision in PRECISIONS:
        if name.strip() == precision:
            return precision
    raise _refused(f'unknown precision "{name.strip()[:60]}"', text, where)


def _refused(message: str, text: str, where: str) -> InputError:
    return InputError(
        message,
        where=where,
        got=text[:60],
        expected=f"{', '.join(PRECISIONS)}, or types of {', '.join(PARTS)}",
        hint="--precision bf16, or --precision linear=fp8,wgrad=bf16,attention=bf16,head=bf16",
    )


def time_at_peak(ledger: Ledger, mixture: Mixture, chip: Chip) -> float | None:
    """Seconds that the ledger's model FLOPs take where each runs at its type's dense peak; None without such a peak.

    **Formula** Σ F_d ÷ P_d over the types d.
    """
    seconds = 0.0
    for precision, flop in _flop_by_type(ledger, mixture).items():
        peak = chip.peak_flop_per_s(precision)
        if flop and not peak:
            return None
        seconds += flop / peak if peak else 0.0
    return seconds


def _flop_by_type(ledger: Ledger, mixture: Mixture) -> dict[Precision, int]:
    flop: dict[Precision, int] = {}
    for term in ledger:
        data, weight = _types(term, mixture)
        backward = (term.backward_input, term.backward_weight) if ledger.trains else (0, 0)
        flop[data] = flop.get(data, 0) + term.forward + backward[0]
        flop[weight] = flop.get(weight, 0) + backward[1]
    return flop


def _types(term: Term, mixture: Mixture) -> tuple[Precision, Precision]:
    """The types of a term's forward with its input gradient, and of its weight gradient."""
    if term.component in ("lm_head", "router"):
        return mixture.head, mixture.head
    if not term.is_matmul:
        return mixture.attention, mixture.attention
    return mixture.linear, mixture.wgrad
