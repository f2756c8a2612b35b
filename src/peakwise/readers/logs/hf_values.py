"""What the keys of a printed dict mean: one record in base units, or the means of a whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from peakwise.readers.logs.hf_numbers import Printed, read_duration, read_number_of, read_position, read_printed

# The producer's own duration of one optimizer step, seconds (`step_time`: TRL), and its own rates of that step.
STEP_S = ("train_step_runtime", "step_time")
STEPS_PER_S = ("interval_steps_per_second",)  # PaddleNLP
SAMPLES_PER_S = ("train_step_samples_per_second", "interval_samples_per_second")
TOKENS_PER_S = ("step_tokens_per_second", "train_step_tokens_per_second")
TOKENS_PER_S_PER_DEVICE = ("tokens_per_second_per_gpu",)
# Counters of all tokens so far, padding included unless the run says otherwise (`num_tokens`: TRL).
N_TOKENS = ("num_input_tokens_seen", "num_tokens", "total_tokens")
STEP = ("global_step", "step", "current_steps")
POSITION = "global_step/max_steps"
MOST_DIGITS = 4  # of a number that the Trainer prints as a text; transformers/trainer_callback.py, on_log
RATES = (*STEP_S, *STEPS_PER_S, *SAMPLES_PER_S, *TOKENS_PER_S, *TOKENS_PER_S_PER_DEVICE)
TRAINS = {"loss", "grad_norm", "learning_rate", "lr", *RATES}
ENDS = {"train_loss", "train_samples_per_second", "train_steps_per_second"}

COLUMN_OF = {
    **dict.fromkeys(STEP_S, "step_s"),
    **dict.fromkeys(STEPS_PER_S, "step_s"),
    **dict.fromkeys(SAMPLES_PER_S, "samples_per_s"),
    **dict.fromkeys(TOKENS_PER_S, "tokens_per_s"),
    **dict.fromkeys(TOKENS_PER_S_PER_DEVICE, "tokens_per_s_per_device"),
    **dict.fromkeys(N_TOKENS, "n_tokens"),
    "loss": "loss",
}


class Digits:
    """How fine a clock is printed, over a whole log: in four digits, as texts, or in fixed decimals, as numbers.

    A number drops its last zeros, so the finest of fixed decimals counts; of four digits, the coarsest.
    `start`: the step from which the producer counts its mean speed.
    """

    def __init__(self) -> None:
        self.start = 0.0
        self._finest, self._coarsest, self._most = math.inf, 0.0, 0.0

    def note(self, number: Printed) -> None:
        """Takes note of one printed number."""
        self._finest = min(self._finest, number.unit)
        self._coarsest = max(self._coarsest, number.unit)
        self._most = max(self._most, number.value / number.unit)

    @property
    def unit(self) -> float:
        """The unit of the last digit; 0 where no number was printed."""
        return self._finest if self._most >= 10**MOST_DIGITS else self._coarsest


class Sort(Enum):
    """What a dict is: a record of training, a run's final summary, an evaluation, or something else."""

    RECORD = "record"
    SUMMARY = "summary"
    EVALUATION = "evaluation"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A run's totals, start-up and evaluation included: seconds, steps and sequences a second; None where unknown."""

    total_s: float
    total_steps: int | None
    global_batch: int | None


def _is_evaluation(key: str) -> bool:
    return key.startswith(("eval_", "test_", "predict_"))


def sort_dict(values: dict[str, str]) -> Sort:
    """What a dict is, by its keys."""
    if any(map(_is_evaluation, values)):
        return Sort.EVALUATION
    if "train_runtime" in values and not ENDS.isdisjoint(values):
        return Sort.SUMMARY
    return Sort.OTHER if TRAINS.isdisjoint(values) or not ENDS.isdisjoint(values) else Sort.RECORD


def read_step(values: dict[str, str]) -> float | None:
    """The step number that the dict itself has."""
    position = read_position(values.get(POSITION, ""))
    if position is not None:
        return float(position[0])
    step = read_number_of(values, *STEP)
    return None if step is None or step.value < 0 or step.value % 1 else step.value


