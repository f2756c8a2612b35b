"""The inputs of the fine-tuning duration calculator in base units, or every reason why they cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.finetune_duration_fields import DECLARATION
from peakwise.calculators.finetune_duration_work import Every, Hardware, Work, ceiling
from peakwise.calculators.read import called, example, expected
from peakwise.core.number import format_plain
from peakwise.core.units import PERCENT, from_percent


def resolve(checked: Checked) -> Work:
    """The inputs in base units. **Raises** InputError with every field that cannot be used beside the others."""
    problems = list(_lacking(checked))
    work = None if problems else _work(checked)
    if work is not None:
        problems += _impossible(checked, work)
    if work is None or problems:
        raise refuse(problems, DECLARATION, checked.face)
    return work


def _work(checked: Checked) -> Work:
    efficiency = checked.number("efficiency_pct")
    return Work(
        examples=int(_number(checked, "examples")),
        epochs=_number(checked, "epochs"),
        tokens_per_example=_number(checked, "tokens_per_example"),
        sequences=_sequences(checked),
        packed=_is_packed(checked),
        global_batch=int(_number(checked, "global_batch")),
        drop_last=bool(checked.flag("drop_last")),
        tokens_per_s=checked.number("tokens_per_s"),
        step_s=checked.number("step_s"),
        evaluation=Every(_whole(checked, "eval_every_steps"), _number(checked, "eval_s")),
        checkpoint=Every(_whole(checked, "checkpoint_every_steps"), _number(checked, "checkpoint_s")),
        warmup_s=_number(checked, "warmup_s"),
        restarts_per_day=_number(checked, "restarts_per_day"),
        restart_min=_number(checked, "restart_min"),
        efficiency=None if efficiency is None else from_percent(efficiency),
        hardware=Hardware(
            devices=int(_number(checked, "accelerators")),
            price_per_hour=_number(checked, "price_per_device_hour"),
            power_w=_number(checked, "power_w"),
            pue=_number(checked, "pue"),
            kwh_price=checked.number("kwh_price"),
            gco2_per_kwh=checked.number("gco2_per_kwh"),
        ),
    )


def _number(checked: Checked, key: str) -> int | float:
    value = checked.number(key)
    assert value is not None  # required, or it has a default
    return value


def _whole(checked: Checked, key: str) -> int | None:
    value = checked.number(key)
    return None if value is None else int(value)


def _is_packed(checked: Checked) -> bool:
    return bool(checked.flag("packing")) or checked.stated("packed_sequences")


def _sequences(checked: Checked) -> int:
    """Sequences of one epoch: examples, the packed sequences that were given, or tokens ÷ what each of them holds."""
    packed, examples = checked.number("packed_sequences"), int(_number(checked, "examples"))
    if packed is not None:
        return int(packed)
    if not checked.flag("packing"):
        return examples
    tokens = examples * Decimal(str(_number(checked, "tokens_per_example")))
    efficiency = Decimal(str(_number(checked, "pack_efficiency_pct"))) / PERCENT
    return max(1, ceiling(tokens / (int(_number(checked, "seq_len")) * efficiency)))


def _lacking(checked: Checked) -> Iterator[Problem]:
    """Fields that others make necessary, and two that contradict each other."""
    if checked.flag("packing") and not checked.stated("packed_sequences") and checked.number("seq_len") is None:
        yield _needed(checked, "seq_len", "packing")
    for time, every in (("eval_s", "eval_every_steps"), ("checkpoint_s", "checkpoint_every_steps")):
        if checked.number(time) and checked.number(every) is None:
            yield _needed(checked, every, time)
    if checked.stated("packing") and not checked.flag("packing") and checked.stated("packed_sequences"):
        name, other = (called(DECLARATION.field(key), checked.face) for key in ("packed_sequences", "packing"))
        yield Problem(
            field="packed_sequences",
            code="E_CONFLICT",
            message=f"{name} says that examples are packed, and {other} that they are not",
            got=f"{name}, and no to {other}",
            expected="one of them",
            hint=f"leave out {name}",
        )


def _needed(checked: Checked, key: str, beside: str) -> Problem:
    field = DECLARATION.field(key)
    name, other = called(field, checked.face), called(DECLARATION.field(beside), checked.face)
    return Problem(
        field=key,
        code="E_REQ",
        message=f"{name} is required beside {other}",
        got="nothing",
        expected=expected(field),
        hint=f"{field.flag} {example(field)}",
    )


def _impossible(checked: Checked, work: Work) -> Iterator[Problem]:
    """Numbers that each may be, and that together leave no run."""
    if not work.steps:
        message = (
            f"an epoch of {work.sequences:,} sequences has no full batch of {work.global_batch:,}, and others drop"
        )
        yield _out(checked, "global_batch", message, f"at most {work.sequences:,}")
    if work.lost >= 1:
        yield _out(checked, "restart_min", "restarts take the whole day, so the run never ends", "a day with time left")


def _out(checked: Checked, key: str, message: str, wanted: str) -> Problem:
    field = DECLARATION.field(key)
    return Problem(
        field=key,
        code="E_RANGE",
        message=f"{called(field, checked.face)}: {message}",
        got=format_plain(checked.number(key) or 0),
        expected=wanted,
        hint=f"{field.flag} {example(field)}",
    )
