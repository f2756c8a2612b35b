"""What the comparison works on: two sides, each a published run or typed figures, brought to one counting rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from peakwise.calculators.check import Checked, Problem
from peakwise.core.case import Case, CaseRule
from peakwise.core.catalogue import Catalogue
from peakwise.core.chip import Precision
from peakwise.core.units import from_percent, from_tera

if TYPE_CHECKING:
    from peakwise.core.model import Model

Letter = Literal["a", "b"]
LETTERS: tuple[Letter, Letter] = ("a", "b")

# What the choices of `rule` mean; `published` is each side's own.
RULES: dict[str, CaseRule] = {
    "exact": CaseRule(pairs="exact", router=True),
    "half": CaseRule(pairs="half", router=False),
    "noncausal": CaseRule(pairs="noncausal", router=False),
    "none": CaseRule(pairs="none", router=False),
}
PUBLISHED = "published"

# A figure has the rule whose FLOPs per token are nearest, where they are within 1 %.
NEAREST_WITHIN = 0.01


class Side(NamedTuple):
    """One column. Rates are of one device: token/s, FLOP/s; `peak` FLOP/s; None where a figure is not known.

    `rule`: the nearest rule of typed figures. `counted`: the rule that the FLOPs of a token were counted by here, None
    where the figure stands as it was given.
    """

    letter: Letter
    case: Case | None
    mfu: float | None
    flop_per_s: float | None
    flop_per_token: float | None
    tokens_per_s: float | None
    peak: float | None
    rule: str | None
    counted: CaseRule | None


class Asked(NamedTuple):
    """What both sides share: the rule, the denominator, MTP modules in or out, and the model of typed figures."""

    rule: str
    denominator: Precision
    mtp: bool
    model: Model | None
    seq_len: int | None


class Pair(NamedTuple):
    """Two sides under what was asked of both."""

    a: Side
    b: Side
    asked: Asked

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.a, self.b

    @property
    def same_rule(self) -> bool | None:
        """Whether typed figures follow the same rule; None where either is unknown."""
        return None if self.a.rule is None or self.b.rule is None else self.a.rule == self.b.rule


def ratio(over: float | None, under: float | None) -> float | None:
    """A quotient; None where a part is not known or the lower one is 0."""
    return None if over is None or under is None or under == 0 else over / under


def product(one: float | None, other: float | None) -> float | None:
    """A product; None where a part is not known."""
    return None if one is None or other is None else one * other


def read_asked(checked: Checked, catalogue: Catalogue) -> Asked:
    """What the inputs ask of both sides."""
    seq_len = checked.number("seq_len")
    return Asked(
        rule=checked.text("rule") or PUBLISHED,
        denominator=cast(Precision, checked.text("denominator")),
        mtp=bool(checked.flag("mtp")),
        model=catalogue.model,
        seq_len=None if seq_len is None else int(seq_len),
    )


def read_side(letter: Letter, checked: Checked, catalogue: Catalogue, asked: Asked) -> Side:
    """One side of the inputs; faults of it were refused before."""
    name = checked.text(f"{letter}_case")
    rate, peak = checked.number(f"{letter}_tokens_per_s_per_device"), checked.number(f"{letter}_peak_tflops")
    base_peak = None if peak is None else from_tera(peak)
    if name is not None:
        return side_of_case(letter, catalogue.cases[name], asked, rate, base_peak)
    achieved, percent = checked.number(f"{letter}_tflops"), checked.number(f"{letter}_mfu_pct")
    flop_per_s = None if achieved is None else from_tera(achieved)
    mfu = ratio(flop_per_s, base_peak) if percent is None else from_percent(percent)
    if percent is not None:
        flop_per_s = product(mfu, base_peak)
    per_token = ratio(flop_per_s, rate)
    typed = Side(letter, None, mfu, flop_per_s, per_token, rate, base_peak, _nearest(per_token, asked), None)
    return _recounted(typed, asked)


def side_of_case(
    letter: Letter, case: Case, asked: Asked, rate: float | None = None, peak: float | None = None
) -> Side:
    """A published run under what was asked; a typed rate or peak stands in place of its own."""
    rate = case.tokens_per_s_per_device if rate is None else rate
    peak = case.peaks.get(asked.denominator) if peak is None else peak
    rule = rule_of(case, asked)
    if rule is not None and case.model is not None and case.seq_len is not None and rate is not None:
        per_token = flop_per_token(case.model, case.seq_len, rule)
        flop_per_s = per_token * rate
        return Side(letter, case, ratio(flop_per_s, peak), flop_per_s, per_token, rate, peak, None, rule)
    if asked.rule != PUBLISHED:
        return Side(letter, case, None, None, None, rate, peak, None, None)
    flop_per_s = case.flop_per_s_per_device
    if flop_per_s is None:  # a published MFU is over the 16-bit peak
        flop_per_s = product(case.mfu, case.peaks.get("bf16"))
    return Side(letter, case, ratio(flop_per_s, peak), flop_per_s, ratio(flop_per_s, rate), rate, peak, None, None)


def own_mfu(case: Case) -> float | None:
    """The MFU of a published run by its own rule, fraction of the 16-bit peak; None where it cannot be counted."""
    asked = Asked(rule=PUBLISHED, denominator="bf16", mtp=False, model=None, seq_len=None)
    side = side_of_case("a", case, asked)
    return None if side.counted is None else side.mfu


def rule_of(case: Case, asked: Asked) -> CaseRule | None:
    """The rule that a published run is counted by; None where its own is not known."""
    rule = case.rule if asked.rule == PUBLISHED else RULES[asked.rule]
    if rule is None:
        return None
    train = "full" if case.rule is None else case.rule.train
    modules = case.model is not None and bool(case.model.mtp)
    return rule._replace(train=train, mtp=rule.mtp or (asked.mtp and modules))


def flop_per_token(model: Model, seq_len: int, rule: CaseRule) -> float:
    """FLOPs of one token of training by a rule."""
    # Counting is loaded only where there is a model to count: most typed figures need none.
    from peakwise.calculators.token_work import Counting, count_token
    from peakwise.core.training import parse_train

    counting = Counting(seq_len=seq_len, lengths=(), pairs=rule.pairs, router=rule.router, mtp=rule.mtp)
    return count_token(model, counting, train=parse_train(rule.train)).model


def _recounted(side: Side, asked: Asked) -> Side:
    """Typed figures brought to the rule that was asked, where their model, length and rate are known."""
    if asked.rule == PUBLISHED or asked.model is None or asked.seq_len is None or side.tokens_per_s is None:
        return side
    rule = RULES[asked.rule]
    rule = rule._replace(mtp=asked.mtp and bool(asked.model.mtp))
    per_token = flop_per_token(asked.model, asked.seq_len, rule)
    flop_per_s = per_token * side.tokens_per_s
    mfu = ratio(flop_per_s, side.peak)
    return side._replace(flop_per_token=per_token, flop_per_s=flop_per_s, mfu=mfu, counted=rule)


def candidates(model: Model, seq_len: int) -> Iterator[tuple[str, float]]:
    """The rules a figure may follow, with their FLOPs per token: 6 and 4 per matmul weight, causal, full, with MTP."""
    from peakwise.counting.params import count_params

    weights = count_params(model).matmul
    yield "6n", 6 * weights
    yield "4n", 4 * weights
    for mtp in (False, True) if model.mtp else (False,):
        suffix = "+mtp" if mtp else ""
        yield f"causal{suffix}", flop_per_token(model, seq_len, CaseRule("exact", router=True, mtp=mtp))
        yield f"full{suffix}", flop_per_token(model, seq_len, CaseRule("full", router=True, mtp=mtp))


def _nearest(per_token: float | None, asked: Asked) -> str | None:
    """The rule that typed FLOPs per token are nearest to; None beyond 1 %, or without a model and a length."""
    if per_token is None or asked.model is None or asked.seq_len is None:
        return None
    known = list(candidates(asked.model, asked.seq_len))
    name, figure = min(known, key=lambda rule: abs(per_token - rule[1]) / rule[1])
    return name if abs(per_token - figure) <= NEAREST_WITHIN * figure else None


def find_problems(checked: Checked, catalogue: Catalogue, asked: Asked) -> Iterator[Problem]:
    """What of the published runs that were named cannot be answered."""
    named: list[tuple[Letter, Case]] = []
    for letter in LETTERS:
        name = checked.text(f"{letter}_case")
        if name is not None:
            named.append((letter, catalogue.cases[name]))
    for letter, case in named:
        yield from _problems(letter, case, checked, asked)
    has_modules = any(case.model is not None and case.model.mtp for _, case in named)
    if asked.mtp and named and not has_modules and not (asked.model is not None and asked.model.mtp):
        message = "none of the models has multi-token-prediction modules"
        yield Problem("mtp", "E_CHOICE", message, "on", "off", "--no-mtp")


def _problems(letter: Letter, case: Case, checked: Checked, asked: Asked) -> Iterator[Problem]:
    if not case.published:
        message = f"no figure of {case.name} was published"
        yield Problem(f"{letter}_case", "E_CHOICE", message, case.id, "a run with figures", "peakwise catalog runs")
        return
    if asked.denominator not in case.peaks and not checked.stated(f"{letter}_peak_tflops"):
        has = ", ".join(case.peaks)
        message = f"no dense {asked.denominator} peak is known for {case.name}"
        yield Problem("denominator", "E_CHOICE", message, asked.denominator, has, f"--{letter}-peak N")
    rated = case.tokens_per_s_per_device is not None or checked.stated(f"{letter}_tokens_per_s_per_device")
    if asked.rule != PUBLISHED and not (rated and case.model is not None):
        what = "no token rate" if case.model is not None else "no full shape"
        message = f"{what} was published of {case.name}, so it stands by its own rule alone"
        yield Problem("rule", "E_CHOICE", message, asked.rule, PUBLISHED, f"--rule {PUBLISHED}")
