"""Two runs side by side, brought to one counting rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from peakwise.calculators.check import Checked, refuse
from peakwise.calculators.compare_fields import DECLARATION
from peakwise.calculators.compare_findings import find_causes, find_warnings
from peakwise.calculators.compare_report import write_report, write_steps
from peakwise.calculators.compare_work import PUBLISHED, Pair, find_problems, ratio, read_asked, read_side
from peakwise.calculators.finite import require_finite
from peakwise.calculators.link import make_link
from peakwise.calculators.rule_set import RULE_SET
from peakwise.core.calculation import Calculation, Lack
from peakwise.core.case import Case
from peakwise.core.catalogue import Catalogue
from peakwise.core.declaration import Value
from peakwise.core.version import VERSION

if TYPE_CHECKING:
    from peakwise.core.chart import Chart

__all__ = ["DECLARATION", "calculate", "resolve"]


def calculate(checked: Checked, catalogue: Catalogue) -> Calculation:
    """Both MFUs, fractions, over one kind of peak and, where asked, by one counting rule; and their ratios.

    **Formula** MFU = FLOPs per token × token/s of a device ÷ its peak. FLOPs per token of a published run are counted
    from its model; those of typed figures are FLOP/s ÷ token/s.

    **Raises** InputError where a run has no figure, no peak of the type, or nothing to count another rule by.
    """
    checked = _with_ids(checked, catalogue)
    pair = resolve(checked, catalogue)
    results = _results(pair)
    require_finite(results, DECLARATION, checked, ("b_mfu_pct", "b_tflops", "b_peak_tflops", "a_mfu_pct"))
    causes = find_causes(pair)
    return Calculation(
        name=DECLARATION.id,
        inputs=checked.inputs,
        results=results,
        declared=DECLARATION.results,
        convention={"id": RULE_SET, "attention": pair.asked.rule, "denominator": pair.asked.denominator},
        report=write_report(pair, checked),
        link=make_link(DECLARATION, checked),
        version=VERSION,
        warnings=(*find_warnings(pair, causes), *checked.notes),
        missing=tuple(_missing(pair)),
        causes=causes,
        working=write_steps(pair),
        charts=partial(_charts, pair, catalogue.cases),
    )


def _charts(pair: Pair, cases: Mapping[str, Case]) -> tuple[Chart, ...]:
    """What the page draws; its room is loaded when it is asked for."""
    from peakwise.calculators.compare_pictures import draw_charts

    return draw_charts(pair, cases)


def resolve(checked: Checked, catalogue: Catalogue) -> Pair:
    """Both sides under what was asked. **Raises** InputError as `calculate`."""
    checked = _with_ids(checked, catalogue)
    asked = read_asked(checked, catalogue)
    problems = list(find_problems(checked, catalogue, asked))
    if problems:
        raise refuse(problems, DECLARATION, checked.face)
    a, b = read_side("a", checked, catalogue, asked), read_side("b", checked, catalogue, asked)
    return Pair(a, b, asked)


def _with_ids(checked: Checked, catalogue: Catalogue) -> Checked:
    """The inputs with the catalogue's ids in place of the names that were typed for runs."""
    inputs = dict(checked.inputs)
    for key in ("a_case", "b_case"):
        name = checked.text(key)
        if name is not None:
            inputs[key] = inputs[key]._replace(value=_meant(name, catalogue).id)
    return checked._replace(inputs=inputs)


def _meant(name: str, catalogue: Catalogue) -> Case:
    """The run of a name that was found before: letter case, spaces and `_` aside."""
    return catalogue.cases[name.strip().lower().replace("_", "-").replace(" ", "-")]


def _results(pair: Pair) -> dict[str, Value | None]:
    """The results by key, in the order of the declaration."""
    a, b = pair.sides
    ratio_mfu = ratio(a.mfu, b.mfu)
    return {
        "a_mfu": a.mfu,
        "b_mfu": b.mfu,
        "ratio_mfu": ratio_mfu,
        "a_flop_per_s_per_device": a.flop_per_s,
        "b_flop_per_s_per_device": b.flop_per_s,
        "a_flop_per_token": a.flop_per_token,
        "b_flop_per_token": b.flop_per_token,
        "a_rule": a.rule,
        "b_rule": b.rule,
        "same_rule": pair.same_rule,
        "ratio_tokens": ratio(b.tokens_per_s, a.tokens_per_s),
        "ratio_flop_per_s": ratio(b.flop_per_s, a.flop_per_s),
        "time_ratio": ratio_mfu,  # the same FLOPs on the same peak take longer the lower the share of it
    }


def _missing(pair: Pair) -> Iterator[Lack]:
    """Inputs that a null result lacks, each once."""
    for side in pair.sides:
        if side.case is None:
            yield from _lacks(pair, side.letter)
    typed = [side for side in pair.sides if side.case is None and side.flop_per_token is not None]
    if typed and pair.asked.model is None:
        yield Lack("model", "rule: which model the figures are of is not known", "--model MODEL")
    if typed and pair.asked.seq_len is None:
        yield Lack("seq_len", "rule: the length of a sequence is not known", "--seq N")


def _lacks(pair: Pair, letter: str) -> Iterator[Lack]:
    side = pair.a if letter == "a" else pair.b
    if side.mfu is None or side.flop_per_s is None:
        why = f"{letter}_mfu: the peak is not known" if side.mfu is None else f"{letter} FLOP/s: the peak is not known"
        yield Lack(f"{letter}_peak_tflops", why, f"--{letter}-peak N")
    if side.tokens_per_s is None:
        why = f"{letter}_flop_per_token: the token rate is not known"
        yield Lack(f"{letter}_tokens_per_s_per_device", why, f"--{letter}-rate-per-device N")
    elif pair.asked.rule != PUBLISHED and side.counted is None:
        yield Lack("model", f"{letter} stands as typed: model and length bring it to the rule", "--model MODEL --seq N")
