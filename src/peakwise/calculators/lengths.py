"""What padding and packing leave of the tokens that are processed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.finite import require_finite
from peakwise.calculators.lengths_fields import DECLARATION
from peakwise.calculators.link import make_link
from peakwise.calculators.read import called
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.arrangement import Arrangement, Policy
from peakwise.core.calculation import Calculation, Lack, Report
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Display, Step, Value
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.version import VERSION
from peakwise.counting.lengths import arrange, trained_share

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate"]

_COUNT = Display(form="number", decimals=0)

_RULES: dict[Policy, str] = {
    "max": "every example takes a slot of its own",
    "longest": "batches in the given order, each padded to its longest",
    "grouped": "batches of the sorted lengths, each padded to its longest",
    "pack": "the longest example first, each into the first pack with room; a pack is run as one sequence",
    "varlen": "every example takes its own length",
}


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """The useful fraction of the processed tokens under a policy, and the rates that it leaves.

    **Formula** useful = real ÷ processed tokens; examples/s = slot rate × useful ÷ mean length; attention ratio =
    Σ l² ÷ Σ (processed length)²; trained share = 1 − masked ÷ mean length.

    **Raises** InputError where a length is above its slot, or more tokens are masked than an example has.
    """
    del catalogue  # nothing is looked up
    given = cast(tuple[int, ...], checked.numbers("lengths"))  # whole numbers: the list's field says so
    policy, slot = cast(Policy, checked.text("policy")), int(_number(checked, "seq_len"))
    _fit(checked, given, policy, slot)
    batch = int(_number(checked, "batch"))
    laid = arrange(given, policy=policy, batch=batch, seq_len=slot)
    results = _results(checked, laid)
    require_finite(results, DECLARATION, checked, ("slot_tokens_per_s",))
    return Calculation(
        name=DECLARATION.id,
        inputs=checked.inputs,
        results=results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": "none", "denominator": "none"},
        report=_report(laid, policy),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=checked.notes,
        charts=partial(_charts, given, laid, batch, slot),
        missing=tuple(_missing(checked)),
        working=tuple(_steps(checked)),
        symbols={"real_tokens": (laid.tokens, _COUNT)},
    )


def _number(checked: Checked, key: str) -> float:
    value = checked.number(key)
    assert value is not None  # it has a default
    return value


def _fit(checked: Checked, given: tuple[int, ...], policy: Policy, slot: int) -> None:
    """**Raises** InputError where the lengths do not fit their slot, or more is masked than they have."""
    problems: list[Problem] = []
    if policy in ("max", "pack") and max(given) > slot:
        name, of = (called(DECLARATION.field(key), checked.face) for key in ("lengths", "seq_len"))
        problems.append(
            Problem(
                field="lengths",
                code="E_RANGE",
                message=f"{name}: an example of {max(given):,} tokens is longer than its slot, {of} {slot:,}",
                got=str(max(given)),
                expected=f"at most {slot} for {policy}",
                hint=f"--seq {max(given)}, or --policy longest",
            )
        )
    masked, mean = checked.number("masked_tokens"), sum(given) / len(given)
    if masked is not None and masked > mean:
        name = called(DECLARATION.field("masked_tokens"), checked.face)
        message = f"{name}: more tokens lie outside the loss than an example has, {format_fixed(mean, 1)} on average"
        problems.append(
            Problem(
                field="masked_tokens",
                code="E_RANGE",
                message=message,
                got=format_plain(masked),
                expected=f"at most the mean length, {format_fixed(mean, 1)}",
                hint="--masked-tokens N",
            )
        )
    if problems:
        raise refuse(problems, DECLARATION, checked.face)


def _charts(given: tuple[int, ...], laid: Arrangement, batch: int, slot: int) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.lengths_chart import draw_charts

    return draw_charts(given, laid, batch, slot)


def _results(checked: Checked, laid: Arrangement) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    rate, masked = checked.number("slot_tokens_per_s"), checked.number("masked_tokens")
    real = None if rate is None else rate * laid.useful
    return {
        "n_examples": laid.n_examples,
        "mean_tokens": laid.mean_tokens,
        "useful": laid.useful,
        "slots": laid.slots,
        "bins": laid.bins,
        "examples_per_s": None if real is None else real / laid.mean_tokens,
        "real_tokens_per_s": real,
        "attention_ratio": laid.attention_ratio,
        "trained_share": None if masked is None else trained_share(laid.mean_tokens, masked),
    }


def _missing(checked: Checked) -> Iterator[Lack]:
    """The inputs that null results lack."""
    if checked.number("slot_tokens_per_s") is None:
        why = "examples_per_s, real_tokens_per_s: the rate of processed tokens is not known"
        yield Lack(input="slot_tokens_per_s", why=why, how="--slot-rate R")
    if checked.number("masked_tokens") is None:
        why = "trained_share: the tokens outside the loss are not known"
        yield Lack(input="masked_tokens", why=why, how="--masked-tokens N")


def _steps(checked: Checked) -> Iterator[Step]:
    """How the results follow from the inputs, for people."""
    yield Step("useful", "{real_tokens}", "{slots}")
    if checked.number("slot_tokens_per_s") is not None:
        yield Step("real_tokens_per_s", "{slot_tokens_per_s} × {useful}")
        yield Step("examples_per_s", "{real_tokens_per_s}", "{mean_tokens}")
    if checked.number("masked_tokens") is not None:
        yield Step("trained_share", "{mean_tokens} − {masked_tokens}", "{mean_tokens}")


def _report(laid: Arrangement, policy: Policy) -> Report:
    return Report(
        headline=f"{laid.tokens:,} real of {laid.slots:,} processed tokens",
        facts=(),
        rule=(
            f"{policy}: {_RULES[policy]}",
            "a rate of tokens counts slots (padding included), real tokens, or trained ones: say which",
            f"rule set {RULE_SET}",
        ),
        hero=DECLARATION.hero,
        label="Useful",
    )
