"""The way from the log's own figure to ours, row by row."""

from __future__ import annotations

from dataclasses import dataclass

from peakwise.core.count import Count, Rule
from peakwise.core.measurement import Reconciliation, Row
from peakwise.core.units import to_tera
from peakwise.measuring.difference import Cause, explain_difference

# A part that prints as 0.0 points joins the row of small differences.
SMALL_MFU = 0.0005
SMALL_FLOP = 0.0005
# Peaks this close are one figure rounded differently.
SAME_PEAK = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The figures on both sides: rates per device, FLOP/s; peaks None where one side has none."""

    tokens_per_s: float
    logged_flop_per_s: float | None
    logged_mfu: float | None
    logged_peak: float | None
    peak: float | None
    n_records: int


def reconcile(count: Count, rule: Rule, sides: Sides) -> Reconciliation:
    """Rows from what the log printed, over our count by its rule, to ours by `exact`; MFU parts sum exactly."""
    assert rule.flop_per_token is not None  # only rules that apply are reconciled
    causes = explain_difference(count, rule)
    exact = count.ledger.model / count.workload.tokens
    small = [cause for cause in causes if _is_small(cause, exact, sides)]
    large = [cause for cause in causes if cause not in small]
    rows = [_log_row(sides), _rule_row(rule, sides)]
    rows += [_part(cause.label, cause.flop_per_token, cause.detail, sides) for cause in large]
    rows += _last_parts(small, exact, sides)
    rows.append(
        Row(
            kind="total",
            label="visible pairs, exact" if count.workload.attention == "causal" else "all pairs, exact",
            flop_per_token=exact,
            flop_per_s=exact * sides.tokens_per_s,
            peak_flop_per_s=sides.peak,
            mfu=None if sides.peak is None else exact * sides.tokens_per_s / sides.peak,
            words="what Peakwise prints as MFU",
        )
    )
    names = _names(large, exact, sides)
    return Reconciliation(rows=tuple(rows), causes=tuple(key for key, _ in names), sentence=_sentence(names))


def _is_small(cause: Cause, exact: float, sides: Sides) -> bool:
    if sides.logged_peak is None:
        return abs(cause.flop_per_token) < SMALL_FLOP * exact
    return abs(cause.flop_per_token) * sides.tokens_per_s / sides.logged_peak < SMALL_MFU


def _log_row(sides: Sides) -> Row:
    return Row(
        kind="total",
        label="the log",
        flop_per_token=None,
        flop_per_s=sides.logged_flop_per_s,
        peak_flop_per_s=sides.logged_peak,
        mfu=sides.logged_mfu,
        words=f"as printed, median of {sides.n_records} record{'s' * (sides.n_records != 1)}",
    )


def _rule_row(rule: Rule, sides: Sides) -> Row:
    assert rule.flop_per_token is not None
    rate = rule.flop_per_token * sides.tokens_per_s
    return Row(
        kind="total",
        label=f"its rule, {rule.id}",
        flop_per_token=rule.flop_per_token,
        flop_per_s=rate,
        peak_flop_per_s=sides.logged_peak,
        mfu=None if sides.logged_peak is None else rate / sides.logged_peak,
        words=rule.short or rule.text,
    )


def _part(label: str, flop_per_token: float, words: str, sides: Sides, peak_change: float = 0.0) -> Row:
    rate = flop_per_token * sides.tokens_per_s
    mfu = None if sides.logged_peak is None else rate / sides.logged_peak + peak_change
    return Row(
        kind="part",
        label=label,
        flop_per_token=flop_per_token,
        flop_per_s=rate,
        peak_flop_per_s=None,
        mfu=mfu,
        words=words,
    )


def _last_parts(small: list[Cause], exact: float, sides: Sides) -> list[Row]:
    """The row of small differences, the peak's rounding among them, and a row of its own for another peak."""
    labels, words = [cause.label for cause in small], [cause.detail for cause in small]
    change, rows = _peak_change(exact, sides), list[Row]()
    rounded = change != 0.0 and not _other_peak(sides)
    if rounded and sides.peak is not None:
        labels.append(f"peak {to_tera(sides.peak):,.1f}")
        words.append("the log rounds its peak")
    if labels:
        flop = sum(cause.flop_per_token for cause in small)
        rows.append(_part("; ".join(labels), flop, "; ".join(words), sides, change if rounded else 0.0))
    if change and not rounded and sides.peak is not None and sides.logged_peak is not None:
        divides = f"the log divides by {to_tera(sides.logged_peak):,.1f}"
        peak_row = _part(f"peak {to_tera(sides.peak):,.1f}", 0.0, divides, sides, change)
        rows.append(peak_row)
    return rows


def _peak_change(exact: float, sides: Sides) -> float:
    if sides.peak is None or sides.logged_peak is None:
        return 0.0
    return exact * sides.tokens_per_s * (1 / sides.peak - 1 / sides.logged_peak)


def _other_peak(sides: Sides) -> bool:
    assert sides.peak is not None  # asked only where both are known
    assert sides.logged_peak is not None
    return abs(sides.peak / sides.logged_peak - 1) > SAME_PEAK


def _names(large: list[Cause], exact: float, sides: Sides) -> list[tuple[str, str]]:
    """Keys and words of the causes worth a sentence, the largest first."""
    sized = [(abs(cause.flop_per_token), cause.key, f"the {cause.label}") for cause in large]
    if sides.peak is not None and sides.logged_peak is not None and _other_peak(sides):
        # A peak's change in FLOPs per token of the same effect, to rank it among the others.
        sized.append((abs(_peak_change(exact, sides)) * sides.logged_peak / sides.tokens_per_s, "peak", "the peak"))
    return [(key, words) for _, key, words in sorted(sized, reverse=True)]


def _sentence(names: list[tuple[str, str]]) -> str:
    words = [word for _, word in names]
    if not words:
        return ""
    if len(words) == 1:
        return f"The difference is {words[0]}."
    return f"The difference is {', '.join(words[:-1])} and {words[-1]}."
