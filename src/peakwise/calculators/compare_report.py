"""What the comparison's report says: one line of news, both columns, the rule, how the ratio is computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from peakwise.calculators.check import Checked
from peakwise.calculators.compare_findings import is_over
from peakwise.calculators.compare_verdict import Verdict, judge
from peakwise.calculators.compare_work import PUBLISHED, Pair, Side, product, side_of_case
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.calculation import Fact, Report
from peakwise.core.case import CaseRule
from peakwise.core.declaration import Step
from peakwise.core.units import to_giga, to_percent, to_tera

if TYPE_CHECKING:
    from peakwise.core.quantity import Basis

_PAIRS = {
    "exact": "visible pairs",
    "half": "half of the pairs, windows kept",
    "noncausal": "every key, windows kept",
    "full": "every key, windows ignored",
    "none": "attention left out",
}


def write_report(pair: Pair, checked: Checked) -> Report:
    """The report of one comparison; numbers in the units that people read."""
    over = [side for side in pair.sides if is_over(side)]
    return Report(
        headline=_headline(judge(pair)),
        facts=tuple(fact for side in pair.sides for fact in (*_facts(side, checked), *_every_key(side, pair))),
        rule=("MFU = FLOPs per token × token/s of a device ÷ its peak; ratio a ÷ b", *_rules(pair)),
        hero=f"{over[0].letter}_mfu" if over else "ratio_mfu",
        label=f"MFU of {over[0].letter}" if over else "MFU, a ÷ b",
    )


def write_steps(pair: Pair) -> tuple[Step, ...]:
    """How the columns and their ratio are computed, where their parts are known."""
    steps: list[Step] = []
    for side in pair.sides:
        typed = side.case is None and side.counted is None
        if typed and side.tokens_per_s and side.flop_per_s is not None:
            top, bottom = f"{side.letter}_flop_per_s_per_device", f"{side.letter}_tokens_per_s_per_device"
            steps.append(Step(f"{side.letter}_flop_per_token", f"{{{top}}}", f"{{{bottom}}}"))
    return (*steps, Step("ratio_mfu", "{a_mfu}", "{b_mfu}"))


def _headline(verdict: Verdict) -> str:
    if verdict.better is not None:
        return f"{verdict.better} uses more of the same hardware for the same work, by the same rule"
    if verdict.differs:
        return f"Neither is better by this alone: {_join(verdict.differs)} {_differ(verdict.differs)}."
    if verdict.unknown:
        return f"Neither is called better: {_join(verdict.unknown)} not known to be the same."
    return "Both use the same share."


def _join(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _differ(words: tuple[str, ...]) -> str:
    return "differs" if len(words) == 1 else "differ"


def _facts(side: Side, checked: Checked) -> Iterator[Fact]:
    letter, case = side.letter, side.case
    source = "typed" if case is None else case.id
    if side.mfu is not None:
        basis: Basis = "stated" if checked.stated(f"{letter}_mfu_pct") else "derived"
        yield Fact(f"{letter}: MFU", to_percent(side.mfu), 2, "%", basis, source)
    if side.flop_per_s is not None:
        basis = "stated" if case is None and side.counted is None else "derived"
        yield Fact(f"{letter}: useful FLOP/s of a device", to_tera(side.flop_per_s), 1, "TFLOP/s", basis, source)
    if side.peak is not None:
        yield Fact(f"{letter}: peak of a device", to_tera(side.peak), None, "TFLOP/s", "stated", source)
    if side.tokens_per_s is not None:
        mark = "" if case is None else case.marks.get("rate", "")
        basis = "derived" if mark == "derived" else "stated"
        yield Fact(f"{letter}: rate of a device", side.tokens_per_s, 1, "token/s", basis, source)
    if side.flop_per_token is not None:
        said = f"nearest rule: {side.rule}" if side.rule else source
        yield Fact(f"{letter}: work per token", to_giga(side.flop_per_token), 2, "GFLOP", "derived", said)
    devices = None if case is None or case.devices is None else float(case.devices)
    total = product(side.tokens_per_s, devices)
    if total is not None and devices is not None:
        yield Fact(f"{letter}: accelerators", devices, 0, "", "stated", "" if case is None else case.chip)


def _every_key(side: Side, pair: Pair) -> Iterator[Fact]:
    """The same run where every query sees every key: publications print either figure, so both stand here."""
    if side.case is None or side.counted is None or pair.asked.rule != PUBLISHED or side.counted.pairs == "none":
        return
    wide = side_of_case(side.letter, side.case, pair.asked._replace(rule="noncausal"), side.tokens_per_s, side.peak)
    if wide.mfu is not None:
        yield Fact(f"{side.letter}: MFU, every key", to_percent(wide.mfu), 2, "%", "derived", "--rule noncausal")


def _rules(pair: Pair) -> Iterator[str]:
    for side in pair.sides:
        if side.counted is not None:
            yield f"{side.letter}: {rule_text(side.counted)}"
    own = "each by its own rule" if pair.asked.rule == PUBLISHED else f"both by the rule {pair.asked.rule}"
    yield f"{own}; published runs over the dense {pair.asked.denominator} peak; rule set {RULE_SET}"


def rule_text(rule: CaseRule) -> str:
    """A counting rule in a few words."""
    parts = [_PAIRS[rule.pairs], "router in" if rule.router else "router out"]
    parts += ["MTP modules in"] if rule.mtp else []
    parts += [rule.train] if rule.train != "full" else []
    return ", ".join(parts)
