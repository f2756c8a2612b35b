"""Which of a producer's generations is behind its figures: the rule that gives them back."""

from __future__ import annotations

from math import inf

from peakwise.core.count import Count
from peakwise.core.series import Series
from peakwise.measuring.checks import COMMON, RULE_WITHIN
from peakwise.measuring.solve import LoggedWork, solve_seq_len
from peakwise.measuring.work import recount, rule_flop_per_token


def choose_rule(series: Series, probe: Count, logged: LoggedWork, seq_len: int | None) -> str:
    """The id of the likeliest rule if it gives the logged FLOPs, else of the one that does; the likeliest if none does.

    With a length: within 2 % of the log's FLOPs per token. Without one: whose solved length is one people train on.
    """
    rules = (series.convention, *series.other_rules)
    if seq_len is None:
        return next((rule for rule in rules if _is_common(solve_for(probe, logged, rule))), series.convention)
    count, middle = recount(probe, seq_len=seq_len), logged.per_token(seq_len).middle
    apart = {rule: _apart(rule_flop_per_token(count, rule), middle) for rule in rules}
    if apart[series.convention] <= RULE_WITHIN:
        return series.convention
    best = min(rules, key=lambda rule: apart[rule])
    return best if apart[best] <= RULE_WITHIN else series.convention


def _apart(flop: float | None, logged: float) -> float:
    return inf if flop is None else abs(flop / logged - 1)


def _is_common(seq_len: int | None) -> bool:
    return seq_len is not None and seq_len % COMMON == 0


def solve_for(probe: Count, logged: LoggedWork, rule: str) -> int | None:
    """The sequence length, in tokens, that the logged FLOPs imply by the rule; None where it gives none."""
    if rule_flop_per_token(probe, rule) is None:
        return None

    def flop(length: int) -> float | None:
        found = rule_flop_per_token(recount(probe, seq_len=length), rule)
        return None if found is None else found * (length if logged.of_sequence else 1)

    return solve_seq_len(logged, flop)
