"""The one table of codes that errors and warnings carry, on every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A code, whether it stops the answer (`error`) or comes with it (`warning`), and when it is given."""

    id: str
    kind: Literal["error", "warning"]
    when: str


def _error(code: str, when: str) -> Code:
    return Code(id=code, kind="error", when=when)


def _warning(code: str, when: str) -> Code:
    return Code(id=code, kind="warning", when=when)


TABLE: tuple[Code, ...] = (
    _error("E_REQ", "a required field is empty, null or absent"),
    _error("E_NUM", "not a number, or more than 64 characters"),
    _error("E_INT", "not a whole number"),
    _error("E_RANGE", "outside the field's range"),
    _error("E_ZERO_PEAK", "the peak is 0"),
    _error("E_CHOICE", "not one of the choices, or an unknown id"),
    _error("E_UNIT", "a unit of another kind"),
    _error("E_UNKNOWN", "a key that the calculator does not have"),
    _error("E_CONFLICT", "the same thing said in two ways"),
    _error("E_FORMAT", "no reader, or more than one, recognises the text"),
    _error("E_SHAPE", "the stated parameters differ from what the shapes give"),
    _warning("E_OVER", "a utilization above 1: cannot be"),
    _warning("W_HIGH", "a utilization that is rarely reached"),
    _warning("W_FIT", "the weights do not fit the memory"),
    _warning("W_MOE", "a mixture of experts counted with all its experts"),
    _warning("W_PREC", "the peak belongs to another precision or to sparse matmuls"),
    _warning("W_BASIS", "a per-device rate was typed as the total"),
    _warning("W_FRACTION", "a percentage field holds a fraction"),
    _warning("W_ETA_LOW", "an efficiency below 30 %"),
    _warning("W_ETA_HIGH", "an efficiency above 97 % on more than 8 accelerators"),
    _warning("W_EVAL_TWICE", "evaluation time may be counted twice"),
    _warning("W_OUTSIDE", "outside the measured points"),
    _warning("W_MOE_READ", "bytes of experts are an upper estimate"),
    _warning("W_RULE", "the two figures follow different counting rules"),
    _warning("W_MTP", "the model's multi-token-prediction modules are left out"),
    _warning("W_AMBIG", "the number can be read in two ways"),
    _warning("W_DEFAULT", "a class default was used for a field the config lacks"),
    _warning("W_LIKE", "facts of another model_type were assumed"),
    _warning("W_UNREAD", "a field of the config was not understood and looks neutral"),
    _warning("W_DIFFERS", "a flag and the log state different values"),
    _warning("W_SKIPPED", "lines of the source could not be read"),
    _warning("W_SPREAD", "two speed regimes in one run"),
    _warning("W_DECLARED", "what was declared contradicts the log"),
    _warning("W_PEAK", "the log divides by a peak that no chip has"),
    _warning("W_RUNS", "records of another run in the log"),
    _warning("W_TOTAL", "a final total and the sum of its records disagree"),
    _warning("W_CLOCK", "the clock and the durations disagree"),
    _warning("W_UNCOUNTED", "a heavy operator of a traced module has no formula"),
    _warning("W_RULE_NOTE", "the rule was made for models of another kind"),
)

CODES: dict[str, Code] = {code.id: code for code in TABLE}