def read_record(values: dict[str, str], digits: Digits) -> dict[str, float]:
    """The columns of a training dict. `digits` takes note of how fine its clock is printed."""
    record = dict[str, float]()
    step = read_step(values)
    if step is not None:
        record["step"] = step
    for key, text in values.items():
        column = COLUMN_OF.get(key)
        number = None if column is None else read_printed(text)
        if column is None or number is None or not math.isfinite(number.value):
            continue
        if column == "n_tokens" and number.unit > 1:  # four digits of a counter: no difference
            continue
        if column == "loss" or number.value > 0:
            record.setdefault(column, 1 / number.value if key in STEPS_PER_S else number.value)
    elapsed = _read_elapsed(values, step, digits)
    if elapsed is not None:
        record["elapsed_s"] = elapsed.value
        digits.note(elapsed)
    return record


def _read_elapsed(values: dict[str, str], step: float | None, digits: Digits) -> Printed | None:
    """The producer's clock. Its cumulative rate gives it with more digits, where the two agree."""
    elapsed = read_number_of(values, "train_runtime")
    if elapsed is not None or "elapsed_time" not in values:
        return elapsed
    elapsed = read_duration(values["elapsed_time"])
    if elapsed is None:
        return None
    speed = read_number_of(values, "train_speed(iter/s)") or _inverse(read_number_of(values, "train_speed(s/it)"))
    if step is not None and speed is not None:
        fine = _divide(step - digits.start, speed, elapsed)
        if fine is None:  # a resumed run: the step that it began from follows from the two, a fraction left out
            digits.start = max(0.0, float(round(step - (elapsed.value + elapsed.unit / 2) * speed.value)))
            fine = _divide(step - digits.start, speed, elapsed)
        return fine or elapsed
    tokens, rate = read_number_of(values, *N_TOKENS), read_number_of(values, "throughput")
    fine = None if tokens is None or rate is None else _divide(tokens.value, rate, elapsed)
    return fine or elapsed


def _divide(counted: float, rate: Printed, elapsed: Printed) -> Printed | None:
    """What was counted ÷ its mean rate, in seconds; None where that is no finer than the clock or not the same."""
    if counted <= 0 or rate.value <= 0:
        return None
    seconds = counted / rate.value
    unit = seconds * rate.unit / rate.value
    agrees = unit < elapsed.unit and abs(seconds - elapsed.value) <= elapsed.unit + unit
    return Printed(seconds, unit) if agrees else None


def _inverse(number: Printed | None) -> Printed | None:
    if number is None or number.value <= 0:
        return None
    return Printed(1 / number.value, number.unit / number.value**2)


def read_summary(values: dict[str, str]) -> Summary | None:
    """The totals of a final summary; None where it does not say how long the run took."""
    total = read_duration(values.get("train_runtime", ""))
    if total is None or total.value <= 0:
        return None
    steps = read_number_of(values, "train_steps_per_second")
    samples = read_number_of(values, "train_samples_per_second")
    position = read_position(values.get(POSITION, ""))
    total_steps = None if position is None else position[0]
    if total_steps is None and steps is not None:
        total_steps = round(total.value * steps.value) or None
    batch = None if steps is None or samples is None else _divide_whole(samples, steps)
    return Summary(total_s=total.value, total_steps=total_steps, global_batch=batch)


def _divide_whole(samples: Printed, steps: Printed) -> int | None:
    """Sequences of a step from two mean rates: the one whole number that their digits allow.

    An epoch's last step may be short: up to 0.5 % fewer sequences than full steps have (rule 16 of the log rules).
    """
    if samples.value <= 0 or steps.value <= steps.unit / 2:
        return None
    low = (samples.value - samples.unit / 2) / (steps.value + steps.unit / 2)
    high = (samples.value + samples.unit / 2) / (steps.value - steps.unit / 2) * 1.005
    first, last = math.ceil(low), math.floor(high)
    return first if first == last and first >= 1 else None
